import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Logger } from '../../operation/logging.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import type { ClusterLog } from '../../storage/cluster/cluster-log.ts'
import type { SqlDatabase } from '../../storage/sql/kit/sql-database.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { type Rounds, startRounds } from '../start/rounds.ts'

export interface Servers {
  readonly database: Pick<SqlDatabase<unknown>, 'version'>
  /** Of ClickHouse, see PreparedServer. */
  readonly shards: readonly Pick<TelemetryEngine, 'select'>[]
  readonly blobs: Pick<BlobStore, 'size'>
  readonly log: Pick<ClusterLog, 'refusal' | 'probe' | 'wasReadWithin'>
  /** Whether ClickHouse has something to do for this node, or may be away: see Probe.isDue. */
  readonly usesClickHouse: () => boolean
}

interface Probe {
  readonly name: string
  readonly everyMs: number
  /** Whether to query. A server that is away is queried until it answers. */
  isDue?(): boolean
  /** Fails when there is no answer within TIMEOUT_MS. */
  ask(): Promise<unknown>
  /** Whether this node is of use without it, and what to say. */
  whenAway(error: unknown): { readonly isReady: boolean; readonly detail: string }
}

/** Of a probe without an answer. */
const TIMEOUT_MS = 5000
/** An answer to another read of PostgreSQL that is as new as this is enough. Longer than an idle node's pauses. */
const FRESH_MS = 3000
/** An object that no project has. */
const NO_OBJECT = `proj_${'0'.repeat(26)}/${'0'.repeat(32)}` as BlobKey

/**
 * Reports to `readiness` which servers answer. Without PostgreSQL a node can do nothing. Without ClickHouse it takes
 * commits and reads recent rows until too much waits to be settled; without the bucket, all but media works.
 */
export async function watchServers(servers: Servers, readiness: Readiness, logger: Logger): Promise<Rounds> {
  const { database, shards, blobs, log, usesClickHouse } = servers
  const probes: readonly Probe[] = [
    {
      name: 'postgresql',
      everyMs: 1000,
      async ask() {
        if (!log.wasReadWithin(FRESH_MS)) await inTime(database.version())
        await inTime(log.probe()).catch((cause: unknown) => {
          throw new CommitsFail('PostgreSQL takes no commits', { cause })
        })
      },
      whenAway: (error) => ({ isReady: false, detail: detailOf(error) }),
    },
    {
      name: 'clickhouse',
      everyMs: 2000,
      // A service that is paid for while it is awake must be able to sleep.
      isDue: usesClickHouse,
      ask: () => askShards(shards),
      whenAway: (error) => {
        const isReady = log.refusal() === null
        const until = isReady
          ? 'are taken until too much waits to be settled'
          : 'are refused: too much waits to be settled'
        const which = error instanceof ShardAway ? `Shard ${error.number} of ClickHouse` : 'ClickHouse'
        return { isReady, detail: `${which} does not answer: older traces cannot be read, commits ${until}` }
      },
    },
    {
      name: 's3',
      everyMs: 5000,
      ask: () => inTime(blobs.size(NO_OBJECT)),
      whenAway: () => ({ isReady: true, detail: 'the bucket does not answer: media can be neither stored nor read' }),
    },
  ]
  const away = new Set<string>()
  const probe = async ({ name, ask, whenAway }: Probe) => {
    try {
      await ask()
      readiness.report(name, null)
      if (away.delete(name)) logger.warn({ server: name }, 'a server can be used again')
    } catch (error) {
      const { isReady, detail } = whenAway(error)
      if (isReady) readiness.note(name, detail)
      else readiness.report(name, detail)
      if (away.has(name)) return
      away.add(name)
      logger.error({ error, server: name }, 'a server cannot be used')
    }
  }
  await Promise.all(probes.map(probe))
  const rounds = probes.map((one) =>
    startRounds(one.everyMs, logger, async () => {
      if (away.has(one.name) || (one.isDue?.() ?? true)) await probe(one)
    }),
  )
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}

class CommitsFail extends Error {
  override readonly name = 'CommitsFail'
}

function detailOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  if (cause instanceof OperatorError) return cause.message
  if (!(error instanceof CommitsFail)) return 'PostgreSQL does not answer: nothing can be stored or read'
  const isFull = cause instanceof DomainError && cause.code === 'disk_full'
  return isFull ? 'the disk of PostgreSQL is full: nothing can be stored' : `${error.message}: nothing can be stored`
}

class ShardAway extends Error {
  override readonly name = 'ShardAway'
  readonly number: number

  constructor(number: number, cause: unknown) {
    super(`shard ${number} of ClickHouse does not answer`, { cause })
    this.number = number
  }
}

/** In time for each, so that one that hangs is named too. */
async function askShards(shards: Servers['shards']): Promise<void> {
  await Promise.all(
    shards.map(async (shard, index) => {
      try {
        await inTime(shard.select('SELECT 1'))
      } catch (error) {
        throw shards.length === 1 ? error : new ShardAway(index + 1, error)
      }
    }),
  )
}

async function inTime(answer: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const cancel = systemTimers.after(TIMEOUT_MS, () => late.reject(new Error(`no answer within ${TIMEOUT_MS} ms`)))
  try {
    await Promise.race([answer, late.promise])
  } finally {
    cancel()
    // It may still fail later; that is of no interest then.
    answer.catch(() => undefined)
  }
}
