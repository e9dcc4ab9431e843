import { DomainError } from '../../../lib/domain-error.ts'
import type { CheckResult } from '../../../operation/check-result.ts'
import { describeClock } from '../../check/describe-clock.ts'
import type { Marks } from '../../cluster/timeline.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { ClickHouseTraceStore } from '../rows/clickhouse-trace-store.ts'
import { telemetryMigrations } from '../migrations/telemetry-migrations.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from './clickhouse-server-engine.ts'
import { schemaProblems } from '../../sql/explain-open-failure.ts'
import { adviseOnIdleLogs } from './idle-logs.ts'

export interface ServerExamination {
  readonly results: readonly CheckResult[]
  /** Empty when it cannot be read. */
  readonly marks: Marks
}

/** The report of a ClickHouse server on itself and the schema. Changes nothing. No result has the password. */
export async function examineServer(options: ClickHouseServerOptions, part = 'clickhouse'): Promise<ServerExamination> {
  const engine = openClickHouseServer({ ...options, database: 'default' })
  const place = `${options.database} at ${options.url}`
  try {
    return await examine(engine, options, place, part)
  } catch (error) {
    const cause = error instanceof DomainError && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { results: [{ part, detail: place, problems: [`ClickHouse cannot be used: ${reason}`] }], marks: [] }
  } finally {
    await engine.close()
  }
}

async function examine(
  engine: TelemetryEngine,
  options: ClickHouseServerOptions,
  place: string,
  part: string,
): Promise<ServerExamination> {
  const sentAt = Date.now()
  const [row] = await engine.select('SELECT version(), toUnixTimestamp64Milli(now64(3))')
  const [version, now] = row as readonly [string, number]
  const clock = describeClock('ClickHouse', now - (sentAt + Date.now()) / 2)
  const migrations = telemetryMigrations()
  const known = migrations.at(-1)?.version ?? 0
  const found = await schemaVersion(engine, options.database)
  const problems = [...clock.problems, ...schemaProblems(found, migrations)]
  const schema = found === 0 ? 'no schema yet' : `schema ${found}`
  const advice = await adviseOnIdleLogs(engine)
  const notes = advice === null ? [] : [{ part: `${part} logs`, detail: advice, problems: [] }]
  const own = { part, detail: `${place}, version ${version}, ${schema}, clock ${clock.detail}`, problems }
  return { results: [own, ...notes], marks: found === known ? await readMarks(options) : [] }
}

async function readMarks(options: ClickHouseServerOptions): Promise<Marks> {
  const engine = openClickHouseServer(options)
  try {
    return await new ClickHouseTraceStore(engine).marks()
  } finally {
    await engine.close()
  }
}

/** 0 when there is none. */
async function schemaVersion(engine: TelemetryEngine, database: string): Promise<number> {
  const there = await engine.select(
    `SELECT 1 FROM system.tables WHERE database = ${text(database)} AND name = 'schema_versions'`,
  )
  if (there.length === 0) return 0
  const [row] = await engine.select(`SELECT max(version) FROM \`${database}\`.schema_versions`)
  return row?.[0] as number
}
