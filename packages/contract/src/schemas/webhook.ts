import { Type, type Static } from 'typebox'
import { WEBHOOK_EVENT_TYPES } from '../events.ts'
import { NAME_LENGTH, WEBHOOK_SECRET_LENGTH, WEBHOOK_URL_LENGTH } from '../limits.ts'
import { WEBHOOK_FORMATS } from '../webhook-formats.ts'
import * as schema from './primitives.ts'

const DISABLED_REASONS = ['by_request', 'gone', 'no_success'] as const

const EventType = Type.Enum(WEBHOOK_EVENT_TYPES, { description: 'An event type.' })

const secret = Type.Optional(
  Type.String({
    minLength: WEBHOOK_SECRET_LENGTH.least,
    maxLength: WEBHOOK_SECRET_LENGTH.most,
    description: `The key that signs deliveries: ${WEBHOOK_SECRET_LENGTH.least} to ${WEBHOOK_SECRET_LENGTH.most} printable characters; a shorter one is refused (\`too_short\`). After a \`whsec_\` prefix, the rest is base64. It is never shown again. If omitted, the service generates a secret and shows it in this answer.`,
  }),
)

const url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH,
  description:
    'The URL that receives deliveries: `http` or `https`, without user name, password or fragment. Private addresses are refused unless the operator allows them.',
  examples: ['https://example.com/hooks/spoor'],
})

const format = Type.Optional(
  Type.Enum(WEBHOOK_FORMATS, {
    description:
      'What is sent. `json`: the event. `slack`, `discord`: a message for an incoming webhook of theirs. `pagerduty`: an event for its Events API v2, `https://events.pagerduty.com/v2/enqueue`; the `secret` is the integration key then, and required. Default: `json`. It cannot be changed.',
  }),
)

const events = Type.Array(EventType, {
  minItems: 1,
  description: 'The event types to deliver; duplicates are ignored.',
})

const description = Type.Optional(
  Type.String({ maxLength: NAME_LENGTH, description: 'What the webhook is for, in words. Default: empty.' }),
)

const enabled = Type.Optional(
  schema.flagOf(
    'Whether it gets events. Default for a new webhook: true. A webhook that is enabled again gets events from then on.',
  ),
)

export const WebhookCreate = schema.closed('A webhook to create.', {
  url,
  events,
  format,
  description,
  secret,
  enabled,
})
export type WebhookCreate = Static<typeof WebhookCreate>

export const WebhookPatch = schema.changeOf(
  'What to change; omitted fields stay unchanged. The secret is changed by rotation.',
  { url, events, description, enabled },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookRotate = schema.closed('The next secret of a webhook; `{}` if the service generates it.', {
  secret,
})
export type WebhookRotate = Static<typeof WebhookRotate>

const webhookFields = {
  id: schema.idString('wh', 'The webhook.'),
  project_id: schema.idString('proj', 'The project of the webhook.'),
  url: Type.String({
    description:
      'The URL that receives deliveries. A key without `manage` sees only scheme, host and port, with `/…` for the rest: `https://example.com/…`.',
  }),
  events: schema.listOf(EventType, 'The event types that are delivered, each once.'),
  format: Type.Enum(WEBHOOK_FORMATS, { description: 'What is sent: the event itself or a message about it.' }),
  description: schema.textOf('What the webhook is for.'),
  enabled: schema.flagOf('Whether it gets events.'),
  disabled_reason: schema.nullableEnum(
    DISABLED_REASONS,
    'Why it is disabled. `by_request`: a request disabled it. `gone`: its receiver answered `410`. `no_success`: no delivery succeeded for 5 days. Null while it is enabled.',
  ),
  disabled_at: schema.nullablePrintedTime('Since when it is disabled; null while it is enabled.'),
  previous_secret_expires_at: schema.nullablePrintedTime(
    'Until when the previous secret also signs; null if it no longer does.',
  ),
  created_at: schema.printedTime('When it was created.'),
  updated_at: schema.printedTime(
    'When it was last changed. Slightly in the future if it was changed several times at once.',
  ),
}

export const Webhook = schema.closed('A webhook, without its secret.', webhookFields)
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = schema.closed('A webhook, with its secret if the service has just generated it.', {
  ...webhookFields,
  secret: Type.Optional(schema.textOf('The secret, if the service generated it. Shown only once.')),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const WebhookList = schema.pageOf('webhooks', Webhook, 'oldest first')
export type WebhookList = Static<typeof WebhookList>
