import { printClusterNews, printClusterPattern } from '../../wire/cluster-to-wire.ts'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { printRegression } from '../../wire/versions-to-wire.ts'
import { printMonitor } from '../../wire/monitor-to-wire.ts'
import { toTraceRow } from '../../wire/to-wire.ts'
import type { JournalEvent } from '../../ports/journal/journal.ts'
import type { Monitor } from '../../ports/monitors/monitor.ts'
import { DRAFT } from '../../monitors/monitor-world.test-support.ts'
import { metricEventRecord } from '../../traces/commit/metric-event-builders.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { traceRecord } from '../../traces/trace-builders.test-support.ts'
import { idOf, NOW, PROJECT } from '../../ports/webhooks/delivery-builders.test-support.ts'
import { renderEvents } from './render-events.ts'

const TRACE = idOf('tr', 1)
const METRIC_EVENT = metricEventRecord(idOf('mev', 1), { traceId: TRACE })
const { name, enabled, ...definition } = DRAFT
const MONITOR: Monitor = {
  name,
  enabled,
  definition: { ...definition, source: { kind: 'metric', metric: 'score', metricId: idOf('met', 1), option: null } },
  id: idOf('mon', 1),
  projectId: PROJECT,
  createdAt: NOW,
  updatedAt: NOW,
  revision: 1,
  groups: new Map(),
  standing: { state: 'normal', stateSince: NOW, lastValue: 1, lastSamples: 3, lastEvaluatedAt: NOW, breaches: 0 },
}
const CLUSTER = {
  id: idOf('clu', 1),
  label: 'refunds',
  description: 'Traces about refunds.',
  keywords: ['refund'],
  color: 'ok',
  judged: 20,
  errorRate: 0.1,
  size: 20,
  parent: null,
  firstSeenAt: NOW,
} as const

const PATTERNS = {
  patterns: [
    {
      kind: 'tool',
      name: 'pay',
      value: null,
      failed: 8,
      succeeded: 1,
      moreIn: 'failed',
      qValue: 0.01,
      examples: { failed: [idOf('tr', 1)], succeeded: [] },
    },
  ],
  failed: 9,
  succeeded: 20,
  complete: true,
} as const
const REGRESSION = {
  version: '2.1',
  comparedWith: '2.0',
  cluster: CLUSTER,
  comparison: { now: { failed: 30, runs: 60 }, before: { failed: 6, runs: 60 }, evidence: 2000, regressed: true },
  versionKey: 'version',
  failureBy: 'status',
  patterns: PATTERNS,
  shown: 5,
} as const

function transition(to: 'normal' | 'fired') {
  return {
    projectId: PROJECT,
    monitorId: MONITOR.id,
    revision: 1,
    group: null,
    to,
    cause: 'evaluation',
    previouslyEvaluatedAt: null,
    at: NOW,
    value: to === 'fired' ? 0.5 : null,
    samples: 3,
    threshold: 1,
    monitor: printMonitor(MONITOR),
  } as const
}

const shifted = printClusterNews(
  {
    kind: 'shifted',
    cluster: CLUSTER,
    reason: 'split',
    similarity: 0.4,
    previous: { size: 30, share: 0.6 },
    share: 0.3,
    joined: 2,
    left: 12,
    splitInto: [idOf('clu', 2)],
    mergedFrom: [],
  },
  'requests',
)

/** One event of each type that a webhook can subscribe to, and a flag without a reason. */
export const EVENTS = [
  { type: 'trace.committed', traceId: TRACE },
  { type: 'trace.flagged', traceId: TRACE, reason: 'wrong answer' },
  { type: 'trace.flagged', traceId: TRACE, reason: null },
  { type: 'metric.event', traceId: TRACE, eventId: METRIC_EVENT.id },
  { type: 'metric.removed', traceId: TRACE, eventId: METRIC_EVENT.id },
  { type: 'monitor.fired', transition: transition('fired') },
  { type: 'monitor.resolved', transition: transition('normal') },
  { type: 'cluster.created', data: printClusterNews({ kind: 'created', cluster: CLUSTER }, 'requests') },
  { type: 'cluster.shifted', data: shifted },
  { type: 'cluster.pattern', data: printClusterPattern(CLUSTER, 'requests', PATTERNS, 'status') },
  { type: 'version.regressed', data: printRegression(REGRESSION) },
] as unknown as readonly JournalEvent[]

/** The stored bodies of EVENTS. */
export async function storedBodies(
  metadata: string,
  fields: Partial<TraceRecord> = {},
): Promise<readonly Uint8Array[]> {
  const row = toTraceRow(traceRecord(TRACE, { metadata: Buffer.from(metadata), models: ['m'], ...fields }), 1, null)
  const event = toMetricEvent({ name: 'solved', event: { ...METRIC_EVENT, metadata: Buffer.from(metadata) } })
  const rows = {
    traceRows: async () => new Map([[TRACE, row]]),
    metricEvents: async () => new Map([[METRIC_EVENT.id, event]]),
  }
  const wanted = EVENTS.map((one, position) => ({ projectId: PROJECT, position, committedAt: NOW, event: one }))
  return (await renderEvents(rows, wanted)).map((rendered) => rendered.event.body)
}
