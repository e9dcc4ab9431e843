import { DomainError } from '../../lib/domain-error.ts'
import { diskFull, storeUnavailable } from '../store-failure.ts'

/** Primary result codes of https://www.sqlite.org/rescode.html. */
export const SQLITE = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

/** The primary result code of an error thrown by node:sqlite, null for any other error. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return error.errcode & 0xff
}

/**
 * The DomainError for a failing disk or a locked database. Every other error (a broken constraint is a bug) is returned
 * unchanged.
 */
export function toDomainError(error: unknown): unknown {
  switch (sqliteCode(error)) {
    case SQLITE.full:
      return diskFull(error)
    case SQLITE.busy:
    case SQLITE.readOnly:
    case SQLITE.ioError:
    case SQLITE.cannotOpen:
      return storeUnavailable(error)
    default:
      return error
  }
}

/** Whether an error of `toDomainError` concerns the whole store, not what was written. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof DomainError && sqliteCode(error.cause) !== null
}

/** Called with the cause of each read that failed by disk or lock; its caller gets a DomainError. */
export type OnReadError = (error: unknown) => void

/** Runs a read that a request depends on. */
export function readOrRefuse<T>(read: () => T, onReadError: OnReadError): T {
  try {
    return read()
  } catch (error) {
    throw readFailure(error, onReadError)
  }
}

/** The error for the caller of a failed read. */
export function readFailure(error: unknown, onReadError: OnReadError): unknown {
  const failure = toDomainError(error)
  if (failure !== error) onReadError(error)
  return failure
}
