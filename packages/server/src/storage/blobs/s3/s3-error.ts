import { S3ServiceException } from '@aws-sdk/client-s3'
import { DomainError } from '../../../lib/domain-error.ts'

/** Answers of stores that have no space; each names it differently. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'InsufficientCapacity'])
const INSUFFICIENT_STORAGE = 507
const NOT_FOUND = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload'])

/** Whether the store says that the object or upload itself is missing, and not the bucket. */
export function isNotFound(error: unknown): boolean {
  return error instanceof S3ServiceException && NOT_FOUND.has(error.name)
}

export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

/**
 * Whether the same request may succeed later: the store could not be reached or was failing. A refusal is permanent.
 */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error)
  return status === null || status >= 500 || status === 408 || status === 429
}

/**
 * Awaits an answer of the store and converts its failure to the client's error. Must not wrap the caller's code, whose
 * errors are its own.
 */
export async function onS3<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw fromS3Error(error)
  }
}

/**
 * Every failure means that the store cannot be used now, also one that only its operator can fix: the cause is for the
 * log.
 */
export function fromS3Error(error: unknown): Error {
  if (error instanceof DomainError) return error
  if (error instanceof S3ServiceException && (FULL.has(error.name) || statusOf(error) === INSUFFICIENT_STORAGE)) {
    return new DomainError('disk_full', 'The store that holds media is full.', { retryAfterSeconds: 10, cause: error })
  }
  return new DomainError('storage_unavailable', 'The store that holds media cannot be used right now.', {
    retryAfterSeconds: 5,
    cause: error,
  })
}
