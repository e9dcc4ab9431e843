import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { ByteAccount } from '../../lib/work/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'

/** About what an upload holds while it flows: the beginning that its type is told from, and chunks on their way to the store. */
const UPLOAD_HELD_BYTES = 512 * 1024

/**
 * A bucket that hangs is given up after its tries, some minutes in all, and the client is told so: its connection, on which nothing moves meanwhile, must be there then. A client that stops sending
 * is given up much sooner, by the rules of bodies.
 */
const IDLE_WHILE_STORING_MS = 10 * 60_000

/** Runs the upload of a request when its account has room for one more, else throws `queue_full`. */
export async function withUploadRoom<T>(
  account: ByteAccount,
  request: IncomingMessage,
  upload: () => Promise<T>,
): Promise<T> {
  if (!account.tryTake(UPLOAD_HELD_BYTES)) {
    throw new DomainError('queue_full', 'There is no room in memory for another upload; try again.', {
      retryAfterSeconds: 1,
    })
  }
  // Until the answer: the next request of the connection gets the usual time again. A request that was injected has no connection.
  if (request.socket instanceof Socket) request.socket.setTimeout(IDLE_WHILE_STORING_MS)
  try {
    return await upload()
  } finally {
    account.release(UPLOAD_HELD_BYTES)
  }
}
