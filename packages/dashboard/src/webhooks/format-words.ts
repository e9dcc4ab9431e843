import type { WebhookFormat } from '@spoor/contract/webhook-formats'

interface FormatWords {
  readonly name: string
  /** Where events of this form go. */
  readonly hint: string
  readonly placeholder: string
}

export const FORMAT_WORDS: Readonly<Record<WebhookFormat, FormatWords>> = {
  json: {
    name: 'JSON event',
    hint: 'Signed events for a receiver of your own. A 2xx response within 15 s is a success; otherwise Spoor retries for up to 24 hours.',
    placeholder: 'https://example.com/hooks/spoor',
  },
  slack: {
    name: 'Slack message',
    hint: 'The URL of an incoming webhook of Slack.',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  discord: {
    name: 'Discord message',
    hint: 'The URL of a webhook of a Discord channel.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
  pagerduty: {
    name: 'PagerDuty incident',
    hint: 'The URL of the Events API v2. A monitor that resolves ends its incident.',
    placeholder: 'https://events.pagerduty.com/v2/enqueue',
  },
}
