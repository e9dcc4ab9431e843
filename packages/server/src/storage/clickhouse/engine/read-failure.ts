import { DomainError } from '../../../lib/domain-error.ts'
import { storeUnavailable } from '../../store-failure.ts'
import { damageOf } from '../damage/read-damage.ts'

/** Error codes of the engine (its ErrorCodes.cpp) for what the machine or the load causes. */
const MACHINE_CODES: ReadonlySet<number> = new Set([
  74, // CANNOT_READ_FROM_FILE_DESCRIPTOR
  75, // CANNOT_WRITE_TO_FILE_DESCRIPTOR: a sort that spills
  76, // CANNOT_OPEN_FILE
  77, // CANNOT_CLOSE_FILE
  87, // CANNOT_SEEK_THROUGH_FILE
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  173, // CANNOT_ALLOCATE_MEMORY
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  241, // MEMORY_LIMIT_EXCEEDED
  243, // NOT_ENOUGH_SPACE
  439, // CANNOT_SCHEDULE_TASK
  // Of a server only:
  236, // ABORTED: it shuts down
  394, // QUERY_WAS_CANCELLED
  499, // S3_ERROR: its disk
  516, // AUTHENTICATION_FAILED: its users were changed
  999, // KEEPER_EXCEPTION
])

const UNKNOWN_TABLE = 60
const MEMORY_LIMIT_EXCEEDED = 241
/** A read took longer than LONGEST_READ_SECONDS. */
const TOO_LONG: ReadonlySet<unknown> = new Set([159, 160])

/** Whether this error, as `toReadFailure` gives it, came from the memory limit of a read: fewer rows may fit. */
export function isOutOfMemory(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error
  return cause instanceof Error && 'clickhouseCode' in cause && cause.clickhouseCode === MEMORY_LIMIT_EXCEEDED
}

/** Codes of a server that cannot reach another shard. */
const SHARD_CODES: ReadonlySet<number> = new Set([
  198, // DNS_ERROR
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  279, // ALL_CONNECTION_TRIES_FAILED
])

/** A connection to another shard that broke within an answer has a code that damaged files have too. */
const BROKEN_CONNECTION = 'while receiving packet from'

/**
 * Converts a failed read to an error that the caller can handle. Every other error (a wrong statement is a bug) is
 * returned unchanged. `isLoaded`: no table waits to be loaded again.
 */
export function toReadFailure(error: unknown, isLoaded = true): unknown {
  if (!(error instanceof Error) || !('clickhouseCode' in error)) return error
  const isShardAway = SHARD_CODES.has(Number(error.clickhouseCode)) || error.message.includes(BROKEN_CONNECTION)
  if (!isShardAway && damageOf(error) !== null) {
    return new DomainError('storage_damaged', 'Part of what this needs cannot be read from the disk.', { cause: error })
  }
  const { clickhouseCode } = error
  if (typeof clickhouseCode !== 'number') return error
  if (!isShardAway && !MACHINE_CODES.has(clickhouseCode) && (isLoaded || clickhouseCode !== UNKNOWN_TABLE)) return error
  const detail = isShardAway
    ? 'A part of the store cannot be reached now, and this needs all of it.'
    : detailOf(clickhouseCode)
  return storeUnavailable(error, detail)
}

function detailOf(code: number): string {
  if (code === MEMORY_LIMIT_EXCEEDED)
    return (
      'This needs more memory than one read may take: ask for a shorter time or by narrower filters, or have ' +
      'SPOOR_MEMORY_MB raised (of a ClickHouse server, max_memory_usage).'
    )
  if (TOO_LONG.has(code)) return 'This takes longer than one read may: ask for a shorter time or by narrower filters.'
  return 'The store cannot answer this now.'
}
