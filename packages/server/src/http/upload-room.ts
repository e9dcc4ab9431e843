import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'

/** About what an upload holds while it flows: the beginning that its type is told from, and chunks on their way to the store. */
const UPLOAD_HELD_BYTES = 512 * 1024

/** Runs an upload when the bodies of all requests leave room for one more, else throws `queue_full`. */
export async function withUploadRoom<T>(budget: ByteBudget, upload: () => Promise<T>): Promise<T> {
  if (!budget.tryTake(UPLOAD_HELD_BYTES)) {
    throw new DomainError('queue_full', 'The service takes in as many uploads as it may; try again.', {
      retryAfterSeconds: 1,
    })
  }
  try {
    return await upload()
  } finally {
    budget.release(UPLOAD_HELD_BYTES)
  }
}
