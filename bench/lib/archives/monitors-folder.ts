import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { MetricId, ProjectId } from '../../../packages/contract/src/ids.ts'
import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { createIdGenerator } from '../../../packages/server/src/lib/ids/ids.ts'
import { systemRandomBytes } from '../../../packages/server/src/lib/ids/random.ts'
import type { Monitor } from '../../../packages/server/src/ports/monitors/monitor.ts'
import { bootstrap } from '../../../packages/server/src/projects/bootstrap.ts'
import { newSecret } from '../../../packages/server/src/projects/key-format.ts'
import { type ControlStore, openControlStore } from '../../../packages/server/src/storage/sql/open-control-store.ts'
import { monitorMeasures, type MonitorMeasure, NO_FILTERS } from './monitor-measures.ts'
import { buildMonitoredTelemetry, MONITORED_METRICS, type SeriesArchiveSize } from './series-archive.ts'

export interface MonitorsFolder {
  readonly key: string
  /** Names of metrics without events, each with a monitor that fires above 10. */
  readonly alarms: readonly string[]
}

export interface MonitorsFolderOptions extends SeriesArchiveSize {
  readonly monitors: number
  /** How many of the monitors are alarms. */
  readonly alarms: number
  /**
   * All events and traces are before this time. It is later than now, so that windows are equally full throughout the
   * bench.
   */
  readonly end: number
}

const ids = createIdGenerator(systemClock, systemRandomBytes)
/** Added to the number of commits that the archive's rows contain. */
const ARCHIVED_VERSION = 1_000_000

/** Creates a data directory for the service. Only alarms change their state. */
export async function buildMonitorsFolder(dataDir: string, options: MonitorsFolderOptions): Promise<MonitorsFolder> {
  const control = openControlStore({ dataDir, clock: systemClock, create: true })
  const key = newSecret(systemRandomBytes)
  const { projectId } = await bootstrap({ ...control, clock: systemClock, ids, randomBytes: systemRandomBytes }, key)
  for (const [n, id] of MONITORED_METRICS.entries()) {
    await addMetric(control, projectId, { id, name: `metric-${n}`, kind: n % 2 === 1 ? 'numeric' : 'boolean' })
  }
  const names = new Map(MONITORED_METRICS.map((id, n) => [id, `metric-${n}`]))
  for (const asked of monitorMeasures(options.monitors - options.alarms)) {
    const { source } = asked.question
    const metric = source.kind === 'metric' ? names.get(source.metricId)! : ''
    await addMonitor(control, projectId, asked, metric, 1e15)
  }
  const alarms = Array.from({ length: options.alarms }, (_, n) => `alarm-${n}`)
  for (const name of alarms) {
    const id = ids.newId('met')
    await addMetric(control, projectId, { id, name, kind: 'numeric' })
    const source = { kind: 'metric', metricId: id } as const
    const question = { source, filters: NO_FILTERS, aggregation: 'max', option: null, forEach: null } as const
    await addMonitor(control, projectId, { question, windowMs: 300_000 }, name, 10)
  }
  control.journal.append({
    version: ARCHIVED_VERSION,
    committedAt: Date.now(),
    lastTraceId: null,
    projects: [],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [],
  })
  control.close()
  const directory = join(dataDir, 'telemetry')
  mkdirSync(directory)
  await buildMonitoredTelemetry(directory, { projectId, end: options.end }, options)
  return { key, alarms }
}

async function addMetric(
  control: ControlStore,
  projectId: ProjectId,
  { id, name, kind }: { readonly id: MetricId; readonly name: string; readonly kind: 'numeric' | 'boolean' },
): Promise<void> {
  const meaning = { description: null, min: null, max: null, unit: null, options: null, direction: null }
  const now = Date.now()
  await control.metrics.add({ ...meaning, projectId, id, name, kind, createdAt: now, updatedAt: now }, 1000)
}

async function addMonitor(
  control: ControlStore,
  projectId: ProjectId,
  { question, windowMs }: MonitorMeasure,
  metric: string,
  threshold: number,
): Promise<void> {
  const { source, filters, aggregation, option } = question
  const now = Date.now()
  const monitor: Monitor = {
    projectId,
    id: ids.newId('mon'),
    // For an alarm, the name of its metric, by which it is found.
    name: metric === '' ? 'traces' : metric,
    enabled: true,
    definition: {
      source: source.kind === 'metric' ? { ...source, metric, option } : source,
      filters,
      forEach: null,
      aggregation,
      windowMs,
      comparison: 'gt',
      threshold,
      resolveThreshold: null,
      minSamples: 1,
      consecutive: 1,
      noData: 'hold',
    },
    revision: 1,
    createdAt: now,
    updatedAt: now,
    groups: new Map(),
    standing: {
      state: 'normal',
      stateSince: now,
      breaches: 0,
      lastValue: null,
      lastSamples: null,
      lastEvaluatedAt: null,
    },
  }
  if (!(await control.monitors.create(monitor, 100_000))) throw new Error('there are too many monitors')
}
