const TRACE_PARTS = [
  '/trace/metadata',
  '/trace/models',
  '/reason',
  '/trace/session_id',
  '/trace/user_id',
  '/trace/name',
] as const
const CLUSTER_PARTS = [
  '/left',
  '/joined',
  '/cluster/centroid',
  '/cluster/keywords',
  '/cluster/description',
  '/previous',
  '/cluster/label',
] as const

/**
 * What an event is of. It decides what the journal keeps of the event, where `data` comes from, and its fields
 * (schemas/webhook-event.ts). `cutFirst`: JSON pointers into `data`, in the order in which they are cut when the body
 * would be too large. Those are the parts that can be large; the least missed comes first.
 */
export const EVENT_SUBJECTS = {
  /** A trace: its row as it stands when the event is sent. */
  trace: { cutFirst: TRACE_PARTS },
  /** A trace, with the reason for its flag. */
  flag: { cutFirst: TRACE_PARTS },
  /** A metric event, as it was recorded. */
  'metric event': {
    cutFirst: ['/event/metadata', '/event/comment', '/event/idempotency_key', '/event/value', '/event/name'],
  },
  /** A monitor that changed its state, as it was then. */
  transition: { cutFirst: ['/monitor/filters', '/monitor/name', '/monitor/source/metric', '/monitor/source/option'] },
  /** A cluster, as it was printed when the event was committed. */
  cluster: { cutFirst: CLUSTER_PARTS },
  /** A cluster and how it differs from the run before, as it was printed when the event was committed. */
  'cluster change': { cutFirst: CLUSTER_PARTS },
  /** A webhook that a user tests. The journal never holds one. */
  test: { cutFirst: [] },
} as const satisfies Readonly<Record<string, { readonly cutFirst: readonly string[] }>>
export type EventSubject = keyof typeof EVENT_SUBJECTS

interface EventTypeRow {
  /** In the journal and in the rows of deliveries: never changed, never used again. */
  readonly code: number
  readonly subject: EventSubject
  /** When it happens, one sentence: in OpenAPI, in docs/guide/webhooks.md and beside the choice in the dashboard. */
  readonly description: string
  /** Name of the body's schema in OpenAPI. */
  readonly schema: string
}

/** The one table of the types of events that deliveries carry. Docs: docs/design/changing-one-concept.md. */
export const EVENT_TYPES = {
  'trace.committed': {
    code: 1,
    subject: 'trace',
    description: 'A trace was committed: one event for each.',
    schema: 'TraceCommittedEvent',
  },
  'trace.flagged': {
    code: 2,
    subject: 'flag',
    description: 'A trace was marked failed, or flagged.',
    schema: 'TraceFlaggedEvent',
  },
  'metric.event': {
    code: 3,
    subject: 'metric event',
    description: 'A metric event was recorded.',
    schema: 'MetricRecordedEvent',
  },
  'monitor.fired': {
    code: 4,
    subject: 'transition',
    description: 'A monitor crossed its threshold.',
    schema: 'MonitorFiredEvent',
  },
  'monitor.resolved': {
    code: 5,
    subject: 'transition',
    description: 'A monitor returned to normal.',
    schema: 'MonitorResolvedEvent',
  },
  'cluster.created': {
    code: 6,
    subject: 'cluster',
    description: 'A new cluster appeared.',
    schema: 'ClusterCreatedEvent',
  },
  'cluster.shifted': {
    code: 7,
    subject: 'cluster change',
    description: 'The members of a cluster changed materially.',
    schema: 'ClusterShiftedEvent',
  },
  ping: {
    code: 8,
    subject: 'test',
    description: 'A test, sent when `POST …/ping` asks for it.',
    schema: 'PingEvent',
  },
} as const satisfies Readonly<Record<string, EventTypeRow>>

/** What deliveries carry: what was subscribed to, and the `ping` that a user asks for. */
export type DeliveredEventType = keyof typeof EVENT_TYPES
export const DELIVERED_EVENT_TYPES = Object.keys(EVENT_TYPES) as readonly DeliveredEventType[]

/** The types of events that are of this. */
export type EventTypeOf<Subject extends EventSubject> = {
  [Type in DeliveredEventType]: (typeof EVENT_TYPES)[Type]['subject'] extends Subject ? Type : never
}[DeliveredEventType]

/** What a webhook subscription can ask for. */
export type WebhookEventType = Exclude<DeliveredEventType, EventTypeOf<'test'>>
export const WEBHOOK_EVENT_TYPES = DELIVERED_EVENT_TYPES.filter(
  (type): type is WebhookEventType => EVENT_TYPES[type].subject !== 'test',
)

const TYPES_BY_CODE = new Map<number, DeliveredEventType>(
  DELIVERED_EVENT_TYPES.map((type) => [EVENT_TYPES[type].code, type]),
)

/** The type that is stored as `code`; undefined for a code that no type has. */
export function eventTypeOf(code: number): DeliveredEventType | undefined {
  return TYPES_BY_CODE.get(code)
}

/** The `event:` names of the tail: a committed trace; a position so old that the traces since then can no longer be told. */
export const TAIL_EVENTS = ['trace.committed', 'gap'] as const
export type TailEvent = (typeof TAIL_EVENTS)[number]
