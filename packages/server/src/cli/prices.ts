import { DATA_DIR, type Printer, runParsed, UsageError } from './command.ts'

const USAGE = `Usage: spoor prices update FILE

Checks a list of prices and puts it into the data folder, where the service reads it at its next start in place of
the built-in list.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --help          print this`

const SYNTAX = { usage: USAGE, options: DATA_DIR, allowPositionals: true } as const

export interface PricesDependencies extends Printer {
  /** `dataDir`: null for the configured one. Throws OperatorError for a file that is no list of prices. */
  install(file: string, dataDir: string | null): Promise<{ readonly date: string; readonly models: readonly unknown[] }>
}

/** `spoor prices …`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export function runPricesCommand(args: readonly string[], dependencies: PricesDependencies): Promise<number> {
  const { install, print } = dependencies
  return runParsed(SYNTAX, args, dependencies, async (values, [verb, file, ...more]) => {
    if (verb !== 'update' || file === undefined || more.length > 0)
      throw new UsageError('prices has one command: update FILE')
    const { date, models } = await install(file, values['data-dir'] ?? null)
    print(`${models.length} prices of ${date} apply from the next start of the service.`)
  })
}
