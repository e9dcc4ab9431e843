import type { SpanEvent, Value } from '../wire/span.ts'
import { isList, isObject, type JsonObject, parsed, SpanFields, toText } from './span-fields.ts'
import * as table from './mapping-table.ts'

/** A message as a step stores it. Fields besides these stay as they are. */
type Message = { readonly role: string; readonly content?: readonly Part[] } & JsonObject
type Part = { readonly type: string } & JsonObject

/** Messages of a span, and the events that they were taken from. */
export interface FoundMessages {
  readonly messages: readonly Message[]
  readonly usedEvents: ReadonlySet<SpanEvent>
}

const NO_EVENTS: ReadonlySet<SpanEvent> = new Set()

/**
 * Messages of a span, inputs first. Each side is in the form of the first of these senders that has it: the conventions
 * of generative AI in their three forms, OpenInference, AI SDK; else the whole input or output is a message.
 */
export function spanMessages(type: string, fields: SpanFields, events: readonly SpanEvent[]): FoundMessages {
  const { inputs: structured, outputs: structuredOutputs, instructions, usedEvents } = inConventions(fields, events)
  const fromEvents = structured === null && structuredOutputs === null ? inEvents(events) : null
  if (fromEvents !== null) return { ...fromEvents, messages: withInstructions(instructions, fromEvents.messages) }
  const [before, after] = type === 'tool' ? ['assistant', 'tool'] : ['user', 'assistant']
  const inputs =
    structured ??
    indexed(fields, 'gen_ai.prompt.') ??
    nested(fields, 'llm.input_messages.') ??
    aiPrompt(fields) ??
    whole(fields, table.INPUT, before as string)
  const outputs =
    structuredOutputs ??
    indexed(fields, 'gen_ai.completion.') ??
    nested(fields, 'llm.output_messages.') ??
    aiResponse(fields) ??
    whole(fields, table.OUTPUT, after as string, type !== 'tool')
  return { messages: [...withInstructions(instructions, inputs), ...outputs], usedEvents }
}

/** `gen_ai.input.messages` and its like, on the span or on its event of details. Null for what there is not. */
interface InConventions {
  readonly instructions: Value | null
  readonly inputs: readonly Message[] | null
  readonly outputs: readonly Message[] | null
  readonly usedEvents: ReadonlySet<SpanEvent>
}

function inConventions(fields: SpanFields, events: readonly SpanEvent[]): InConventions {
  const onSpan = { ...inAttributes(fields), usedEvents: NO_EVENTS }
  const details = events.find(({ name }) => name === table.DETAILS_EVENT)
  if (onSpan.inputs !== null || onSpan.outputs !== null || details === undefined) return onSpan
  const onEvent = inAttributes(new SpanFields(details.attributes))
  if (Object.values(onEvent).every((found) => found === null)) return onSpan
  return { ...onEvent, instructions: onEvent.instructions ?? onSpan.instructions, usedEvents: new Set([details]) }
}

function inAttributes(fields: SpanFields): Omit<InConventions, 'usedEvents'> {
  const [instructions = null, inputs, outputs] = [
    'gen_ai.system_instructions',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
  ].map((name) => parsed(fields.use(name)))
  return {
    instructions,
    inputs: inputs === undefined ? null : toMessages(inputs, 'user'),
    outputs: outputs === undefined ? null : toMessages(outputs, 'assistant'),
  }
}

/** The instructions as the first message, unless the messages begin with them. */
function withInstructions(instructions: Value | null, messages: readonly Message[]): readonly Message[] {
  if (instructions === null) return messages
  const content = toParts(instructions)
  const isFirst = JSON.stringify(messages[0]?.content) === JSON.stringify(content)
  return isFirst && messages[0]?.role !== 'user' ? messages : [{ role: 'system', content }, ...messages]
}

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/
const CHOICE_EVENT = 'gen_ai.choice'
/** Events of the conventions before 1.37, with their prompts as one attribute. */
const CONTENT_EVENTS: Readonly<Record<string, readonly [attribute: string, role: string]>> = {
  'gen_ai.content.prompt': ['gen_ai.prompt', 'user'],
  'gen_ai.content.completion': ['gen_ai.completion', 'assistant'],
}

