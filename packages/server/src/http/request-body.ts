import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import { markPassing } from '../lib/passing-bytes.ts'
import type { Timers } from '../lib/timers.ts'

/** The client went away before its body was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyRules {
  readonly timers: Timers
  /** A body of which no byte arrives for this long, while it is waited for, has ended. */
  readonly stallMs: number
  /** Bounds what the bodies of all requests hold together. */
  readonly budget: ByteBudget
}

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>()

/** So that a client that asks first learns of a refusal before it sends the body. To be registered for `checkContinue`. */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response)
}

/** The body as it arrives. Throws `request_timeout` when it stalls and ClientGone when the client went away. */
export async function* bodyChunks(source: Readable, rules: BodyRules): AsyncGenerator<Buffer, void, undefined> {
  letContinue(source)
  for (;;) {
    const chunk = source.read() as Buffer | null
    if (chunk !== null) {
      markPassing(chunk)
      yield chunk
    } else {
      if (source.readableEnded) return
      if (source.destroyed) throw new ClientGone('the client went away before its body was complete')
      await somethingArrives(source, rules)
    }
  }
}

/**
 * Reads a whole body, hands it to `use` and holds its bytes against the budget until that has ended. Throws `payload_too_large` by the announced
 * length before reading and by the bytes that arrived, `queue_full` when the bodies of all requests hold too much.
 */
export async function withBody<T>(
  source: IncomingMessage,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
): Promise<T> {
  refuseAnnouncedLength(source, limitBytes)
  const chunks: Buffer[] = []
  let held = 0
  try {
    for await (const chunk of bodyChunks(source, rules)) {
      if (held + chunk.length > limitBytes) throw tooLarge(limitBytes)
      if (!rules.budget.tryTake(chunk.length)) {
        throw new DomainError('queue_full', 'The service holds as many request bodies as it may; try again.', {
          retryAfterSeconds: 1,
        })
      }
      held += chunk.length
      chunks.push(chunk)
    }
    const [only] = chunks
    return await use(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, held))
  } finally {
    rules.budget.release(held)
  }
}

/** By its Content-Length, before a byte of it is read. */
export function refuseAnnouncedLength(source: IncomingMessage, limitBytes: number): void {
  if (Number(source.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${limitBytes} bytes.`)
}

function letContinue(source: Readable): void {
  const response = waitingForContinue.get(source as IncomingMessage)
  if (response === undefined) return
  waitingForContinue.delete(source as IncomingMessage)
  response.writeContinue()
}

function somethingArrives(source: Readable, rules: BodyRules): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = rules.timers.after(rules.stallMs, () => {
    const seconds = Math.round(rules.stallMs / 1000)
    finish(new DomainError('request_timeout', `No byte of the body arrived for ${seconds} seconds.`))
  })
  const arrived = () => finish()
  const finish = (error?: Error) => {
    cancel()
    for (const event of EVENTS) source.off(event, arrived)
    if (error === undefined) resolve()
    else reject(error)
  }
  for (const event of EVENTS) source.on(event, arrived)
  return promise
}

const EVENTS = ['readable', 'end', 'error', 'close'] as const
