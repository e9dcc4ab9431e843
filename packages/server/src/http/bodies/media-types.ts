import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '../../lib/domain-error.ts'

/** The content type of the body. Throws `unsupported_media_type` unless it is one of `mediaTypes`, in UTF-8. */
export function requireMediaType<T extends string>(headers: IncomingHttpHeaders, ...mediaTypes: readonly T[]): T {
  const [sent = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const mediaType = mediaTypes.find((type) => type === sent.trim())
  if (mediaType === undefined) {
    const what = sent.trim() === '' ? 'none' : quoted(sent.trim())
    throw new DomainError(
      'unsupported_media_type',
      `The Content-Type must be ${mediaTypes.join(' or ')}; it is ${what}.`,
    )
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim() === 'charset' && !/^"?utf-?8"?$/.test(value.trim())) {
      throw new DomainError('unsupported_media_type', `The charset must be utf-8; it is ${quoted(value.trim())}.`)
    }
  }
  return mediaType
}

/** Whether the Accept header names `mediaType` itself. */
export function prefers(accept: string | undefined, mediaType: string): boolean {
  return readRanges(accept ?? '').get(mediaType) === true
}

/**
 * Whether the client accepts `mediaType`: by name, by a range or without a header. The most specific range decides (RFC
 * 9110, section 12.5.1).
 */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const [type = ''] = mediaType.split('/')
  const ranges = readRanges(accept)
  return ranges.get(mediaType) ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? false
}

/**
 * Refuses an Accept header that excludes all of `mediaTypes` with `not_acceptable`. Empty: the answer may have any
 * type.
 */
export function refuseUnacceptable(mediaTypes: readonly string[]): (accept: string | undefined) => void {
  return (accept) => {
    if (mediaTypes.length === 0 || mediaTypes.some((mediaType) => accepts(accept, mediaType))) return
    const answers = mediaTypes.join(' or ')
    throw new DomainError('not_acceptable', `The answer is ${answers}, which the Accept header excludes.`)
  }
}

/** The media ranges of an Accept header, each with whether it is accepted: `q=0` refuses it. */
function readRanges(accept: string): ReadonlyMap<string, boolean> {
  const ranges = new Map<string, boolean>()
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';')
    const refused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))
    ranges.set(range.trim(), !refused || ranges.get(range.trim()) === true)
  }
  return ranges
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
