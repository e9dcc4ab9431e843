import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { endWhenSlow } from '../connections/slow-readers.ts'

/** Answers up to this size are written at once: the system buffers them however slow the reader is. */
const PIECE_BYTES = 64 * 1024

/** Writes long answers in pieces as their reader takes them, and ends them if it is too slow (slow-readers.ts). */
export function sendInPieces(app: FastifyInstance, { timers, instruments }: HttpDependencies): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (request.method === 'HEAD') return payload
    const long = longAnswer(payload)
    if (long === null) return payload
    endWhenSlow(reply.raw, timers, instruments.requests.slowReaderEnded)
    if (long instanceof Readable) return long
    reply.header('content-length', long.length)
    return Readable.from(pieces(long), { objectMode: false })
  })
}

function longAnswer(payload: unknown): Buffer | Readable | null {
  if (payload instanceof Readable) return payload
  if (typeof payload === 'string' && payload.length > PIECE_BYTES) return Buffer.from(payload)
  return Buffer.isBuffer(payload) && payload.length > PIECE_BYTES ? payload : null
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
