import { toPart } from './forms/part-forms.ts'
import { type Fields, firstText, hasNone, isFields, others, parseJson } from './json.ts'

/** Message formats are open: these are the known parts, in display order. Unknown parts are JSON. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string; readonly title?: string }
  /** A model's thinking before its answer. */
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'media'; readonly uri: string }
  | { readonly kind: 'image-data'; readonly url: string }
  /** An image or a file at another address, which is not loaded. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  /** A result of a search. */
  | {
      readonly kind: 'document'
      readonly id: string | null
      readonly text: string
      readonly score: number | null
      readonly metadata: Fields
    }
  | { readonly kind: 'tool-call'; readonly id: string | null; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'tool-result'
      readonly id: string | null
      /** The tool's; null if the result does not say it. */
      readonly name: string | null
      readonly failed: boolean
      readonly parts: readonly MessagePart[]
    }
  | { readonly kind: 'json'; readonly title: string; readonly value: unknown }
  /** Other members of a message or a call. */
  | { readonly kind: 'others'; readonly value: Fields }

const MEDIA_URI = /^media:\/\/proj_[0-9a-z]{26}\/[0-9a-f]{64}$/
/** Types of parts, by Anthropic, OpenAI, the conventions of generative AI and AI SDK. */
const CALL = /^(?:[a-z]+_)*tool_use$|^(?:function|tool|custom_tool|server_tool|invalid_tool)_call$|^tool-call$/
const RESULT =
  /^(?:[a-z_]+_)?tool_result$|^(?:function|custom_tool)_call_output$|^(?:server_)?tool_call_response$|^tool-result$/
/** Kinds of values that AI SDK wraps: `{"type": "error-text", "value": "no"}`. */
const WRAPPED: ReadonlySet<unknown> = new Set(['text', 'json', 'content', 'error-text', 'error-json'])
/** Image types that browsers show and that cannot contain scripts. */
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp|avif);base64,[a-z0-9+/=]+$/i

export function isMediaUri(value: unknown): value is string {
  return typeof value === 'string' && MEDIA_URI.test(value)
}

/** The value that a text encodes; undefined unless it is an object or an array. */
export type ParseText = (text: string) => object | undefined

function parseText(text: string): object | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? value : undefined
}

/** All parts of a message except its role. `parse` reads arguments that are a text of JSON. */
export function partsOf(message: Fields, parse: ParseText = parseText): MessagePart[] {
  const { role: _role, content, tool_calls: calls, ...rest } = message
  const parts = [...thoughtsOf(rest), ...contentParts(content, parse).map((part) => toWrittenCall(part, parse))]
  if (Array.isArray(calls)) for (const call of calls) parts.push(...toolCall(call, parse))
  else if (calls !== undefined && calls !== null) Object.assign(rest, { tool_calls: calls })
  return [...parts, ...othersOf(rest)]
}

function othersOf(fields: Fields): MessagePart[] {
  const value = Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== null && one !== undefined))
  return Object.keys(value).length === 0 ? [] : [{ kind: 'others', value }]
}

function contentParts(content: unknown, parse: ParseText): MessagePart[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) return [{ kind: 'json', title: 'Content', value: content }]
  return content.flatMap((part): MessagePart[] => {
    if (typeof part === 'string') return [{ kind: 'text', text: part }]
    if (!isFields(part)) return [{ kind: 'json', title: 'Content', value: part }]
    return toPart(part).flatMap((one) => contentPart(one, parse))
  })
}

function contentPart(part: Fields, parse: ParseText): MessagePart[] {
  const { type } = part
  if (type === 'text' && typeof part['text'] === 'string') {
    const more = others(part, 'type', 'text')
    if (hasNone(more)) return [{ kind: 'text', text: part['text'] }]
    return [{ kind: 'text', text: part['text'], title: JSON.stringify(more).slice(0, 500) }]
  }
  if (type === 'thinking' && typeof part['thinking'] === 'string') return [{ kind: 'thinking', text: part['thinking'] }]
  if (type === 'reasoning') {
    const texts = [part['text'], part['content'], summaryOf(part)].filter((text) => typeof text === 'string')
    const text = texts.filter((each) => each !== '').join('\n\n')
    if (text !== '') return [{ kind: 'thinking', text }]
  }
  if (type === 'document' && typeof part['text'] === 'string') return [toDocument(part, part['text'])]
  if (CALL.test(String(type)) || (type === 'function' && isFields(part['function']))) return toolCall(part, parse)
  if (RESULT.test(String(type))) return [toolResult(part, parse)]
  const source = sourceOf(part)
  if (type === 'data' && 'data' in part && Object.keys(part).length === 2)
    return [...(source === null ? [] : [source]), { kind: 'json', title: 'Data', value: part['data'] }]
  const found = source ?? linkIn(part)
  if (found !== null) return [found]
  return [{ kind: 'json', title: typeof type === 'string' ? type : 'Content', value: part }]
}

