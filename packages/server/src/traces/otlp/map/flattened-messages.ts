import { documentsIn } from '@spoor/payloads/forms/documents'
import { type Message, toMessages } from '@spoor/payloads/forms/message-forms'
import type { Part } from '@spoor/payloads/forms/part'
import { toParts } from '@spoor/payloads/forms/part-forms'
import { readPayload } from '@spoor/payloads/read-payload'
import type { Value } from '../wire/span.ts'
import * as table from './mapping-table.ts'
import { isList, isObject, parsed, type SpanFields } from './span-fields.ts'

/* Messages, documents and texts that are spelled out in the names of attributes. */

/** `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`, `gen_ai.prompt.0.tool_calls.0.name`. */
export function indexed(fields: SpanFields, prefix: string): readonly Message[] | null {
  const list = unflatten(fields, prefix)
  return list === null ? null : toMessages(list, prefix.includes('completion') ? 'assistant' : 'user')
}

/** `llm.input_messages.0.message.role`, `….0.message.contents.0.message_content.text`. */
function nested(fields: SpanFields, prefix: string): readonly Message[] | null {
  const list = unflatten(fields, prefix)
  if (list === null) return null
  const role = prefix.includes('output') ? 'assistant' : 'user'
  return list.flatMap((entry) => {
    const message = unwrap(entry, 'message')
    if (!isObject(message)) return toMessages(message, role)
    const { contents, tool_calls: calls, ...own } = message
    const unwrapped = isList(contents) ? contents.map((part) => unwrap(part, 'message_content')) : undefined
    // A call is a part of some senders, without anything but its type: it is among the calls.
    const parts = unwrapped?.filter((part) => !isBareCall(part))
    return toMessages(
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

function isBareCall(part: Value): boolean {
  if (!isObject(part) || part['name'] !== undefined || part['id'] !== undefined) return false
  return part['type'] === 'tool_use' || part['type'] === 'tool-call'
}

/** A part with a type and no content: the sender dropped the picture or the file. */
function isHollow(part: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(part).every(([name, value]) =>
    typeof value === 'object' && value !== null ? isHollow({ ...value }) : /^(?:media_)?type$/.test(name),
  )
}

/** Where requests have a system prompt beside their messages. */
const SYSTEM_PROMPT = /"(?:system|systemInstruction|system_instruction|instructions)"\s*:/

/**
 * The flattened messages of OpenInference. Some senders lose results, pictures or the system prompt there and have the
 * request beside them: then it is read.
 */
export function flattenedRequest(fields: SpanFields): readonly Message[] | null {
  const messages = nested(fields, 'llm.input_messages.')
  // Copies of the messages of AI SDK, with less in them.
  if (messages === null || fields.has('ai.prompt.messages')) return null
  const roles = fields.below('llm.input_messages.').filter(([name]) => name.endsWith('.message.role'))
  // The reasoning of OpenAI's models has no role.
  const isWhole =
    roles.length >= messages.length &&
    messages.every(
      ({ content = [], tool_calls: calls }) => (content.length > 0 || calls !== undefined) && !content.some(isHollow),
    )
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const hasSystem = system.length > 0
  for (const name of ['input.value', 'llm.invocation_parameters']) {
    const request = fields.text(name) ?? ''
    if (isWhole && (hasSystem || !SYSTEM_PROMPT.test(request))) continue
    const { messages: read } = readPayload(request, 'input', 'model')
    if (read.length === 0) continue
    const sent = read.some(({ role }) => system.some((one) => one.role === role)) ? read : [...system, ...read]
    if (sent.length >= messages.length && sent[0]?.role !== 'assistant' && (sent.length > 1 || !isWhole)) return sent
    if (sent.length === 1 && sent[0]?.role === 'system' && !hasSystem) return [...sent, ...messages]
  }
  return messages
}

/** The answer of OpenInference, which has no reasoning of OpenAI's models: then what the model returned is read. */
export function flattenedAnswer(fields: SpanFields): readonly Message[] | null {
  const messages = nested(fields, 'llm.output_messages.')
  const returned = fields.text(table.RAW_OUTPUT) ?? ''
  if (messages === null || !/"type":\s*"reasoning"/.test(returned)) return messages
  const { messages: sent } = readPayload(returned, 'output', 'model')
  return sent.length >= messages.length ? sent : messages
}

/** The texts that were embedded: of AI SDK, each as JSON, and of OpenInference. */
export function embeddedTexts(fields: SpanFields): readonly Message[] | null {
  const values = fields.use('ai.values') ?? fields.use('ai.value')
  const ofAiSdk = isList(values) ? values : values === undefined ? [] : [values]
  const names = fields.below('embedding.embeddings.').filter(([name]) => name.endsWith('.embedding.text'))
  const texts = [
    ...ofAiSdk.map((value) => parsed(value) as Value),
    ...names.map(([name]) => fields.use(`embedding.embeddings.${name}`) as Value),
  ]
  return texts.length === 0 ? null : [{ role: 'user', content: toParts(texts) }]
}

const VECTORS = ['ai.embeddings', 'ai.embedding'] as const

/** Keeps how many vectors an embedding made and how long they are, as `3 × 1,536`, in place of their numbers. */
export function keepSizesOfVectors(fields: SpanFields): void {
  for (const name of VECTORS) {
    const value = parsed(fields.get(name))
    const list = isList(value) && typeof value[0] !== 'number' ? value : [value]
    const sizes = sizesOf(list)
    if (sizes === null) continue
    fields.use(name)
    fields.keep(name, sizes)
  }
  const names = fields.below('embedding.embeddings.').filter(([name]) => name.endsWith('.embedding.vector'))
  const sizes = sizesOf(names.map(([, value]) => value))
  if (sizes === null) return
  for (const [name] of names) fields.use(`embedding.embeddings.${name}`)
  fields.keep('embedding.embeddings', sizes)
}

/** Null unless all are vectors, and there is one. */
function sizesOf(vectors: readonly (Value | undefined)[]): string | null {
  const counts = new Map<number, number>()
  for (const one of vectors) {
    const vector = parsed(one)
    if (!isList(vector) || !vector.every((part) => typeof part === 'number')) return null
    counts.set(vector.length, (counts.get(vector.length) ?? 0) + 1)
  }
  const sizes = [...counts].map(([length, count]) => `${count} × ${length.toLocaleString('en')}`)
  return sizes.length === 0 ? null : sizes.join(', ')
}

/** `retrieval.documents.0.document.content`: what a search found is the result of its step. */
export function flatDocuments(fields: SpanFields, prefix: string, role: string): readonly Message[] | null {
  if (!fields.hasAny(prefix)) return null
  const list = unflatten(fields, prefix) ?? []
  const documents = documentsIn(
    list.map((entry) => {
      const document = unwrap(entry, 'document')
      return isObject(document) ? { ...document, metadata: parsed(document['metadata']) ?? null } : document
    }),
    true,
  )
  const content: readonly Part[] = documents ?? list.map((data) => ({ type: 'data', data }))
  return [{ role, content }]
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
