import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal } from '../journal/journal.ts'
import { systemTimers } from '../lib/timers.ts'
import type { Readiness } from '../operation/readiness.ts'
import { openChdbEngine } from '../storage/telemetry/chdb-engine.ts'
import { ClickHouseTraceStore } from '../storage/telemetry/clickhouse-trace-store.ts'
import type { DamageRecord } from '../storage/telemetry/damage/damage-record.ts'
import { dropSalvageLeftovers } from '../storage/telemetry/damage/drop-salvage-leftovers.ts'
import { LoggedTraceStore } from '../storage/telemetry/logged-trace-store.ts'
import { openTelemetrySchema } from '../storage/telemetry/open-telemetry-schema.ts'
import type { TelemetryEngine } from '../storage/telemetry/telemetry-engine.ts'
import type { Environment } from './environment.ts'

/** Engine sessions that answer reads at the same time. */
const READERS = 4

/** Opens the engine in the data directory. Throws OperatorError when another process has it open. */
export function openEngine({ config, dataDir, clock, logger }: Environment, damage: DamageRecord): TelemetryEngine {
  const directory = join(dataDir, 'telemetry')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return openChdbEngine({
    directory,
    memoryBytes: config.memoryBytes,
    readers: READERS,
    onReadError: (error) => logger.error({ error }, 'the telemetry store could not answer a read'),
    salvage: {
      record: damage,
      clock,
      onDamage: ({ part, message, outcome }) =>
        logger.error({ table: part.table, part: part.name, cause: message, outcome }, 'a part of the store is damaged'),
      onError: (error, part) =>
        logger.error({ error, table: part?.table, part: part?.name }, 'a damaged part could not be set aside'),
    },
  })
}

/** Brings the schema up to date and settles what the last stop left in the commit log; from then on tells `readiness` whether the engine takes commits in. */
export async function openTraceStore(
  { config, dataDir, logger }: Environment,
  { engine, journal, readiness }: TraceStoreParts,
): Promise<LoggedTraceStore> {
  await openTelemetrySchema(engine)
  await dropSalvageLeftovers(engine)
  return LoggedTraceStore.open(new ClickHouseTraceStore(engine), join(dataDir, 'commit-log'), {
    committedVersion: journal.last().version,
    fullText: config.fullText,
    timers: systemTimers,
    onSettledAtStart: (commits) => logger.info({ commits }, 'settled commits that the last stop left in the log'),
    onError: (error) => {
      logger.error({ error }, 'commits could not be moved from the log into the engine yet')
      readiness.report('engine', 'the engine takes nothing in')
    },
    onRecovered: () => {
      logger.warn('the engine takes commits in again')
      readiness.report('engine', null)
    },
    onReleaseError: (error) => logger.error({ error }, 'a file of the commit log could not be removed yet'),
  })
}

interface TraceStoreParts {
  readonly engine: TelemetryEngine
  readonly journal: Journal
  readonly readiness: Readiness
}
