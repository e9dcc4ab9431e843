import { parseArgs } from 'node:util'
import type { CheckResult } from '../operation/check-result.ts'
import { runCommand } from './command.ts'
import { countProblems, printResults } from './print-results.ts'

const USAGE = `Usage: spoor check

Verifies everything that is stored: every page of the databases, every record of the commit log, every part
of the engine against its checksums, the bytes of all media. Changes nothing, and works while the service
runs and while it does not. Ends with 1 when something is missing or damaged.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --json          print JSON, a line for each kind of data
  --help          print this`

const OPTIONS = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export interface CheckDependencies {
  /**
   * Results as they arrive, for the given folder, or for the configured one when null. Throws OperatorError when there
   * is nothing to check.
   */
  check(dataDir: string | null): AsyncIterable<CheckResult>
  /** Losses that were accepted earlier, with the file that lists them. */
  acceptedLosses(dataDir: string | null): { readonly count: number; readonly path: string }
  print(line: string): void
  printError(line: string): void
}

const FOUND = 1

/**
 * `spoor check`. `args` are the arguments after it. Returns the exit code: 0 everything exists, 1 something is missing
 * or the check failed, 2 wrong usage.
 */
export async function runCheckCommand(args: readonly string[], dependencies: CheckDependencies): Promise<number> {
  let problems = 0
  const code = await runCommand(USAGE, dependencies, async () => {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    const { print } = dependencies
    if (values.help) return print(USAGE)
    const dataDir = values['data-dir'] ?? null
    const results = dependencies.check(dataDir)
    problems = await printResults(results, { json: values.json, failed: 'DAMAGED', print })
    if (values.json) return
    const { count, path } = dependencies.acceptedLosses(dataDir)
    if (count > 0) print(`The loss of data was accepted ${count === 1 ? 'once' : `${count} times`}: see ${path}.`)
    print(problems === 0 ? 'Everything is there and whole.' : countProblems(problems))
  })
  return code === 0 && problems > 0 ? FOUND : code
}
