import { type Static, type TProperties, Type } from 'typebox'
import { DELIVERED_EVENT_TYPES, type DeliveredEventType, EVENT_TYPES, type EventSubject } from '../events.ts'
import { EVENT_BODY_BYTES } from '../limits.ts'
import { Cluster } from './cluster.ts'
import { MetricEvent } from './metrics/metric-event.ts'
import { Monitor } from './monitor.ts'
import { closed, count, idString, listOf, printedTime, textOf } from './primitives.ts'
import { FailurePattern } from './traces/failure-patterns.ts'
import { TraceRow } from './traces/trace-row.ts'
import { VersionRegression } from './versions.ts'

const SHIFT_REASONS = ['split', 'merged', 'membership', 'grew', 'shrank'] as const

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const truncated = Type.Optional(
  listOf(
    Type.String(),
    `JSON pointers into \`data\` of the parts that were cut because the body would have more than ${EVENT_BODY_BYTES.toLocaleString('en')} bytes: an object is \`{}\`, a list or text keeps its beginning. Absent if nothing was cut.`,
  ),
)

/** The fields of `data` by subject, without `truncated`. */
const DATA = {
  trace: { trace: TraceRow },
  flag: {
    trace: TraceRow,
    reason: Type.Optional(textOf('Why it was flagged, if the request gave a reason.')),
  },
  'metric event': { event: MetricEvent },
  'removed event': {
    event: Type.Object(
      { id: idString('mev', 'The event.'), trace_id: idString('tr', 'The trace that it was about.') },
      { description: 'The event that was removed.' },
    ),
  },
  transition: {
    monitor: Monitor,
    value: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'The value of the window; null if it had too few rows.',
    }),
    at: printedTime('The time of the evaluation.'),
    group: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The value of the field `for_each` whose state changed; null without one.',
    }),
  },
  cluster: { cluster: Cluster },
  'cluster change': {
    cluster: Cluster,
    previous: Type.Object(
      { size: count('The number of its traces.'), share: share('Its share of all traces of the run.') },
      { description: 'The cluster in the previous run.' },
    ),
    joined: count('Traces that are in it now but were not before.'),
    left: count('Traces that were in it but are in other clusters now.'),
    similarity: share('The similarity of its old and new members; 1: identical.'),
    reason: Type.Enum(SHIFT_REASONS, { description: 'What changed most.' }),
    share: share('Its share of all traces of this run.'),
    split_into: listOf(idString('clu', 'A cluster.'), 'Clusters that it split into.'),
    merged_from: listOf(idString('clu', 'A cluster.'), 'Clusters that were merged into it.'),
  },
  'cluster pattern': {
    cluster: Cluster,
    pattern: FailurePattern,
    failure_by: textOf('Which runs counted as failed.'),
  },
  version: VersionRegression,
  test: { webhook_id: idString('wh', 'The webhook that was pinged.') },
} as const satisfies Record<EventSubject, TProperties>

type DataOf<Name extends DeliveredEventType> = (typeof DATA)[(typeof EVENT_TYPES)[Name]['subject']]

/** The body of a delivery. `data` has at least these fields: later versions may add some. */
function eventOf<Name extends DeliveredEventType, Data extends TProperties>(type: Name, data: Data) {
  return closed(EVENT_TYPES[type].description, {
    id: idString(
      'evt',
      'The event, the same in every attempt. Store the ids you have handled, so that you handle each event once.',
    ),
    type: Type.Literal(type, { description: 'The type of the event.' }),
    timestamp: printedTime('When it happened.'),
    project_id: idString('proj', 'The project of the event.'),
    data: Type.Object({ ...data, truncated }, { description: 'What happened.' }),
  })
}

/** The body of each event type. */
export const WEBHOOK_EVENTS = Object.fromEntries(
  DELIVERED_EVENT_TYPES.map((type) => [type, eventOf(type, DATA[EVENT_TYPES[type].subject])]),
) as {
  readonly [Name in DeliveredEventType]: ReturnType<typeof eventOf<Name, DataOf<Name>>>
}

export type WebhookEvents = { readonly [T in DeliveredEventType]: Static<(typeof WEBHOOK_EVENTS)[T]> }
