import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { ByteAccount } from '../../lib/flow/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'

/**
 * The approximate memory of an upload: the beginning, by which its type is detected, and chunks on the way to the
 * store.
 */
const UPLOAD_MEMORY_BYTES = 512 * 1024

/**
 * Attempts to reach a bucket that does not answer end after some minutes. The idle connection of the client must still
 * be open then for the answer. A client that stops sending is refused much earlier, by the rules for bodies.
 */
const IDLE_WHILE_STORING_MS = 10 * 60_000

/**
 * Runs the upload of a request with its memory charged to `account`. Throws `queue_full` if the budget is exhausted.
 */
export async function withUploadMemory<T>(
  account: ByteAccount,
  request: IncomingMessage,
  upload: () => Promise<T>,
): Promise<T> {
  if (!account.tryTake(UPLOAD_MEMORY_BYTES)) {
    throw new DomainError('queue_full', 'The service has no memory for another upload at the moment; try again.', {
      retryAfterSeconds: 1,
    })
  }
  // Until the answer: the next request of the connection gets the normal timeout. An injected request has no
  // connection.
  if (request.socket instanceof Socket) request.socket.setTimeout(IDLE_WHILE_STORING_MS)
  try {
    return await upload()
  } finally {
    account.release(UPLOAD_MEMORY_BYTES)
  }
}
