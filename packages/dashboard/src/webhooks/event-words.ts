import type { WebhookEventType } from '@spoor/contract/events'

/** When each type of event happens. */
export const EVENT_WORDS: Readonly<Record<WebhookEventType, string>> = {
  'trace.committed': 'A trace was recorded: every one of them.',
  'trace.flagged': 'A trace was marked failed or flagged.',
  'metric.event': 'A metric event was recorded.',
  'monitor.fired': 'A monitor crossed its threshold.',
  'monitor.resolved': 'A monitor is back to normal.',
  'cluster.created': 'A new cluster of traces appeared.',
  'cluster.shifted': 'The traces of a cluster changed considerably.',
}
