import { type Fields, firstText, isFields, isList, others } from '../json.ts'
import type { Part } from './part.ts'

/** Members whose value is an image, audio, a video or a file, and the kind that it is. */
const MEMBERS: readonly (readonly [member: string, kind: string])[] = [
  ['inlineData', 'file'],
  ['inline_data', 'file'],
  ['fileData', 'file'],
  ['file_data', 'file'],
  ['media', 'file'],
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
  ['document', 'file'],
  ['file', 'file'],
]

/** Types of such parts. Parts with bytes in the form of Anthropic, of OpenAI or of the conventions stay as they are. */
const TYPES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ image: 'image', file: 'file', audio: 'audio', video: 'video', media: 'file', document: 'file' }),
)

/**
 * An image, audio, a video or a file as `{type, mime_type, data}` or `{type, url}`. Null: it is no media, or in a form
 * that is stored as sent.
 */
export function foreignMedia(part: Fields): readonly Part[] | null {
  for (const [member, kind] of MEMBERS) {
    const found = mediaIn(part, part[member], TYPES.get(part['type']) ?? kind)
    if (found !== null) return [found]
  }
  const { data } = part
  const own = part['type'] === 'Buffer' ? bytesOf(part) : null
  if (own !== null) return [toMedia({}, {}, 'file', own)]
  const bytes = bytesOf(data)
  // AI SDK writes buffers as lists of numbers, and addresses as data.
  if (bytes !== data && bytes !== null) return [toMedia(part, part, TYPES.get(part['type']) ?? 'file', bytes)]
  const isUrl = typeof data === 'string' && /^https?:/.test(data)
  return isUrl && TYPES.has(part['type']) ? [toMedia(part, part, String(part['type']), data)] : null
}

function mediaIn(part: Fields, value: unknown, kind: string): Part | null {
  if (value === undefined || value === null) return null
  const bytes = bytesOf(value)
  if (bytes !== null) return bytes !== value || isLong(bytes) ? toMedia(part, part, kind, bytes) : null
  if (!isFields(value)) return null
  const { source } = value
  const inner = isFields(value['image']) ? value['image'] : isFields(source) ? source : value
  const found = bytesOf(inner['data'] ?? inner['bytes'] ?? inner['file_data'])
  const url = firstText(inner, 'url', 'fileUri', 'file_uri', 'uri')
  if (found === null && url === null) return null
  return toMedia({ ...part, ...value }, inner, kind, found ?? url!)
}

function toMedia(part: Fields, inner: Fields, kind: string, where: string): Part {
  const format = firstText(part, 'format')
  const named = firstText(inner, ...MIMES) ?? firstText(part, ...MIMES) ?? (format === null ? '' : `${kind}/${format}`)
  // AI SDK writes `image/*` where it does not know.
  const mime = named === '' || named.endsWith('/*') ? (mimeOfBytes(where) ?? named) : named
  const own = /^(image|audio|video)\//.exec(mime)?.[1] ?? kind
  const name = firstText(part, 'filename', 'name', 'title', 'displayName')
  const isUrl = /^(https?|gs|s3|data|media|file):/.test(where)
  return {
    type: own,
    ...(mime === '' ? {} : { mime_type: mime }),
    ...(name === null ? {} : { filename: name }),
    ...(isUrl ? { url: where } : { data: where }),
  }
}

const MIMES = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'image_mimetype', 'document_mimetype']

/** Base64 or an address. Serializers write a buffer as `{type: "Buffer", data: [137, 80]}` or `{"0": 137}`. */
function bytesOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (!isFields(value)) return null
  const { data } = value
  if (value['type'] === 'Buffer' && isList(data) && areBytes(data)) return toBase64(data)
  const numbers = Object.values(others(value))
  return numbers.length > 8 && '0' in value && areBytes(numbers) ? toBase64(numbers) : null
}

/** How files begin. */
const SIGNATURES: readonly (readonly [beginning: RegExp, mime: string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^%PDF-/, 'application/pdf'],
]

/** The type of base64 by its first bytes; null if unknown, as for an address. */
function mimeOfBytes(base64: string): string | null {
  const head = base64.slice(0, 16)
  if (!/^[A-Za-z0-9+/]{16}$/.test(head)) return null
  const bytes = atob(head)
  return SIGNATURES.find(([beginning]) => beginning.test(bytes))?.[1] ?? null
}

function areBytes(list: readonly unknown[]): list is readonly number[] {
  const isByte = (one: unknown) => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= 255
  return list.length > 0 && list.every(isByte)
}

function toBase64(bytes: readonly number[]): string {
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))
}

/** `{"image": "cat"}` is no image. */
function isLong(text: string): boolean {
  return /^(https?|gs|s3|data|media):/.test(text) || (text.length >= 64 && /^[\w+/=-]+$/.test(text))
}
