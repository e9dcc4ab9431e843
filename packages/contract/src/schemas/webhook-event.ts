import { type Static, type TProperties, Type } from 'typebox'
import type { DeliveredEventType } from '../events.ts'
import { Cluster } from './cluster.ts'
import { MetricEvent } from './metrics/metric-event.ts'
import { Monitor } from './monitor.ts'
import { count, idString, printedTime } from './primitives.ts'
import { TraceRow } from './traces/trace-row.ts'

const SHIFT_REASONS = ['split', 'merged', 'membership', 'grew', 'shrank'] as const

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const truncated = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'JSON pointers into `data` of what was left out or cut, because the body would have more than 20,000 bytes: an object is `{}`, a list or text keeps its beginning. Absent when nothing was.',
  }),
)

/** The body of a delivery. `data` holds at least what is named: later versions may add fields. */
function eventOf<Name extends DeliveredEventType, Data extends TProperties>(
  type: Name,
  description: string,
  data: Data,
) {
  return Type.Object(
    {
      id: idString('evt', 'The event, the same on every attempt: keep those seen, and each event is handled once.'),
      type: Type.Literal(type, { description: 'The type of event.' }),
      timestamp: printedTime('When it happened.'),
      project_id: idString('proj', 'The project it happened in.'),
      data: Type.Object({ ...data, truncated }, { description: 'What happened.' }),
    },
    { additionalProperties: false, description },
  )
}

const TraceCommittedEvent = eventOf('trace.committed', 'A trace was committed.', { trace: TraceRow })
const TraceFlaggedEvent = eventOf('trace.flagged', 'A trace was marked failed, or flagged.', {
  trace: TraceRow,
  reason: Type.Optional(Type.String({ description: 'Why it was flagged, if the request said so.' })),
})
const MetricRecordedEvent = eventOf('metric.event', 'A metric event was recorded.', { event: MetricEvent })

const crossing = {
  monitor: Monitor,
  value: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The value of its window; null when there was too little data for one.',
  }),
  at: printedTime('The time of the evaluation.'),
}
const MonitorFiredEvent = eventOf('monitor.fired', 'A monitor crossed its threshold.', crossing)
const MonitorResolvedEvent = eventOf('monitor.resolved', 'A monitor returned to normal.', crossing)

const ClusterCreatedEvent = eventOf('cluster.created', 'A new cluster appeared.', { cluster: Cluster })
const ClusterShiftedEvent = eventOf('cluster.shifted', 'The members of a cluster changed materially.', {
  cluster: Cluster,
  previous: Type.Object(
    { size: count('Traces in it.'), share: share('Its share of all traces of the run.') },
    { description: 'The cluster in the run before.' },
  ),
  joined: count('Traces that are in it now and were not before.'),
  left: count('Traces that were in it and are elsewhere now.'),
  similarity: share('How alike its old and new members are; 1: the same.'),
  reason: Type.Enum(SHIFT_REASONS, { description: 'What changed most.' }),
  share: share('Its share of all traces of this run.'),
  split_into: Type.Array(idString('clu', 'A cluster.'), { description: 'Clusters that came out of it.' }),
  merged_from: Type.Array(idString('clu', 'A cluster.'), { description: 'Clusters that went into it.' }),
})
const PingEvent = eventOf('ping', 'A test, sent when `POST …/ping` asks for it.', {
  webhook_id: idString('wh', 'The webhook that was pinged.'),
})

/** The body of each type of event. */
export const WEBHOOK_EVENTS = {
  'trace.committed': TraceCommittedEvent,
  'trace.flagged': TraceFlaggedEvent,
  'metric.event': MetricRecordedEvent,
  'monitor.fired': MonitorFiredEvent,
  'monitor.resolved': MonitorResolvedEvent,
  'cluster.created': ClusterCreatedEvent,
  'cluster.shifted': ClusterShiftedEvent,
  ping: PingEvent,
} as const satisfies Record<DeliveredEventType, unknown>

export type WebhookEvents = { readonly [T in DeliveredEventType]: Static<(typeof WEBHOOK_EVENTS)[T]> }
