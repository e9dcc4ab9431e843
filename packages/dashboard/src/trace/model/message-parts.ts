import { parseExactJson } from '../../lib/exact-json.ts'

/** Message formats are open: these are the known parts, in display order. Unknown parts are JSON. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string; readonly title?: string }
  /** What a model thought before it answered. */
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'media'; readonly uri: string }
  | { readonly kind: 'image-data'; readonly url: string }
  | { readonly kind: 'tool-call'; readonly id: string | null; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'tool-result'
      readonly id: string | null
      readonly failed: boolean
      readonly parts: readonly MessagePart[]
    }
  | { readonly kind: 'json'; readonly title: string; readonly value: unknown }

type Fields = Readonly<Record<string, unknown>>

const MEDIA_URI = /^media:\/\/proj_[0-9a-z]{26}\/[0-9a-f]{64}$/
/** Types of parts, by Anthropic, OpenAI, AI SDK and the conventions of generative AI. */
const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'function', 'function_call', 'tool-call', 'tool_call'])
const RESULTS: ReadonlySet<unknown> = new Set([
  'tool_result',
  'function_call_output',
  'tool-result',
  'tool_call_response',
])
/** Image types that browsers show and that cannot contain scripts. */
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp|avif);base64,[a-z0-9+/=]+$/i

export function isMediaUri(value: unknown): value is string {
  return typeof value === 'string' && MEDIA_URI.test(value)
}

/** All parts of a message except its role. */
export function partsOf(message: Fields): MessagePart[] {
  const { role: _role, content, tool_calls: calls, ...rest } = message
  const parts = [...thoughtsOf(rest), ...contentParts(content).map(toWrittenCall)]
  if (Array.isArray(calls)) for (const call of calls) parts.push(toolCall(call))
  else if (calls !== undefined && calls !== null) Object.assign(rest, { tool_calls: calls })
  const others = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  if (others.length > 0) parts.push({ kind: 'json', title: 'Other fields', value: Object.fromEntries(others) })
  return parts
}

function contentParts(content: unknown): MessagePart[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) return [{ kind: 'json', title: 'Content', value: content }]
  return content.map(contentPart)
}

function contentPart(part: unknown): MessagePart {
  if (typeof part === 'string') return { kind: 'text', text: part }
  if (!isFields(part)) return { kind: 'json', title: 'Content', value: part }
  const { type } = part
  if (typeof part['text'] === 'string' && (type === 'text' || type === 'input_text' || type === 'output_text')) {
    const { type: _type, text: _text, ...more } = part
    if (Object.keys(more).length === 0) return { kind: 'text', text: part['text'] }
    return { kind: 'text', text: part['text'], title: JSON.stringify(more).slice(0, 500) }
  }
  if (type === 'thinking' && typeof part['thinking'] === 'string') return { kind: 'thinking', text: part['thinking'] }
  if (type === 'reasoning') {
    const text = textIn(part, ['text', 'content']) ?? summaryOf(part)
    if (text !== '') return { kind: 'thinking', text }
  }
  if (CALLS.has(type)) return toolCall(part)
  if (RESULTS.has(type)) return toolResult(part)
  if (type === 'data' && 'data' in part && Object.keys(part).length === 2)
    return { kind: 'json', title: 'Data', value: part['data'] }
  const source = sourceOf(part)
  if (source !== null) return source
  return { kind: 'json', title: typeof type === 'string' ? type : 'Content', value: part }
}

/** Takes the thinking out of the fields beside the content, where some models send it. */
function thoughtsOf(fields: Record<string, unknown>): MessagePart[] {
  return ['reasoning_content', 'reasoning'].flatMap((name): MessagePart[] => {
    const text = fields[name]
    if (typeof text !== 'string') return []
    delete fields[name]
    return text === '' ? [] : [{ kind: 'thinking', text }]
  })
}

/** The summary of hidden reasoning in OpenAI's form. */
function summaryOf({ summary }: Fields): string {
  if (!Array.isArray(summary)) return ''
  return summary
    .flatMap((part) => (isFields(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n\n')
}

/** Some agents write a call as text: `{"tool_call": "search", "arguments": "{…}"}`. */
function toWrittenCall(part: MessagePart): MessagePart {
  if (part.kind !== 'text' || !part.text.includes('"tool_call"')) return part
  const { tool_call: name, arguments: input, ...more } = (parseStructured(part.text) ?? {}) as Fields
  if (typeof name !== 'string' || name === '' || input === undefined || Object.keys(more).length > 0) return part
  return {
    kind: 'tool-call',
    id: null,
    name,
    input: typeof input === 'string' ? (parseStructured(input) ?? input) : input,
  }
}

/** A call in a form of CALLS, or in OpenAI's. Its input may be text that is JSON. */
function toolCall(call: unknown): MessagePart {
  if (!isFields(call)) return { kind: 'json', title: 'Tool call', value: call }
  const called = isFields(call['function']) ? call['function'] : call
  const name = textIn(called, ['name', 'toolName'])
  if (name === null && called === call) return { kind: 'json', title: 'Tool call', value: call }
  const input = valueIn(called, ['arguments', 'input', 'args'])
  const parsed = typeof input === 'string' ? parseStructured(input) : undefined
  const id = textIn(call, ['call_id', 'id', 'toolCallId'])
  return { kind: 'tool-call', id, name: name === null || name === '' ? 'unnamed tool' : name, input: parsed ?? input }
}

function toolResult(result: Fields): MessagePart {
  const id = textIn(result, ['tool_use_id', 'call_id', 'toolCallId', 'id'])
  const value = valueIn(result, ['content', 'response', 'result', 'output'])
  // AI SDK says what kind of value it is: `{"type": "error-text", "value": "no"}`.
  const { type, value: inner } = isFields(value) ? value : {}
  const isTyped = typeof type === 'string' && inner !== undefined
  const failed = result['is_error'] === true || result['isError'] === true || (isTyped && type.startsWith('error'))
  return { kind: 'tool-result', id, failed, parts: contentParts(isTyped ? inner : value) }
}

/** The location of the bytes in the common forms of image, audio and file parts. */
function sourceOf(part: Fields): MessagePart | null {
  const places = [part, ...Object.values(part).filter(isFields)]
  for (const place of places) {
    for (const value of Object.values(place)) {
      if (isMediaUri(value)) return { kind: 'media', uri: value }
      if (typeof value === 'string' && value.startsWith('data:') && IMAGE_DATA.test(value)) {
        return { kind: 'image-data', url: value }
      }
    }
    const type = textIn(place, ['media_type', 'mime_type', 'mediaType', 'mimeType'])
    const data = textIn(place, ['data', 'content'])
    if (type !== null && data !== null) {
      const url = `data:${type};base64,${data}`
      if (IMAGE_DATA.test(url)) return { kind: 'image-data', url }
    }
  }
  return null
}

/** The object or array that a text encodes; undefined for other text. */
export function parseStructured(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseExactJson(text) as object
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function valueIn(fields: Fields, names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined)
}

function textIn(fields: Fields, names: readonly string[]): string | null {
  const value = valueIn(fields, names)
  return typeof value === 'string' ? value : null
}
