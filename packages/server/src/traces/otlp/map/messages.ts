import { isMessageList, type Message, toMessages } from '@spoor/payloads/forms/message-forms'
import { toParts } from '@spoor/payloads/forms/part-forms'
import { type Payload, type Reader, readPayload, type Side } from '@spoor/payloads/read-payload'
import type { PayloadUsage } from '@spoor/payloads/usage'
import type { SpanEvent, Value } from '../wire/span.ts'
import { type EventMessages, inEvents, toolOutput } from './event-messages.ts'
import { embeddedTexts, flatDocuments, flattenedAnswer, flattenedRequest, indexed } from './flattened-messages.ts'
import { parsed, SpanFields } from './span-fields.ts'
import * as table from './mapping-table.ts'

/** Messages of a span, the events that they were taken from, and the usage that a whole answer states. */
export interface FoundMessages extends EventMessages {
  readonly usage: PayloadUsage | null
  /** How many of the messages are inputs, where the sender keeps the sides apart. */
  readonly inputs: number
}

const NO_EVENTS: ReadonlySet<SpanEvent> = new Set()

/**
 * Messages of a span, inputs first. Each side is in the form of the first of these senders that has it: the conventions
 * of generative AI in their three forms, OpenInference, AI SDK; else the whole input or output is read as a payload.
 */
export function spanMessages(type: string, fields: SpanFields, events: readonly SpanEvent[]): FoundMessages {
  const reader = READERS[type] ?? 'model'
  const { instructions, inputs: structured, outputs: answers, usedEvents } = inConventions(reader, fields, events)
  if (structured === null && answers === null) {
    const found = inEvents(reader, events) ?? wholeConversation(fields)
    if (found !== null)
      return { ...found, messages: withInstructions(instructions, found.messages), usage: null, inputs: 0 }
  }
  const mayHaveDocuments = !WITHOUT_DOCUMENTS.has(type)
  const isBare = table.BARE.on.some((name) => fields.has(name))
  const inputs =
    structured ??
    indexed(fields, 'gen_ai.prompt.') ??
    flattenedRequest(fields) ??
    (mayHaveDocuments ? embeddedTexts(fields) : null) ??
    (mayHaveDocuments ? flatDocuments(fields, 'reranker.input_documents.', 'user') : null) ??
    whole(fields, isBare ? [...table.INPUT, table.BARE.input] : table.INPUT, 'input', reader)?.messages
  const returned = toolOutput(reader, events)
  const flattened = flattenedAnswer(fields)
  const outputs =
    answers ??
    returned?.messages ??
    indexed(fields, 'gen_ai.completion.') ??
    aiResponse(fields) ??
    flattened ??
    (mayHaveDocuments ? foundDocuments(fields) : null) ??
    sentryResponse(fields)
  const answer =
    outputs === null
      ? whole(fields, isBare ? [...table.OUTPUT, table.BARE.output] : table.OUTPUT, 'output', reader)
      : null
  const returnedMessages = withoutInputs(inputs ?? [], outputs ?? answer?.messages ?? [])
  const before = withInstructions(instructions, inputs ?? [])
  return {
    messages: [...before, ...(type === 'tool' ? withCallId(fields, returnedMessages) : returnedMessages)],
    usedEvents: returned?.usedEvents ?? usedEvents,
    usage: answer?.usage ?? null,
    inputs: before.length,
  }
}

/** LangGraph returns its whole state, which begins with the input. */
export function withoutInputs(inputs: readonly Message[], outputs: readonly Message[]): readonly Message[] {
  const words = ({ role, content, tool_calls: calls }: Message) => JSON.stringify([role, content, calls])
  const goesOn = inputs.length > 0 && outputs.length > inputs.length
  return goesOn && inputs.every((one, at) => words(one) === words(outputs[at]!))
    ? outputs.slice(inputs.length)
    : outputs
}

/** What a tool returned, with the id of its call: a model may call a tool twice at once. */
function withCallId(fields: SpanFields, messages: readonly Message[]): readonly Message[] {
  const lacksId = ({ role, tool_call_id: own }: Message) => role === 'tool' && own === undefined
  const id = messages.some(lacksId) ? fields.useFirstText(table.CALL_ID) : undefined
  if (id === undefined) return messages
  return messages.map((message) => (lacksId(message) ? Object.assign({}, message, { tool_call_id: id }) : message))
}

/** Their names are not searched on most spans. */
const WITHOUT_DOCUMENTS: ReadonlySet<string> = new Set(['llm', 'tool', 'agent'])

function foundDocuments(fields: SpanFields): readonly Message[] | null {
  return (
    flatDocuments(fields, 'retrieval.documents.', 'tool') ?? flatDocuments(fields, 'reranker.output_documents.', 'tool')
  )
}

