import type {
  ClusterCreatedEvent,
  ClusterPatternEvent,
  ClusterShiftedEvent,
  MetricRecordedEvent,
  MetricRemovedEvent,
  MonitorFiredEvent,
  MonitorResolvedEvent,
  PingEvent,
  TraceCommittedEvent,
  TraceCompletedEvent,
  TraceFlaggedEvent,
  VersionRegressedEvent,
} from './client/generated/api-types.ts'

export type {
  Cluster as WebhookCluster,
  ClusterCreatedEvent,
  ClusterPatternEvent,
  ClusterShiftedEvent,
  MetricEvent as WebhookMetricEvent,
  MetricRecordedEvent,
  MetricRemovedEvent,
  Monitor as WebhookMonitor,
  PingEvent,
  TraceCommittedEvent,
  TraceCompletedEvent,
  TraceFlaggedEvent,
  TraceRow as WebhookTrace,
  VersionRegressedEvent,
} from './client/generated/api-types.ts'

export type MonitorEvent = MonitorFiredEvent | MonitorResolvedEvent

/** Distinguished by `type`. An event has at most 20,000 bytes: `data.truncated` lists the places that were cut. */
export type WebhookEvent =
  | TraceCommittedEvent
  | TraceCompletedEvent
  | TraceFlaggedEvent
  | MetricRecordedEvent
  | MetricRemovedEvent
  | MonitorEvent
  | ClusterCreatedEvent
  | ClusterShiftedEvent
  | ClusterPatternEvent
  | VersionRegressedEvent
  | PingEvent
