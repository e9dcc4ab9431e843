import type { CheckResult } from '../operation/check-result.ts'
import type { Printer } from './command.ts'
import { countProblems, runExamination } from './run-examination.ts'

const USAGE = `Usage: spoor doctor

Says for each part of the service whether it can be reached, its version and schema, how far its clock is from
this machine's, what waits to be settled, and who holds which lease. Changes nothing, and works while the service
runs and while it does not. Ends with 1 when something is wrong.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data; a cluster has none)
  --json          print JSON, a line for each part
  --help          print this`

export interface DoctorDependencies extends Printer {
  examine(dataDir: string | null): AsyncIterable<CheckResult>
}

/** `spoor doctor`. `args` are the arguments after it. */
export function runDoctorCommand(args: readonly string[], dependencies: DoctorDependencies): Promise<number> {
  const closing = (problems: number) => [problems === 0 ? 'Nothing is wrong.' : countProblems(problems)]
  const examination = { usage: USAGE, examine: dependencies.examine, failed: 'WRONG', closing }
  return runExamination(args, examination, dependencies)
}
