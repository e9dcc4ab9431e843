import { parseArgs } from 'node:util'
import type { CheckResult } from '../operation/check-result.ts'
import { runCommand } from './command.ts'
import { countProblems, printResults } from './print-results.ts'

const USAGE = `Usage: spoor doctor

Says for each part of the service whether it can be reached, its version and schema, how far its clock is from
this machine's, what waits to be settled, and who holds which lease. Changes nothing, and works while the service
runs and while it does not. Ends with 1 when something is wrong.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data; a cluster has none)
  --json          print JSON, a line for each part
  --help          print this`

const OPTIONS = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export interface DoctorDependencies {
  /** Findings as they arrive, about the given folder, or about the configured stores when null. */
  examine(dataDir: string | null): AsyncIterable<CheckResult>
  print(line: string): void
  printError(line: string): void
}

const FOUND = 1

/**
 * `spoor doctor`. `args` are the arguments after it. Returns the exit code: 0 nothing is wrong, 1 something is wrong or
 * the command failed, 2 wrong usage.
 */
export async function runDoctorCommand(args: readonly string[], dependencies: DoctorDependencies): Promise<number> {
  let problems = 0
  const code = await runCommand(USAGE, dependencies, async () => {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    const { print } = dependencies
    if (values.help) return print(USAGE)
    const results = dependencies.examine(values['data-dir'] ?? null)
    problems = await printResults(results, { json: values.json, failed: 'WRONG', print })
    if (!values.json) print(problems === 0 ? 'Nothing is wrong.' : countProblems(problems))
  })
  return code === 0 && problems > 0 ? FOUND : code
}
