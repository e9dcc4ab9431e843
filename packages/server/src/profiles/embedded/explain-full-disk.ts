import { OperatorError } from '../../lib/operator-error.ts'
import { codeOf } from '../../lib/error-code.ts'

/** Of a DomainError and of the system. */
const CODES: ReadonlySet<string | null> = new Set(['disk_full', 'ENOSPC', 'EDQUOT'])
/** Of the engine, which reports a full disk only in its text: its own check of the space, and the system's error. */
const ENGINE_MESSAGES = /\(NOT_ENOUGH_SPACE\)|No space left on device/

/** An OperatorError if a start failed because the disk of the data folder is full; any other error unchanged. */
export function explainFullDisk(error: unknown, dataDir: string): unknown {
  if (error instanceof OperatorError || !isDiskFull(error)) return error
  return new OperatorError(`The disk that holds ${dataDir} is full. Make space and start again.`, { cause: error })
}

function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return CODES.has(codeOf(error)) || ENGINE_MESSAGES.test(error.message) || isDiskFull(error.cause)
}
