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
 * What an event is about. The subject decides what the journal stores for the event, where `data` comes from, and the
 * fields of `data` (schemas/webhook-event.ts). `cutFirst`: JSON pointers into `data` of the parts that can be large, in
 * the order in which they are cut when the body would be too large, the least important first.
 */
export const EVENT_SUBJECTS = {
  /** A trace: its row at the time the event is sent. */
  trace: { cutFirst: TRACE_PARTS },
  /** A trace, with the reason for its flag. */
  flag: { cutFirst: TRACE_PARTS },
  'metric event': {
    cutFirst: ['/event/metadata', '/event/comment', '/event/idempotency_key', '/event/value', '/event/name'],
  },
  /** A metric event that was removed: only its ids are left. */
  'removed event': { cutFirst: [] },
  /** A monitor that changed state, as it was at that time. */
  transition: { cutFirst: ['/monitor/filters', '/monitor/name', '/monitor/source/metric', '/monitor/source/option'] },
  /** A cluster, serialized when the event was committed. */
  cluster: { cutFirst: CLUSTER_PARTS },
  /** A cluster and its changes since the previous run, serialized when the event was committed. */
  'cluster change': { cutFirst: CLUSTER_PARTS },
  /** A pattern of the failed runs of a cluster, serialized when the event was committed. */
  'cluster pattern': {
    cutFirst: ['/cluster/centroid', '/cluster/keywords', '/cluster/description', '/pattern/what'],
  },
  /** A version, serialized when the event was committed. */
  version: { cutFirst: ['/patterns', '/version', '/compared_with'] },
  /** A webhook that a user tests. The journal never stores this event. */
  test: { cutFirst: [] },
} as const satisfies Readonly<Record<string, { readonly cutFirst: readonly string[] }>>
export type EventSubject = keyof typeof EVENT_SUBJECTS

interface EventTypeRow {
  /** Stored in the journal and in deliveries: never changed, never reused. */
  readonly code: number
  readonly subject: EventSubject
  /** When it happens, one sentence: in OpenAPI, in docs/guide/webhooks.md and beside the choice in the dashboard. */
  readonly description: string
  /** In messages, before the name of the subject. Absent: the subject says it. */
  readonly happened?: string
  /** The name of the body's schema in OpenAPI. */
  readonly schema: string
}

/** The one table of delivered event types. Docs: docs/design/changing-one-concept.md. */
export const EVENT_TYPES = {
  'trace.committed': {
    code: 1,
    subject: 'trace',
    description: 'A trace was committed; one event for each trace.',
    happened: 'Run recorded',
    schema: 'TraceCommittedEvent',
  },
  'trace.completed': {
    code: 9,
    subject: 'trace',
    description: 'A trace is complete; one event for each trace.',
    happened: 'Run complete',
    schema: 'TraceCompletedEvent',
  },
  'trace.flagged': {
    code: 2,
    subject: 'flag',
    description: 'A trace was marked as failed or flagged.',
    happened: 'Run flagged',
    schema: 'TraceFlaggedEvent',
  },
  'metric.event': {
    code: 3,
    subject: 'metric event',
    description: 'A metric event was recorded.',
    schema: 'MetricRecordedEvent',
  },
  'metric.removed': {
    code: 12,
    subject: 'removed event',
    description: 'A metric event was removed.',
    happened: 'Score removed',
    schema: 'MetricRemovedEvent',
  },
  'monitor.fired': {
    code: 4,
    subject: 'transition',
    description: 'A monitor crossed its threshold.',
    happened: 'Monitor fired',
    schema: 'MonitorFiredEvent',
  },
  'monitor.resolved': {
    code: 5,
    subject: 'transition',
    description: 'A monitor returned to normal.',
    happened: 'Monitor resolved',
    schema: 'MonitorResolvedEvent',
  },
  'cluster.created': {
    code: 6,
    subject: 'cluster',
    description: 'A new cluster appeared.',
    happened: 'New cluster',
    schema: 'ClusterCreatedEvent',
  },
  'cluster.shifted': {
    code: 7,
    subject: 'cluster change',
    description: 'The members of a cluster changed materially.',
    happened: 'Cluster changed',
    schema: 'ClusterShiftedEvent',
  },
  'cluster.pattern': {
    code: 10,
    subject: 'cluster pattern',
    description: 'A discovery found a new pattern among the failed runs of a cluster.',
    happened: 'New pattern of failure',
    schema: 'ClusterPatternEvent',
  },
  'version.regressed': {
    code: 11,
    subject: 'version',
    description: 'A version fails more often than the version before it; one event for each version and cluster.',
    happened: 'Version regressed',
    schema: 'VersionRegressedEvent',
  },
  ping: {
    code: 8,
    subject: 'test',
    description: 'A test event, sent by `POST …/ping`.',
    happened: 'Test message from Spoor',
    schema: 'PingEvent',
  },
} as const satisfies Readonly<Record<string, EventTypeRow>>

/** The types of delivered events: the types of subscriptions, and the `ping` that a user requests. */
export type DeliveredEventType = keyof typeof EVENT_TYPES
export const DELIVERED_EVENT_TYPES = Object.keys(EVENT_TYPES) as readonly DeliveredEventType[]

export type EventTypeOf<Subject extends EventSubject> = {
  [Type in DeliveredEventType]: (typeof EVENT_TYPES)[Type]['subject'] extends Subject ? Type : never
}[DeliveredEventType]

/** The event types that a webhook can subscribe to. */
export type WebhookEventType = Exclude<DeliveredEventType, EventTypeOf<'test'>>
export const WEBHOOK_EVENT_TYPES = DELIVERED_EVENT_TYPES.filter(
  (type): type is WebhookEventType => EVENT_TYPES[type].subject !== 'test',
)

const TYPES_BY_CODE = new Map<number, DeliveredEventType>(
  DELIVERED_EVENT_TYPES.map((type) => [EVENT_TYPES[type].code, type]),
)

/** The type stored as `code`; undefined for an unknown code. */
export function eventTypeOf(code: number): DeliveredEventType | undefined {
  return TYPES_BY_CODE.get(code)
}

/**
 * The `event:` names of the tail: a committed trace; a gap, when the journal no longer holds the requested position.
 */
export const TAIL_EVENTS = ['trace.committed', 'gap'] as const
export type TailEvent = (typeof TAIL_EVENTS)[number]
