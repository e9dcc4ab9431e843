import { DATA_DIR, type Printer, runParsed } from './command.ts'

const USAGE = `Usage: spoor move

Copies the data of a stopped service into an empty cluster: traces into ClickHouse, media into the bucket, all
else into PostgreSQL, with every id, key and definition. The settings of the cluster say where
(SPOOR_POSTGRES_URL, SPOOR_CLICKHOUSE_URL, SPOOR_S3_BUCKET and theirs). May be interrupted and repeated. Ends by
comparing, and leaves the data folder as it was. Start the nodes when it has ended.

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --help          print this`

export interface MoveDependencies extends Printer {
  /** `dataDir`: null for the configured one. Throws OperatorError when the store cannot be moved. */
  move(
    dataDir: string | null,
    onProgress: (part: string, done: number, total: number | null) => void,
  ): Promise<MoveResult>
  /** Milliseconds, for the pace of progress lines. */
  now(): number
}

interface MoveResult {
  readonly rows: Readonly<Record<string, number>>
  readonly controlRows: number
  readonly objects: number
  readonly mediaBytes: number
  readonly wasFinished: boolean
}

const PROGRESS_EVERY_MS = 2000

/** `spoor move`. Returns the exit code: 0 everything is in the cluster, 1 it is not, 2 wrong usage. */
export function runMoveCommand(args: readonly string[], dependencies: MoveDependencies): Promise<number> {
  const { print, now } = dependencies
  return runParsed({ usage: USAGE, options: DATA_DIR }, args, dependencies, async (values) => {
    let [printedAt, lastPart] = [-Infinity, '']
    const moved = await dependencies.move(values['data-dir'] ?? null, (part, done, total) => {
      if (part === lastPart && now() - printedAt < PROGRESS_EVERY_MS) return
      ;[printedAt, lastPart] = [now(), part]
      print(`${part}: ${done}${total === null ? '' : ` of ${total}`}`)
    })
    if (moved.wasFinished) return print('This store was moved to that cluster before.')
    for (const [table, rows] of Object.entries(moved.rows)) print(`${table.padEnd(14)} ${rows} rows`)
    print(`${'media'.padEnd(14)} ${moved.objects} objects, ${moved.mediaBytes} bytes`)
    print(`${'control data'.padEnd(14)} ${moved.controlRows} rows`)
    print('Counts and sums are equal. Start the nodes, and keep the data folder until you are content.')
  })
}
