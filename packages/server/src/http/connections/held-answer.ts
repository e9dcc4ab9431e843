import type { FastifyReply } from 'fastify'
import type { ByteGate, HeldBytes } from '../../lib/work/byte-gate.ts'
import { ClientGone } from '../bodies/request-body.ts'

/** The most that the page of a list may hold, bytes: see the page sizes in traces/. */
const LARGEST_PAGE_BYTES = 4 * 1024 * 1024

/**
 * Sends the JSON text that `build` makes. It may be as large as a page can be, so it only begins when there is room for that, and what it really takes is
 * held until the client has it, or has gone.
 */
export async function sendHeldJson(
  reply: FastifyReply,
  answers: ByteGate,
  build: () => Promise<string>,
): Promise<FastifyReply> {
  const held = await holdUntilClosed(reply, answers, LARGEST_PAGE_BYTES)
  const text = await build()
  held.keep(text.length)
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Waits until there is room for so many bytes, and holds them until the client has its answer, or has gone. Throws ClientGone when it went away before. */
export async function holdUntilClosed(reply: FastifyReply, answers: ByteGate, bytes: number): Promise<HeldBytes> {
  const held = await answers.acquire(bytes)
  // One that went away while it waited has closed already, and will not close again.
  if (reply.raw.destroyed) {
    held.release()
    throw new ClientGone('the client went away before there was room for its answer')
  }
  reply.raw.once('close', () => held.release())
  return held
}
