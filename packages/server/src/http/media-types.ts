import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '../lib/domain-error.ts'

/** Which of these types the body is of. Throws `unsupported_media_type` unless it is of one of them, in UTF-8 and not compressed. */
export function requireMediaType<T extends string>(headers: IncomingHttpHeaders, ...mediaTypes: readonly T[]): T {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new DomainError(
      'unsupported_media_type',
      `Send the body as it is: Content-Encoding ${quoted(encoding)} is not taken.`,
    )
  }
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

/** Whether the client names `mediaType` itself in its Accept header. */
export function prefers(accept: string | undefined, mediaType: string): boolean {
  return ranges(accept).includes(mediaType)
}

/** Whether the client takes `mediaType`, by name, by a range or by saying nothing. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const [type = ''] = mediaType.split('/')
  return ranges(accept).some((range) => range === mediaType || range === `${type}/*` || range === '*/*')
}

/** The media ranges of an Accept header that are not refused by `q=0`. */
function ranges(accept: string | undefined): string[] {
  const taken: string[] = []
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';')
    if (!parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))) taken.push(range.trim())
  }
  return taken
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
