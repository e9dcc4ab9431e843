import { DomainError } from '../../../lib/domain-error.ts'

interface FormPart {
  readonly name: string
  readonly type: string | null
  readonly content: Uint8Array
}

const LINE = Buffer.from('\r\n')
const BLANK = Buffer.from('\r\n\r\n')
const DASH = 0x2d
const NAME = /^content-disposition:.*?[ ;]name="([^"]*)"/im
const TYPE = /^content-type:\s*([^;\r\n]+)/im
/** Bytes of a boundary and its dashes. */
const LONGEST_BOUNDARY = 72
const MOST_PARTS = 200_000

/** The parts of a whole multipart body, in order. Its first line is the boundary. Throws DomainError. */
export function* readForm(body: Uint8Array): Generator<FormPart, void> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.indexOf('--')
  const end = bytes.indexOf(LINE, start)
  if (start === -1 || end === -1 || end - start > LONGEST_BOUNDARY) throw malformed('its boundary is missing')
  const boundary = bytes.subarray(start, end)
  const next = Buffer.concat([LINE, boundary])
  let at = end + LINE.length
  for (let count = 0; ; count += 1) {
    if (count === MOST_PARTS) throw malformed(`it has more than ${MOST_PARTS} parts`)
    const head = bytes.indexOf(BLANK, at)
    const stop = head === -1 ? -1 : bytes.indexOf(next, head + BLANK.length)
    if (stop === -1) throw malformed('it is incomplete')
    const headers = bytes.toString('utf8', at, head)
    const name = NAME.exec(headers)?.[1]
    if (name === undefined) throw malformed('a part has no name')
    // Clients write the length of a part beside its type.
    const type = TYPE.exec(headers)?.[1]?.trim() ?? null
    yield { name, type, content: bytes.subarray(head + BLANK.length, stop) }
    at = stop + next.length
    if (bytes[at] === DASH && bytes[at + 1] === DASH) return
    at += LINE.length
  }
}

function malformed(why: string): DomainError {
  return new DomainError('malformed_multipart', `The form could not be read: ${why}.`)
}
