import { DATA_DIR, JSON_FLAG, type Printer, runParsed, UsageError } from './command.ts'

const USAGE = `Usage: spoor backup TARGET
       spoor backup -- COMMAND   (a cluster: docs/operate/cluster-backup.md)

Backs up everything in the data folder, and media, as of one commit. Works while the service runs and while it does
not. TARGET is a folder or s3://BUCKET/PREFIX, with the account of the settings SPOOR_S3_*. What an earlier backup in
TARGET has is not copied again. Run it as the account of the service. The backup holds secrets.key: keep it as safe.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --json          print JSON, one line
  --help          print this`

const SYNTAX = { usage: USAGE, options: { ...DATA_DIR, ...JSON_FLAG }, allowPositionals: true } as const

export interface MadeBackup {
  readonly number: number
  readonly position: number
  readonly totals: { readonly traces: number }
  /** Of everything in it, and the share that no earlier backup had. */
  readonly bytes: number
  readonly newBytes: number
}

export interface BackupDependencies extends Printer {
  /** `dataDir`: null for the configured one. Throws OperatorError when the backup was not made. */
  backUp(target: string, dataDir: string | null): Promise<MadeBackup>
}

/** `spoor backup`. Returns the exit code: 0 the backup is durable, 1 there is none, 2 wrong usage. */
export function runBackupCommand(args: readonly string[], dependencies: BackupDependencies): Promise<number> {
  const { print } = dependencies
  return runParsed(SYNTAX, args, dependencies, async (values, positionals) => {
    const backup = await dependencies.backUp(onlyTarget(positionals), values['data-dir'] ?? null)
    const { number, position, totals, bytes, newBytes } = backup
    const kind = number === 1 ? 'full' : 'incremental'
    const { traces } = totals
    if (values.json)
      return print(JSON.stringify({ id: String(number), position, traces, bytes, new_bytes: newBytes, kind }))
    print(`Backup ${number} (${kind}): ${traces} traces, up to position ${position} of the journal.`)
    print(`${bytes} bytes, of which ${newBytes} are new.`)
  })
}

/** Throws UsageError unless there is one. */
export function onlyTarget(positionals: readonly string[]): string {
  const [target, ...others] = positionals
  if (target === undefined || target === '' || others.length > 0)
    throw new UsageError('Name one target: a folder or s3://BUCKET/PREFIX.')
  return target
}
