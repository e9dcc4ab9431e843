import { parseArgs } from 'node:util'
import { runCommand, UsageError } from './command.ts'

const USAGE = `Usage: spoor prices update FILE

Checks a list of prices and puts it into the data folder, where the service reads it at its next start in place of
the built-in list.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --help          print this`

const OPTIONS = {
  'data-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export interface PricesDependencies {
  /** `dataDir`: null for the configured one. Throws OperatorError for a file that is no list of prices. */
  install(file: string, dataDir: string | null): Promise<{ readonly date: string; readonly models: readonly unknown[] }>
  print(line: string): void
  printError(line: string): void
}

/** `spoor prices …`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export function runPricesCommand(args: readonly string[], dependencies: PricesDependencies): Promise<number> {
  return runCommand(USAGE, dependencies, async () => {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const { install, print } = dependencies
    if (values.help) return print(USAGE)
    const [verb, file, ...more] = positionals
    if (verb !== 'update' || file === undefined || more.length > 0)
      throw new UsageError('prices has one command: update FILE')
    const { date, models } = await install(file, values['data-dir'] ?? null)
    print(`${models.length} prices of ${date} apply from the next start of the service.`)
  })
}