/** All of a run, with its answer at the end. */
function wholeConversation(fields: SpanFields): EventMessages | null {
  for (const name of table.CONVERSATION) {
    const value = parsed(fields.get(name))
    if (!isMessageList(value)) continue
    fields.use(name)
    return { messages: toMessages(value, 'user'), usedEvents: NO_EVENTS }
  }
  return null
}

const READERS: Readonly<Record<string, Reader>> = { tool: 'tool', retrieval: 'retriever', rerank: 'retriever' }

/** The first of these attributes that says something, as a payload. What became no message stays in the metadata. */
function whole(fields: SpanFields, names: readonly string[], side: Side, reader: Reader): Payload | null {
  for (const name of names) {
    if (!fields.has(name)) continue
    const payload = readPayload(fields.get(name), side, reader)
    if (payload.messages.length === 0 && payload.usage === null) continue
    fields.use(name)
    if (payload.rest !== null) fields.keep(name, payload.rest as Value)
    return payload
  }
  return null
}

/** `gen_ai.input.messages` and its like, on the span or on its events of details. Null for what there is not. */
interface InConventions {
  readonly instructions: Value | null
  readonly inputs: readonly Message[] | null
  readonly outputs: readonly Message[] | null
  readonly usedEvents: ReadonlySet<SpanEvent>
}

function inConventions(reader: Reader, fields: SpanFields, events: readonly SpanEvent[]): InConventions {
  const onSpan = { ...inAttributes(reader, fields), usedEvents: NO_EVENTS }
  if (onSpan.inputs !== null || onSpan.outputs !== null) return onSpan
  const found = events
    .filter(({ name }) => name === table.DETAILS_EVENT)
    .map((event) => ({ event, has: inAttributes(reader, new SpanFields(event.attributes)) }))
    .filter(({ has }) => Object.values(has).some((one) => one !== null))
  // Strands has an event for each.
  const all = (name: 'inputs' | 'outputs') => {
    const lists = found.flatMap(({ has }) => has[name] ?? [])
    return lists.length === 0 ? onSpan[name] : lists
  }
  return {
    instructions: found.find(({ has }) => has.instructions !== null)?.has.instructions ?? onSpan.instructions,
    inputs: all('inputs'),
    outputs: all('outputs'),
    usedEvents: new Set(found.map(({ event }) => event)),
  }
}

function inAttributes(reader: Reader, fields: SpanFields): Omit<InConventions, 'usedEvents'> {
  const systemName = table.INSTRUCTIONS.find((one) => fields.has(one))
  const instructions = systemName === undefined ? null : (parsed(fields.use(systemName)) ?? null)
  const messages = (name: string, side: Side) => {
    const value = parsed(fields.use(name))
    if (value === undefined) return null
    // Gemini CLI has the request and the answer of a tool there.
    const isOfTool = reader === 'tool' && !isMessageList(value)
    return isOfTool
      ? readPayload(value, side, reader).messages
      : toMessages(value, side === 'input' ? 'user' : 'assistant')
  }
  return {
    instructions,
    inputs: messages('gen_ai.input.messages', 'input'),
    outputs: messages('gen_ai.output.messages', 'output'),
  }
}

/** The instructions as the first message, unless the messages begin with them. */
function withInstructions(instructions: Value | null, messages: readonly Message[]): readonly Message[] {
  if (instructions === null) return messages
  const content = toParts(instructions)
  const isFirst = JSON.stringify(messages[0]?.content) === JSON.stringify(content)
  return isFirst && messages[0]?.role !== 'user' ? messages : [{ role: 'system', content }, ...messages]
}

/** AI SDK has the members of its result as attributes. */
function aiResponse(fields: SpanFields): readonly Message[] | null {
  if (!fields.hasAny('ai.response.')) return null
  const [text, object, reasoning, toolCalls, files] = ['text', 'object', 'reasoning', 'toolCalls', 'files'].map(
    (name) => fields.use(`ai.response.${name}`),
  )
  if ([text, object, reasoning, toolCalls].every((value) => value === undefined)) return null
  const value = {
    text: text ?? '',
    reasoningText: reasoning ?? null,
    toolCalls: parsed(toolCalls) ?? [],
    files: parsed(files) ?? [],
  }
  const [message] = readPayload(value, 'output', 'model').messages
  const { role = 'assistant', content = [], ...more } = message ?? {}
  return [{ ...more, role, content: [...content, ...(object === undefined ? [] : toParts(object))] }]
}

/** Sentry has a list of texts and one of calls. */
function sentryResponse(fields: SpanFields): readonly Message[] | null {
  const text = parsed(fields.use('gen_ai.response.text'))
  const calls = parsed(fields.use('gen_ai.response.tool_calls'))
  if (text === undefined && calls === undefined) return null
  return toMessages({ content: text ?? [], ...(calls === undefined ? {} : { tool_calls: calls }) }, 'assistant')
}
