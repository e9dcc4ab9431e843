export { verifyServiceSignature } from './verify-service-signature.ts'
export { verifyWebhook, type VerifyWebhookOptions } from './verify-webhook.ts'
export type {
  ClusterCreatedEvent,
  ClusterShiftedEvent,
  MetricRecordedEvent,
  MonitorEvent,
  PingEvent,
  TraceCommittedEvent,
  TraceFlaggedEvent,
  WebhookCluster,
  WebhookEvent,
  WebhookMetricEvent,
  WebhookMonitor,
  WebhookTrace,
} from './webhook-event.ts'
export type { WebhookHeaders } from './webhook-headers.ts'
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './webhook-verification-error.ts'
