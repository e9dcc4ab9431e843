import { Readable } from 'node:stream'
import type { ErrorCode } from '@spoor/contract/errors'
import type { FastifyReply } from 'fastify'
import type { ByteAccount } from '../../lib/work/byte-budget.ts'

/** Where the judged lines come from. */
export interface StoppableInput {
  /** From now on nothing more is read. */
  stop(code: ErrorCode, detail: string): void
}

/**
 * `print` gives the JSON text of each verdict with a comma behind it. Gathers all verdicts into one JSON answer: 200 when every line passed, 207 when any did not. What it holds is charged to the budget until the client has
 * taken it, or has gone.
 */
export async function collectVerdicts<V extends { readonly status: string }>(
  reply: FastifyReply,
  judged: AsyncIterable<readonly V[]>,
  print: (batch: readonly V[]) => Promise<string>,
  account: ByteAccount,
  input: StoppableInput,
): Promise<void> {
  const parts: Buffer[] = []
  let errors = false
  let charged = 0
  try {
    for await (const batch of judged) {
      const part = Buffer.from(await print(batch))
      parts.push(part)
      errors ||= batch.some((verdict) => verdict.status === 'error')
      // Lines that were read already still get their verdicts: a bounded number.
      if (account.tryTake(part.length)) charged += part.length
      else
        input.stop(
          'queue_full',
          'The service holds as many answers as it may: this and later lines were not read; send them again.',
        )
    }
    const last = parts.pop()
    if (last !== undefined) parts.push(last.subarray(0, -1))
    // In parts: one text of all would be copied and encoded at once, which takes 100 ms of a large answer.
    const body = [Buffer.from(`{"errors":${errors},"results":[`), ...parts, Buffer.from(']}')]
    reply
      .code(errors ? 207 : 200)
      .type('application/json; charset=utf-8')
      .header('content-length', String(body.reduce((sum, part) => sum + part.length, 0)))
      .send(Readable.from(body, { objectMode: false }))
  } finally {
    const release = () => account.release(charged)
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
  }
}
