import { type Printer, runParsed, UsageError } from './command.ts'

const USAGE = `Usage: spoor backup [--record FILE] -- COMMAND [ARGUMENT…]

Backs up a cluster while its nodes run. COMMAND copies ClickHouse first, then PostgreSQL, then the bucket: see
docs/operate/cluster-backup.md. While it runs, the log keeps all commits, so that the three copies fit together.
FILE gets what the copies must have, for spoor recover --verify.
Without COMMAND, see spoor backup --help.`

const SYNTAX = { usage: USAGE, options: { record: { type: 'string' } } } as const

export interface ClusterBackupDependencies extends Printer {
  /** Throws OperatorError when the copies are no backup. */
  backUp(
    command: readonly string[],
    recordPath: string | null,
  ): Promise<{ readonly settledThrough: number; readonly version: number }>
}

/** `spoor backup -- COMMAND`. Returns the exit code: 0 the copies are a backup, 1 they are not, 2 wrong usage. */
export function runClusterBackupCommand(
  args: readonly string[],
  dependencies: ClusterBackupDependencies,
): Promise<number> {
  const at = args.indexOf('--')
  const command = args.slice(at + 1)
  return runParsed(SYNTAX, args.slice(0, at), dependencies, async ({ record = null }) => {
    if (command.length === 0) throw new UsageError('Name the command that copies the stores.')
    const { settledThrough, version } = await dependencies.backUp(command, record)
    dependencies.print(`The log kept all commits from ${settledThrough + 1} to ${version}. The copies are a backup.`)
  })
}
