import type { CheckResult } from '../operation/check-result.ts'
import type { Printer } from './command.ts'
import { countProblems, runExamination } from './run-examination.ts'

const USAGE = `Usage: spoor check

Verifies everything that is stored: every page of the databases, every record of the commit log, every part
of the engine against its checksums, the bytes of all media. Changes nothing, and works while the service
runs and while it does not. Ends with 1 when something is missing or damaged.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --json          print JSON, a line for each kind of data
  --help          print this`

export interface CheckDependencies extends Printer {
  check(dataDir: string | null): AsyncIterable<CheckResult>
  /** Losses that were accepted earlier, with the file that lists them. */
  acceptedLosses(dataDir: string | null): { readonly count: number; readonly path: string }
}

/** `spoor check`. `args` are the arguments after it. */
export function runCheckCommand(args: readonly string[], dependencies: CheckDependencies): Promise<number> {
  const closing = (problems: number, dataDir: string | null) => {
    const { count, path } = dependencies.acceptedLosses(dataDir)
    const times = count === 1 ? 'once' : `${count} times`
    return [
      ...(count > 0 ? [`The loss of data was accepted ${times}: see ${path}.`] : []),
      problems === 0 ? 'Everything is there and whole.' : countProblems(problems),
    ]
  }
  return runExamination(args, { usage: USAGE, examine: dependencies.check, failed: 'DAMAGED', closing }, dependencies)
}
