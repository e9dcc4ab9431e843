import { isDiskFull } from '../../lib/disk-full.ts'
import { OperatorError } from '../../lib/operator-error.ts'

/** An OperatorError if a start failed because the disk of the data folder is full; any other error unchanged. */
export function explainFullDisk(error: unknown, dataDir: string): unknown {
  if (error instanceof OperatorError || !isDiskFull(error)) return error
  return new OperatorError(`The disk that holds ${dataDir} is full. Make space and start again.`, { cause: error })
}
