import { type Printer, runCommand, UsageError } from './command.ts'

const USAGE = `Usage: spoor backup -- COMMAND [ARGUMENT…]

Backs up a cluster while its nodes run. COMMAND copies ClickHouse first, then PostgreSQL, then the bucket: see
docs/operate/cluster-backup.md. While it runs, the log keeps all commits, so that the three copies fit together.
Without COMMAND, see spoor backup --help.`

export interface ClusterBackupDependencies extends Printer {
  /** Throws OperatorError when the copies are no backup. */
  backUp(command: readonly string[]): Promise<{ readonly settledThrough: number; readonly version: number }>
}

/** `spoor backup -- COMMAND`. Returns the exit code: 0 the copies are a backup, 1 they are not, 2 wrong usage. */
export function runClusterBackupCommand(
  command: readonly string[],
  dependencies: ClusterBackupDependencies,
): Promise<number> {
  return runCommand(USAGE, dependencies, async () => {
    if (command.length === 0) throw new UsageError('Name the command that copies the stores.')
    const { settledThrough, version } = await dependencies.backUp(command)
    dependencies.print(`The log kept all commits from ${settledThrough + 1} to ${version}. The copies are a backup.`)
  })
}
