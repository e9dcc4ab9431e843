import { Readable } from 'node:stream'
import type { ErrorCode } from '@spoor/contract/errors'
import type { FastifyReply } from 'fastify'
import type { ByteAccount } from '../../lib/flow/byte-budget.ts'

/** The source of the lines. */
export interface StoppableInput {
  /** Nothing is read after this call. */
  stop(code: ErrorCode, detail: string): void
}

/**
 * Collects all verdicts in one JSON answer: 200 if every line was accepted, otherwise 207. `print` returns the JSON
 * text of each verdict followed by a comma. The answer is charged to the budget until the client has taken it or
 * disconnected.
 */
export async function collectVerdicts<V extends { readonly status: string }>(
  reply: FastifyReply,
  verdicts: AsyncIterable<readonly V[]>,
  print: (batch: readonly V[]) => Promise<string>,
  account: ByteAccount,
  input: StoppableInput,
): Promise<void> {
  const parts: Buffer[] = []
  let errors = false
  let charged = 0
  try {
    for await (const batch of verdicts) {
      const part = Buffer.from(await print(batch))
      parts.push(part)
      errors ||= batch.some((verdict) => verdict.status === 'error')
      // The lines that were already read, a bounded number, still get their verdicts.
      if (account.tryTake(part.length)) charged += part.length
      else
        input.stop(
          'queue_full',
          'The service has no memory for a longer answer at the moment: this and later lines were not read; send them again.',
        )
    }
    const last = parts.pop()
    if (last !== undefined) parts.push(last.subarray(0, -1))
    // In parts: copying and encoding a large answer at once would take 100 ms.
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
