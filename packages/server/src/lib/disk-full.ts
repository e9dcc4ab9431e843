import { statfsSync } from 'node:fs'
import { DomainError } from './domain-error.ts'
import { codeOf } from './error-code.ts'

/** Of a DomainError, and of the system: no space, a quota, a file larger than the file system allows. */
const CODES: ReadonlySet<string | null> = new Set(['disk_full', 'ENOSPC', 'EDQUOT', 'EFBIG'])
/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: no space for the shared memory that even a reader needs. */
const SQLITE_CODES: ReadonlySet<unknown> = new Set([13, 4874])
/** Of the engine, which reports a full disk only in its text: its own check of the space, and the system's error. */
const ENGINE_MESSAGES = /\(NOT_ENOUGH_SPACE\)|No space left on device/

/** Whether an error, or a cause of it, says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (CODES.has(codeOf(error)) || ENGINE_MESSAGES.test(error.message)) return true
  return ('errcode' in error && SQLITE_CODES.has(error.errcode)) || isDiskFull(error.cause)
}

const FULL = 'The disk of the service is full. Nothing new is accepted until there is space.'

/** The refusal of a write while the disk is full. */
export function fullDisk(): DomainError {
  return new DomainError('disk_full', FULL, { retryAfterSeconds: 10 })
}

export function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