/** Events such as `gen_ai.user.message` and `gen_ai.choice`. */
function inEvents(events: readonly SpanEvent[]): FoundMessages | null {
  const messages: Message[] = []
  const usedEvents = new Set<SpanEvent>()
  for (const event of events) {
    const ofContent = CONTENT_EVENTS[event.name]
    const role = event.name === CHOICE_EVENT ? 'assistant' : MESSAGE_EVENT.exec(event.name)?.[1]
    if (ofContent !== undefined) messages.push(...toMessages(parsed(event.attributes.get(ofContent[0])), ofContent[1]))
    else if (role !== undefined) messages.push(eventMessage(event, role))
    else continue
    usedEvents.add(event)
  }
  return messages.length === 0 ? null : { messages, usedEvents }
}

function eventMessage({ attributes }: SpanEvent, role: string): Message {
  const fields = Object.fromEntries([...attributes].map(([name, value]) => [name, parsed(value) as Value]))
  const { message, 'gen_ai.system': _system, ...own } = fields
  const inner = isObject(message) ? message : message === undefined ? {} : { content: message }
  return toMessage({ ...own, ...inner }, role)
}

/** `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`, `gen_ai.prompt.0.tool_calls.0.name`. */
function indexed(fields: SpanFields, prefix: string): Message[] | null {
  const list = unflatten(fields, prefix)
  return list === null
    ? null
    : list.map((message) => toMessage(message, prefix.includes('completion') ? 'assistant' : 'user'))
}

/** `llm.input_messages.0.message.role`, `….0.message.contents.0.message_content.text`. */
function nested(fields: SpanFields, prefix: string): Message[] | null {
  const list = unflatten(fields, prefix)
  if (list === null) return null
  const role = prefix.includes('output') ? 'assistant' : 'user'
  return list.map((entry) => {
    const message = isObject(entry) && isObject(entry['message']) ? entry['message'] : entry
    if (!isObject(message)) return toMessage(message, role)
    const { contents, tool_calls: calls, ...own } = message
    const parts = isList(contents) ? contents.map((part) => unwrap(part, 'message_content')) : undefined
    return toMessage(
      {
        ...own,
        ...(parts === undefined ? {} : { content: parts }),
        ...(isList(calls) ? { tool_calls: calls.map((call) => unwrap(call, 'tool_call')) } : {}),
      },
      role,
    )
  })
}

function unwrap(value: Value, name: string): Value {
  return isObject(value) && value[name] !== undefined ? value[name] : value
}

/** `ai.prompt.messages` is a JSON list; `ai.prompt` a JSON object with a system text, a prompt or messages. */
function aiPrompt(fields: SpanFields): Message[] | null {
  const messages = parsed(fields.get('ai.prompt.messages'))
  if (isList(messages)) {
    fields.use('ai.prompt.messages')
    return toMessages(messages, 'user')
  }
  if (!fields.has('ai.prompt')) return null
  const prompt = parsed(fields.use('ai.prompt')) as Value
  if (!isObject(prompt)) return toMessages(prompt, 'user')
  const { system, prompt: text, messages: list } = prompt
  return [
    ...(typeof system === 'string' ? toMessages(system, 'system') : []),
    ...toMessages(parsed(text), 'user'),
    ...toMessages(list, 'user'),
  ]
}

function aiResponse(fields: SpanFields): Message[] | null {
  const text = fields.use('ai.response.text')
  const object = fields.use('ai.response.object')
  const calls = parsed(fields.use('ai.response.toolCalls'))
  if (text === undefined && object === undefined && calls === undefined) return null
  const content: Part[] = []
  for (const value of [text, object]) if (value !== undefined && value !== '') content.push(...toParts(value))
  return [{ role: 'assistant', content, ...(calls === undefined ? {} : { tool_calls: calls }) }]
}

/** A whole input or output as one message, or as its messages when it contains a list of them. */
function whole(fields: SpanFields, names: readonly string[], role: string, isAnswer = false): Message[] {
  const name = names.find((one) => fields.has(one) && fields.get(one) !== '')
  if (name === undefined) return []
  const value = parsed(fields.use(name)) as Value
  if (isMessageList(value)) return toMessages(value, role)
  if (isObject(value) && isMessageList(value['messages'])) {
    const { messages, ...rest } = value
    const listed = toMessages(messages, role)
    return Object.keys(rest).length === 0 ? listed : [...listed, { role, content: [{ type: 'data', data: rest }] }]
  }
  if (isObject(value) && typeof value['role'] === 'string') return [toMessage(value, role)]
  if (isAnswer && isObject(value) && isResultOfModel(value)) return [toAnswer(value, role)]
  return [{ role, content: toParts(value) }]
}

