import type { Call } from '../lib/client.ts'
import { sha256 } from '../lib/media/media.ts'
import type { Random } from '../lib/random.ts'
import { hostileText } from './hostile.ts'

export interface OddForm {
  readonly call: Call
  /** The bytes of the file, if the form must be accepted; null if it may be accepted or refused. */
  readonly sha256: string | null
}

const BOUNDARY = 'fuzz-boundary'

/** A form with a file: parts in any order, with hostile names, some cut, duplicate, unknown or malformed. */
export function oddForm(random: Random, traceId: string): OddForm {
  const content = oddContent(random)
  const filename = hostileText(random).replaceAll(/["\r\n\0]/g, '_')
  const type = random.pick(['image/png', 'text/html', 'TEXT/PLAIN', 'application/octet-stream', hostileLine(random)])
  const parts = [
    field('trace_id', traceId),
    field('kind', random.pick(['image', 'audio', 'video', 'sensor', 'file'])),
    filePart(filename, type, content),
  ]
  const damage = random.below(10)
  if (damage === 0) parts.pop()
  if (damage === 1) parts.push(field(hostileLine(random), hostileLine(random)))
  if (damage === 2) parts.push(random.pick(parts))
  if (damage === 3) parts.push(Buffer.from(`--${BOUNDARY}\r\n${hostileText(random)}\r\n\r\n${hostileText(random)}\r\n`))
  if (damage === 4) parts.push(...Array.from({ length: 100 }, (_, number) => field(`f${number}`, 'x')))
  if (damage === 5) parts[0] = field('trace_id', hostileText(random))
  const whole = Buffer.concat([...shuffled(random, parts), Buffer.from(`--${BOUNDARY}--\r\n`)])
  const body = damage === 6 ? whole.subarray(0, random.below(whole.length)) : whole
  const contentType =
    damage === 7 ? `multipart/form-data; boundary=${hostileLine(random)}` : `multipart/form-data; boundary=${BOUNDARY}`
  const call = { method: 'POST', path: '/v1/media/upload', headers: { 'content-type': contentType }, body }
  return { call, sha256: damage > 7 ? sha256(content) : null }
}

function oddContent(random: Random): Buffer {
  const magic = random.pick(['', '89504e470d0a1a0a', 'ffd8ffe0', '25504446', '504b0304', '52494646', '3c73766720'])
  const rest = Array.from({ length: random.below(2000) }, () => random.below(256))
  return Buffer.concat([Buffer.from(magic, 'hex'), Buffer.from(rest)])
}

function field(name: string, value: string): Buffer {
  return Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
}

function filePart(filename: string, type: string, content: Buffer): Buffer {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${filename}"`
  const head = `--${BOUNDARY}\r\n${disposition}\r\nContent-Type: ${type}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}

function hostileLine(random: Random): string {
  return hostileText(random)
    .replaceAll(/[^ -~]|"/g, '_')
    .slice(0, 60)
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const held = result[at] as T
    result[at] = result[other] as T
    result[other] = held
  }
  return result
}
