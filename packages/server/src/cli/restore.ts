import { type MadeBackup, onlyTarget } from './backup.ts'
import { DATA_DIR, JSON_FLAG, type Printer, runParsed, UsageError } from './command.ts'

const USAGE = `Usage: spoor restore TARGET --data-dir NEW
       spoor restore TARGET --verify

Restores a backup of spoor backup into a new data folder; or verifies it: restores it into a folder for temporary
files (TMPDIR), checks every byte, compares counts and sums, and removes the folder.

  --data-dir NEW  a folder that does not exist, or an empty one
  --at ID         the backup (default: the newest)
  --verify        only verify it
  --json          print JSON, one line
  --help          print this`

const OPTIONS = {
  ...DATA_DIR,
  at: { type: 'string' },
  verify: { type: 'boolean', default: false },
  ...JSON_FLAG,
} as const

interface FoundBackup extends Pick<MadeBackup, 'number' | 'position' | 'totals'> {
  readonly createdAt: string
}

export interface RestoreDependencies extends Printer {
  /**
   * `dataDir`: null to verify only. `number`: null for the newest. Throws OperatorError when the backup is not whole or
   * was not restored.
   */
  restore(target: string, dataDir: string | null, number: number | null): Promise<FoundBackup>
}

/** `spoor restore`. Returns the exit code: 0 the backup is whole, 1 it is not or was not restored, 2 wrong usage. */
export function runRestoreCommand(args: readonly string[], dependencies: RestoreDependencies): Promise<number> {
  const { print } = dependencies
  const syntax = { usage: USAGE, options: OPTIONS, allowPositionals: true } as const
  return runParsed(syntax, args, dependencies, async (values, positionals) => {
    const target = onlyTarget(positionals)
    const dataDir = values['data-dir']
    if ((dataDir === undefined) !== values.verify) throw new UsageError('Give either --data-dir or --verify.')
    if (values.at !== undefined && !/^[1-9]\d{0,8}$/.test(values.at))
      throw new UsageError('--at is the id of a backup: a number, as spoor backup printed it.')
    const at = values.at === undefined ? null : Number(values.at)
    const found = await dependencies.restore(target, dataDir ?? null, at)
    const { number, createdAt, position, totals } = found
    if (values.json)
      return print(JSON.stringify({ id: String(number), position, traces: totals.traces, created_at: createdAt }))
    print(
      `Backup ${number} of ${createdAt} is whole: ${totals.traces} traces, up to position ${position} of the journal.`,
    )
    if (dataDir !== undefined) print(`It is in ${dataDir}. Start the service there with --data-dir ${dataDir}`)
  })
}