/** Lists that results of models have, mostly empty. */
const RESULT_LISTS = ['toolCalls', 'files', 'reasoning', 'sources', 'warnings']

/** As AI SDK and Mastra have it: `{text, toolCalls, files: []}`. */
function isResultOfModel(value: JsonObject): boolean {
  return typeof value['text'] === 'string' && RESULT_LISTS.some((name) => isList(value[name]))
}

function toAnswer({ text = '', ...more }: JsonObject, role: string): Message {
  const rest = Object.entries(more).filter(([name, value]) => {
    return !(RESULT_LISTS.includes(name) && isList(value) && value.length === 0)
  })
  const { toolCalls, ...others } = Object.fromEntries(rest)
  const content = [
    ...(text === '' ? [] : toParts(text)),
    ...(Object.keys(others).length === 0 ? [] : [{ type: 'data', data: others }]),
  ]
  return { role, content, ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }) }
}

function isMessageList(value: Value | undefined): boolean {
  return isList(value) && value.length > 0 && value.every((one) => isObject(one) && typeof one['role'] === 'string')
}

function toMessages(value: Value | undefined, role: string): Message[] {
  if (value === undefined || value === null || value === '') return []
  if (isList(value)) return value.map((message) => toMessage(message, role))
  return [toMessage(value, role)]
}

/** `parts`, `content` and text become parts; all else of a message stays as it is. */
function toMessage(value: Value, role: string): Message {
  if (!isObject(value)) return { role, content: toParts(value) }
  const { role: own, parts, content, ...rest } = value
  const of = parts ?? content
  return {
    ...rest,
    role: typeof own === 'string' && own !== '' ? own : role,
    ...(of === undefined || of === null ? {} : { content: toParts(parsed(of) as Value) }),
  }
}

function toParts(value: Value): Part[] {
  if (isList(value)) return value.map(toPart)
  return [toPart(value)]
}

/** Text becomes `{type: "text", text}`; every other part stays verbatim. */
function toPart(value: Value): Part {
  if (!isObject(value)) return { type: 'text', text: toText(value) }
  const { type, content, text, ...rest } = value
  if (type === undefined && typeof text === 'string' && Object.keys(rest).length === 0) return { type: 'text', text }
  if (type === 'text' || type === 'input_text' || type === 'output_text') {
    const found = typeof text === 'string' ? text : content
    if (typeof found === 'string') return { ...rest, type: 'text', text: found }
  }
  if (typeof type === 'string' && (text === undefined || typeof text === 'string')) return value as Part
  return { type: 'data', data: value }
}

/** More entries than any sender has, so that an index is no attack. */
const MOST_ENTRIES = 10_000

/** The list that attributes such as `PREFIX0.a.b` spell, or null if there is none. */
function unflatten(fields: SpanFields, prefix: string): Value[] | null {
  if (!fields.hasAny(prefix)) return null
  const tree: Tree = new Map()
  for (const [path, value] of fields.useAll(prefix)) put(tree, path.split('.'), value)
  const list = toTreeValue(tree)
  return isList(list) ? [...list] : [list]
}

type Tree = Map<string, Tree | { readonly value: Value }>

/** Depth is bounded, because the keys are the sender's. */
const PATH_DEPTH = 12

function put(tree: Tree, path: readonly string[], value: Value): void {
  const [head = '', ...deeper] = path.length > PATH_DEPTH ? [path.join('.')] : path
  const found = tree.get(head)
  if (deeper.length === 0) tree.set(head, { value })
  else if (found instanceof Map) put(found, deeper, value)
  else {
    const made: Tree = new Map()
    tree.set(head, made)
    put(made, deeper, value)
  }
}

function toTreeValue(tree: Tree): Value {
  const entries = [...tree].map(([key, inner]): [string, Value] => [
    key,
    inner instanceof Map ? toTreeValue(inner) : inner.value,
  ])
  const isArray = entries.length <= MOST_ENTRIES && entries.every(([key]) => /^\d{1,6}$/.test(key))
  if (!isArray) return Object.fromEntries(entries)
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
}
