import { isDiskFull } from '../../../lib/disk-full.ts'
import { codeOf } from '../../../lib/error-code.ts'
import { diskFull, storeUnavailable } from '../../store-failure.ts'

/**
 * Errors that mean that the disk, or the right to use it, is unavailable for now. Any other error is a bug and not
 * shown to a client.
 */
const UNAVAILABLE = new Set([
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EACCES',
  'EPERM',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'ENOENT',
  'ENOTDIR',
  'ETIMEDOUT',
])

/**
 * Runs an operation on the folder and converts its failure to the client's error. Must not wrap the caller's code,
 * whose errors are its own.
 */
export async function onDisk<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw fromDiskError(error)
  }
}

export function fromDiskError(error: unknown): Error {
  const code = codeOf(error)
  if (isDiskFull(error)) return diskFull(error, 'The disk that holds media is full.')
  if (code !== null && UNAVAILABLE.has(code))
    return storeUnavailable(error, 'The folder that holds media cannot be used right now.')
  return error instanceof Error ? error : new Error(String(error))
}
