import { type Message, toMessages } from '@spoor/payloads/forms/message-forms'
import { type Reader, readPayload, type Side } from '@spoor/payloads/read-payload'
import type { SpanEvent, Value } from '../wire/span.ts'
import { isObject, parsed } from './span-fields.ts'

/** Messages, and the events that they were taken from. */
export interface EventMessages {
  readonly messages: readonly Message[]
  readonly usedEvents: ReadonlySet<SpanEvent>
}

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/
const CHOICE_EVENT = 'gen_ai.choice'
/** Events of the conventions before 1.37, with their prompts as one attribute. */
const CONTENT_EVENTS = new Map<string, readonly [attribute: string, side: Side]>([
  ['gen_ai.content.prompt', ['gen_ai.prompt', 'input']],
  ['gen_ai.content.completion', ['gen_ai.completion', 'output']],
])

/** Events such as `gen_ai.user.message` and `gen_ai.choice`. */
export function inEvents(reader: Reader, events: readonly SpanEvent[]): EventMessages | null {
  const messages: (readonly Message[])[] = []
  const usedEvents = new Set<SpanEvent>()
  const isChosen = events.some(({ name }) => name === CHOICE_EVENT)
  for (const event of events) {
    const ofContent = CONTENT_EVENTS.get(event.name)
    const ofTool = reader === 'tool' && isChosen ? toolEvent(event) : null
    const role = event.name === CHOICE_EVENT ? 'assistant' : MESSAGE_EVENT.exec(event.name)?.[1]
    if (ofContent !== undefined) {
      messages.push(readPayload(event.attributes.get(ofContent[0]), ofContent[1], reader).messages)
    } else if (ofTool !== null) messages.push(ofTool)
    else if (role !== undefined) messages.push(eventMessages(event, role))
    else continue
    usedEvents.add(event)
  }
  return usedEvents.size === 0 ? null : { messages: messages.flat(), usedEvents }
}

/** A tool of Strands: the message of the tool is what it was given, the choice what it returned. */
function toolEvent({ name, attributes }: SpanEvent): readonly Message[] | null {
  if (name === CHOICE_EVENT) return readPayload(attributes.get('message'), 'output', 'tool').messages
  return name === 'gen_ai.tool.message' ? readPayload(attributes.get('content'), 'input', 'tool').messages : null
}

/** An event's message: its attributes, or the JSON in one of them, as the SDKs of Azure have it. */
function eventMessages({ attributes }: SpanEvent, role: string): readonly Message[] {
  const fields = Object.fromEntries([...attributes].map(([name, value]) => [name, parsed(value) as Value]))
  const { message, 'gen_ai.event.content': content, 'gen_ai.system': _system, ...own } = fields
  if (isObject(content)) {
    const { message: inside, ...more } = content
    return toMessages({ ...own, ...more, ...(isObject(inside) ? inside : {}) }, role)
  }
  const inner = isObject(message) ? message : message === undefined ? {} : { content: message }
  return toMessages({ ...own, ...(content === undefined ? {} : { content }), ...inner }, role)
}

const TOOL_OUTPUT_EVENT = 'tool.output'

/** What a tool of Claude Code returned. */
export function toolOutput(reader: Reader, events: readonly SpanEvent[]): EventMessages | null {
  const event = reader === 'tool' ? events.find(({ name }) => name === TOOL_OUTPUT_EVENT) : undefined
  if (event === undefined) return null
  const { attributes } = event
  const { messages } = readPayload(attributes.get('output') ?? attributes.get('content'), 'output', reader)
  return messages.length === 0 ? null : { messages, usedEvents: new Set([event]) }
}
