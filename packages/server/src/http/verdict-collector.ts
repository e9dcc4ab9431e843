import type { ErrorCode } from '@spoor/contract/errors'
import type { FastifyReply } from 'fastify'
import type { ByteAccount } from '../lib/byte-budget.ts'

/** Where the judged lines come from. */
export interface StoppableInput {
  /** From now on nothing more is read. */
  stop(code: ErrorCode, detail: string): void
}

/**
 * Gathers all verdicts into one JSON answer: 200 when every line passed, 207 when any did not. What it holds is charged to the budget until the client has
 * taken it, or has gone.
 */
export async function collectVerdicts<V extends { readonly status: string }>(
  reply: FastifyReply,
  judged: AsyncIterable<readonly V[]>,
  toWire: (verdict: V) => object,
  account: ByteAccount,
  input: StoppableInput,
): Promise<void> {
  const rows: string[] = []
  let errors = false
  let charged = 0
  try {
    for await (const batch of judged) {
      let length = 0
      for (const verdict of batch) {
        errors ||= verdict.status === 'error'
        length += rows[rows.push(JSON.stringify(toWire(verdict))) - 1]?.length ?? 0
      }
      // Lines that were read already still get their verdicts: a bounded number.
      if (account.tryTake(length)) charged += length
      else
        input.stop(
          'queue_full',
          'The service holds as many answers as it may: this and later lines were not read; send them again.',
        )
    }
    const body = `{"errors":${errors},"results":[${rows.join(',')}]}`
    reply
      .code(errors ? 207 : 200)
      .type('application/json; charset=utf-8')
      .send(body)
  } finally {
    const release = () => account.release(charged)
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
  }
}