function toDocument(part: Fields, text: string): MessagePart {
  const { score, metadata } = part
  return {
    kind: 'document',
    id: firstText(part, 'id'),
    text,
    score: typeof score === 'number' ? score : null,
    metadata: isFields(metadata) ? metadata : {},
  }
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

function toWrittenCall(part: MessagePart, parse: ParseText): MessagePart {
  const written = part.kind === 'text' ? writtenCall(part.text, parse) : null
  if (written === null) return part
  const { input } = written
  return {
    kind: 'tool-call',
    id: null,
    name: written.name,
    input: typeof input === 'string' ? (parse(input) ?? input) : input,
  }
}

/** Some agents write a call as text: `{"tool_call": "search", "arguments": "{…}"}`. Null for other texts. */
export function writtenCall(text: string, parse: ParseText = parseText): { name: string; input: unknown } | null {
  if (!text.includes('"tool_call"')) return null
  const { tool_call: name, arguments: input, ...more } = (parse(text) ?? {}) as Fields
  if (typeof name !== 'string' || name === '' || input === undefined || Object.keys(more).length > 0) return null
  return { name, input }
}

/** A call in a form of CALLS or in OpenAI's, with its other members. Its input may be text that is JSON. */
function toolCall(call: unknown, parse: ParseText): MessagePart[] {
  const plain: MessagePart = { kind: 'json', title: 'Tool call', value: call }
  if (!isFields(call)) return [plain]
  const { function: called, ...own } = call
  const left = { ...(isFields(called) ? { ...own, ...called } : call) }
  const name = takeText(left, ['name', 'toolName'])
  if (name === null && !isFields(called)) return [plain]
  const input = take(left, ['arguments', 'input', 'args', 'parameters'])
  const id = takeText(left, ['call_id', 'toolCallId', 'id'])
  const parsed = typeof input === 'string' ? parse(input) : undefined
  forgetForm(left)
  const part = { kind: 'tool-call', id, name: name ?? 'unnamed tool', input: parsed ?? input } as const
  return [part, ...othersOf(left)]
}

function toolResult(result: Fields, parse: ParseText): MessagePart {
  const left = { ...result }
  const id = takeText(left, ['tool_use_id', 'call_id', 'toolCallId', 'id'])
  const name = takeText(left, ['name', 'toolName'])
  const { type, value } = result['type'] === 'tool-result' && isFields(result['output']) ? result['output'] : {}
  const isError = type === 'error-text' || type === 'error-json' || type === 'execution-denied'
  const flags = [take(left, ['is_error']), take(left, ['isError']), isError]
  const failed = flags.includes(true) || (left['error'] !== undefined && left['error'] !== null)
  const content = take(left, WRAPPED.has(type) ? ['output'] : ['content', 'response', 'result', 'output'])
  forgetForm(left)
  return {
    kind: 'tool-result',
    id,
    name,
    failed,
    parts: [...contentParts(WRAPPED.has(type) ? value : content, parse), ...othersOf(left)],
  }
}

/** Removes and returns the first of these fields that has a value. */
function take(fields: Record<string, unknown>, names: readonly string[]): unknown {
  const name = names.find((each) => fields[each] !== undefined && fields[each] !== null)
  if (name === undefined) return undefined
  const value = fields[name]
  delete fields[name]
  return value
}

/** The same for a text; the names are of one thing, so all of them are removed. */
function takeText(fields: Record<string, unknown>, names: readonly string[]): string | null {
  const value = take(fields, names)
  for (const name of names) delete fields[name]
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : null
}

/** Removes what says nothing about the call itself. */
function forgetForm(fields: Record<string, unknown>): void {
  for (const name of ['type', 'index', 'cache_control']) delete fields[name]
  if (fields['status'] === 'completed') delete fields['status']
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
    const type = place['media_type'] ?? place['mime_type'] ?? place['mediaType'] ?? place['mimeType']
    const data = place['data'] ?? (place === part && part['type'] === 'blob' ? part['content'] : undefined)
    if (typeof type === 'string' && typeof data === 'string') {
      const url = `data:${type};base64,${data}`
      if (IMAGE_DATA.test(url)) return { kind: 'image-data', url }
    }
  }
  return null
}

/** Members that have an address, in the parts of OpenAI, Anthropic, Mistral, AI SDK and the conventions. */
const ADDRESSES = ['url', 'uri', 'image_url', 'document_url', 'file_url', 'image', 'source'] as const

/** An image, a file or a source by its address. */
function linkIn(part: Fields): MessagePart | null {
  for (const name of ADDRESSES) {
    const value = part[name]
    const url = isFields(value) ? value['url'] : value
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) continue
    return { kind: 'link', label: firstText(part, 'title', 'filename', 'modality', 'type') ?? name, url }
  }
  return null
}
