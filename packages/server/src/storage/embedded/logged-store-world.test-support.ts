import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../../ports/journal/metric-event.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { metricEventRecord, newMetricEvent } from '../../traces/commit/metric-event-builders.test-support.ts'
import { idAt, newStep, preparedStep, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { MetricEventStore } from '../../ports/metrics/metric-event-store.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import { ClickHouseMetricEvents } from '../clickhouse/rows/clickhouse-metric-events.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { JoinedMetricEventStore } from '../recent/joined-metric-event-store.ts'
import { LoggedTraceStore } from './logged-trace-store.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { RECORDED_AT_ONCE } from './recorded-at-once.test-support.ts'

/** What a commit does to one trace. */
export interface TraceChange {
  readonly id: TraceId
  /** Bodies of the steps it adds. */
  readonly steps?: readonly string[]
  /** Metadata of the metric events it adds. */
  readonly events?: readonly string[]
  readonly fields?: Partial<TraceRecord>
}

/**
 * Stores that were left as a death leaves them, with their file open: kept, because a file that is collected while it
 * is open is complained of.
 */
const dead: LoggedTraceStore[] = []

/**
 * A store over a real engine and a real log that can die, and the journal's number as the rest of the service knows it.
 * Rows settle only when a test says so.
 */
export class LoggedStoreWorld {
  readonly engine: TelemetryEngine
  readonly directory: string
  readonly errors: unknown[] = []
  timers = new ManualTimers()
  recoveries = 0
  /** What was acknowledged, oldest first. */
  readonly committed: StoredCommit[] = []
  journalVersion: number
  /** Whether the engine's parts are whole. */
  readonly settledRecord = { ...RECORDED_AT_ONCE.settledRecord, isWhole: true }
  store!: LoggedTraceStore
  events!: MetricEventStore
  readonly #firstVersion: number
  #eventsMade = 0

  private constructor(engine: TelemetryEngine, directory: string, firstVersion: number) {
    this.engine = engine
    this.directory = directory
    this.journalVersion = firstVersion - 1
    this.#firstVersion = firstVersion
  }

  static async open(context: TestContext, engine: TelemetryEngine, firstVersion: number): Promise<LoggedStoreWorld> {
    const parent = mkdtempSync(join(tmpdir(), 'spoor-logged-'))
    context.after(() => rmSync(parent, { recursive: true, force: true }))
    const world = new LoggedStoreWorld(engine, join(parent, 'commit-log'), firstVersion)
    await world.start()
    return world
  }

  /** As a process does that begins after another has ended, however it ended. */
  async start(engine = this.engine): Promise<void> {
    // Nothing that waited in the other process goes on.
    this.timers = new ManualTimers()
    const store = await LoggedTraceStore.open(new ClickHouseTraceStore(engine), this.directory, {
      ...RECORDED_AT_ONCE,
      settledRecord: this.settledRecord,
      committedVersion: this.journalVersion,
      fullText: true,
      timers: this.timers,
      onSettledAtStart: () => undefined,
      onError: (error) => this.errors.push(error),
      onRecovered: () => (this.recoveries += 1),
      onReleaseError: (error) => this.errors.push(error),
    })
    this.store = store
    this.events = new JoinedMetricEventStore({
      recent: store.recentMetricEvents,
      settled: new ClickHouseMetricEvents(engine),
      journal: { removedEvents: async () => new Set(), deletedAmong: async () => new Set() },
      clock: { now: () => Date.UTC(2026, 5) },
    })
    dead.push(store)
  }

  get nextVersion(): number {
    return this.journalVersion + 1
  }

  async commit(...changes: readonly TraceChange[]): Promise<void> {
    const commit = this.toCommit(changes)
    await this.store.stage(commit)
    this.acknowledge(commit)
    this.store.publish(commit.version)
  }

  /** A commit of metric events alone: no trace is written. */
  async judge(...changes: readonly TraceChange[]): Promise<void> {
    const commit = { ...this.toCommit(changes), traces: [], steps: [] }
    await this.store.stage(commit)
    this.acknowledge(commit)
    this.store.publish(commit.version)
  }

  acknowledge(commit: StoredCommit): void {
    this.journalVersion = commit.version
    this.committed.push(commit)
  }

  /** The next commit, which is not made by this. */
  toCommit(changes: readonly TraceChange[]): StoredCommit {
    const version = this.nextVersion
    const traces = changes.map(({ id, steps = [], fields = {} }) => {
      const stepCount = this.#stepsOf(id) + steps.length
      return traceRecord(id, { createdAt: timeOfId(id), version, name: `version ${version}`, stepCount, ...fields })
    })
    const steps = changes.flatMap(({ id, steps: bodies = [] }, index) =>
      bodies.map((body, place) =>
        newStep(traces[index]!, this.#stepsOf(id) + place, { prepared: preparedStep({ body: Buffer.from(body) }) }),
      ),
    )
    const metricEvents = changes.flatMap(({ id, events = [] }) =>
      events.map((metadata) => newMetricEvent(this.#nextEvent(id, version, metadata))),
    )
    return { version, traces, steps, metricEvents }
  }

  #nextEvent(traceId: TraceId, version: number, metadata: string): MetricEventRecord {
    const number = (this.#eventsMade += 1)
    // Of several years, in no order, some at the same time.
    const at = Date.UTC(2024 + ((number * 7) % 3), number % 5)
    const createdAt = timeOfId(traceId) + number * 1000
    const id = idAt('mev', createdAt, this.#firstVersion * 1000 + number)
    return metricEventRecord(id, { traceId, version, createdAt, at, metadata: Buffer.from(metadata) })
  }

  /** Readers find exactly what was acknowledged. */
  async assertReads(): Promise<void> {
    for (const [id, trace] of this.newest()) {
      assert.deepEqual(await this.store.findTraces(PROJECT, [id], this.journalVersion), [trace])
      const range = { projectId: PROJECT, traceId: id, fromPosition: 0, limit: 1000, maxVersion: this.journalVersion }
      const steps = await this.store.findSteps(range)
      assert.deepEqual(
        steps.map(({ id: stepId, position, body }) => [stepId, position, body]),
        this.steps(id).map((step) => [step.id, step.position, step.prepared.body.toString()]),
      )
      assert.deepEqual(
        await this.events.findByTraces({ projectId: PROJECT, traceIds: [id], after: null, limit: 1000 }),
        this.eventsOf(id),
      )
    }
  }

  /** The engine holds what was acknowledged, each row once, and nothing else of these traces and versions. */
  async assertSettled(): Promise<void> {
    const first = this.committed[0]?.version ?? this.nextVersion
    const steps = await this.engine.select(
      `SELECT trace_id, position, ver, body FROM steps WHERE ver >= ${first} ORDER BY trace_id, position`,
    )
    const expected = this.committed
      .flatMap((commit) => commit.steps)
      .map((step) => [step.traceId, step.position, step.version, step.prepared.body.toString()] as const)
    assert.deepEqual(
      steps,
      expected.toSorted((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1)),
    )
    const events = this.committed.flatMap(({ metricEvents }) => metricEvents.map(({ record }) => [record.id]))
    for (const table of ['metric_events', 'metric_points']) {
      const stored = await this.engine.select(
        `SELECT id FROM ${table} WHERE ver >= ${first} AND ver < ${first + 1000} ORDER BY id`,
      )
      assert.deepEqual(stored, events.toSorted(), `${table} holds each once and no other`)
    }
    const versions = await this.engine.select(
      `SELECT id, ver, count() FROM traces WHERE ver >= ${first} GROUP BY id, ver`,
    )
    assert.deepEqual(
      versions.filter(([, , count]) => count !== 1),
      [],
      'a version stands there twice',
    )
    const known = new Set(this.committed.flatMap(({ traces }) => traces.map(({ id, version }) => `${id} ${version}`)))
    const stored = new Set(versions.map(([id, version]) => `${id as string} ${version as number}`))
    assert.deepEqual([...stored.difference(known)], [], 'nobody committed it')
    const newest = [...this.newest()].map(([id, { version }]) => `${id} ${version}`)
    assert.deepEqual(
      newest.filter((version) => !stored.has(version)),
      [],
      'a newest version is missing',
    )
  }

  newest(): Map<TraceId, TraceRecord> {
    return new Map(this.committed.flatMap(({ traces }) => traces).map((trace) => [trace.id, trace]))
  }

  eventsOf(id: TraceId): MetricEventRecord[] {
    const records = this.committed.flatMap(({ metricEvents }) => metricEvents.map(({ record }) => record))
    return records.filter(({ traceId }) => traceId === id)
  }

  steps(id: TraceId) {
    return this.committed.flatMap((commit) => commit.steps.filter(({ traceId }) => traceId === id))
  }

  #stepsOf(id: TraceId): number {
    return this.steps(id).length
  }
}

/** The engine, but what `insert` says comes first or instead. */
export function withInsert(
  engine: TelemetryEngine,
  insert: (table: string, real: () => Promise<void>) => Promise<void>,
): TelemetryEngine {
  return { ...engine, insert: (table, rows) => insert(table, () => engine.insert(table, rows)) }
}

export function never(): Promise<never> {
  return new Promise(() => undefined)
}
