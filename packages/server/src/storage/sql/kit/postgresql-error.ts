import { DatabaseError } from 'pg'
import { DomainError } from '../../../lib/domain-error.ts'
import { diskFull, storeUnavailable } from '../../store-failure.ts'

/** Codes of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const DISK_FULL = '53100'
const READ_ONLY = '25006'
const CACHED_PLAN_CHANGED = '0A000'
/** A transaction that met another one: it may succeed when it is repeated. */
const CONFLICTS = new Set(['40001', '40P01'])
/** The server or its connection cannot serve now: single codes, and classes by their first two characters. */
const UNAVAILABLE = new Set([
  ...CONFLICTS,
  READ_ONLY,
  '25P03', // idle in a transaction for too long
  '3D000', // no such database
  '55P03', // a lock was not available in time
  'XX001', // damaged data
  'XX002', // a damaged index
])
const UNAVAILABLE_CLASSES = new Set(['08', '28', '53', '57', '58'])

/** The connection was lost between `COMMIT` and its answer: the transaction may or may not be durable. */
export class UnknownOutcomeError extends DomainError {
  constructor(cause: unknown) {
    super('storage_unavailable', 'The store did not confirm the write. It may or may not have been stored.', {
      retryAfterSeconds: 2,
      isOutcomeUnknown: true,
      cause,
    })
  }
}

/**
 * The DomainError for an error of the driver that says that the server cannot be used. Every other error (a broken
 * constraint is a bug) is unchanged.
 */
export function toDomainError(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const { code = '' } = error
    if (code === DISK_FULL) return diskFull(error, 'The disk of PostgreSQL is full.')
    return UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2)) ? storeUnavailable(error) : error
  }
  // The driver reports lost connections and its own timeouts as other errors; a bug is a TypeError.
  return error instanceof TypeError ? error : storeUnavailable(error)
}

/** Of an error of `toDomainError`. */
export function isConflict(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : null
  return cause instanceof DatabaseError && CONFLICTS.has(cause.code ?? '')
}

/** Of the driver: the server is a standby or was made read-only. A new connection may lead to one that takes writes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY
}

/** A column was added after the statement was prepared: it has to be prepared again. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === CACHED_PLAN_CHANGED && error.message.includes('cached plan')
}
