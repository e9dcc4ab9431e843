/**
 * What a webhook sends. `json`: the event itself. The others: a message about it, as an incoming webhook of Slack or
 * Discord or the Events API v2 of PagerDuty takes it. Stored with the webhook: never renamed.
 */
export const WEBHOOK_FORMATS = ['json', 'slack', 'discord', 'pagerduty'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]
