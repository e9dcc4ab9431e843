import { type Printer, runParsed, UsageError } from './command.ts'

const USAGE = `Usage: spoor recover [--keep postgresql|clickhouse]
       spoor recover --verify FILE

Compares the stores of a cluster after a restore or a failover. When they are of different moments, says what differs
and what each way out would do. With --keep, takes that way out; stop all nodes first.

  --keep STORE   the store that stays as it is: the others are made to fit
  --verify FILE  changes no rows: compares restored stores with the record of spoor backup --record FILE
  --help         print this`

const SYNTAX = { usage: USAGE, options: { keep: { type: 'string' }, verify: { type: 'string' } } } as const

type Kept = 'postgresql' | 'clickhouse'

export interface RecoverDependencies extends Printer {
  /** Calls `use` with what the configured stores do not agree on, null for nothing, while they are open. */
  withRecovery(use: (recovery: FoundRecovery | null) => Promise<void>): Promise<void>
  /** What the configured stores lack of the backup whose record the file has. Throws OperatorError. */
  verify(recordPath: string): Promise<readonly string[]>
}

interface FoundRecovery {
  readonly problem: string
  readonly choices: Readonly<Partial<Record<Kept, string>>>
  recover(kept: Kept): Promise<void>
}

/** `spoor recover`. Returns the exit code: 0 the stores belong to one moment, 1 they do not, 2 wrong usage. */
export async function runRecoverCommand(args: readonly string[], dependencies: RecoverDependencies): Promise<number> {
  let isOpen = false
  const { print, withRecovery } = dependencies
  const code = await runParsed(SYNTAX, args, dependencies, async ({ keep, verify }) => {
    if (verify !== undefined) {
      if (keep !== undefined) throw new UsageError('Give either --keep or --verify.')
      const problems = await dependencies.verify(verify)
      for (const problem of problems) print(problem)
      isOpen = problems.length > 0
      return print(isOpen ? 'The stores are not those of the backup.' : 'The stores have all of the backup.')
    }
    if (keep !== undefined && keep !== 'postgresql' && keep !== 'clickhouse')
      throw new UsageError('--keep is postgresql or clickhouse.')
    await withRecovery(async (recovery) => {
      if (recovery === null) return print('PostgreSQL, ClickHouse and the bucket are of one moment.')
      print(recovery.problem)
      for (const [kept, effect] of Object.entries(recovery.choices)) print(`--keep ${kept} ${effect}`)
      isOpen = true
      if (keep === undefined) return
      if (recovery.choices[keep] === undefined) throw new UsageError(`--keep ${keep} is not possible here.`)
      await recovery.recover(keep)
      isOpen = false
      print('Done. Start the nodes.')
    })
  })
  return code === 0 && isOpen ? 1 : code
}
