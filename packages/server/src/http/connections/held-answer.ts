import type { FastifyReply } from 'fastify'
import type { ByteGate, HeldBytes } from '../../lib/flow/byte-gate.ts'
import { ClientGone } from '../bodies/request-body.ts'

/** The largest page of a list, bytes: see the page sizes in traces/. */
const LARGEST_PAGE_BYTES = 4 * 1024 * 1024

/**
 * Sends the JSON text that `build` returns. It first waits until the largest page fits into memory; the actual size
 * stays charged until the client has taken the answer or disconnected.
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

/**
 * Waits until this many bytes are free, and charges them until the client has its answer or disconnects. Throws
 * ClientGone if it disconnects before.
 */
export async function holdUntilClosed(reply: FastifyReply, answers: ByteGate, bytes: number): Promise<HeldBytes> {
  const held = await answers.acquire(bytes)
  // The response of a client that disconnected while waiting has already emitted 'close'.
  if (reply.raw.destroyed) {
    held.release()
    throw new ClientGone('the client disconnected before there was memory for its answer')
  }
  reply.raw.once('close', () => held.release())
  return held
}
