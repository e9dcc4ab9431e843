import { Type, type Static } from 'typebox'
import { WEBHOOK_EVENT_TYPES } from '../events.ts'
import { NAME_LENGTH, WEBHOOK_SECRET_LENGTH, WEBHOOK_URL_LENGTH } from '../limits.ts'
import { idString, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'

const DISABLED_REASONS = ['by_request', 'gone', 'no_success'] as const

const EventType = Type.Enum(WEBHOOK_EVENT_TYPES, { description: 'A type of event.' })

const secret = Type.Optional(
  Type.String({
    minLength: WEBHOOK_SECRET_LENGTH.least,
    maxLength: WEBHOOK_SECRET_LENGTH.most,
    description: `What signs deliveries: ${WEBHOOK_SECRET_LENGTH.least} to ${WEBHOOK_SECRET_LENGTH.most} printable characters; a shorter one is refused (\`too_short\`). One that begins with \`whsec_\` goes on in base64. Never shown again. Absent: the service makes one and shows it in this answer.`,
  }),
)

const url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH,
  description:
    'Where deliveries go: `http` or `https`, without user name, password and fragment. Private addresses are refused unless the operator allows them.',
  examples: ['https://example.com/hooks/spoor'],
})

const events = Type.Array(EventType, {
  minItems: 1,
  description: 'Which types of event are delivered; given twice counts once.',
})

const description = Type.Optional(
  Type.String({ maxLength: NAME_LENGTH, description: 'What it is for, in words. Empty unless it is given.' }),
)

const enabled = Type.Optional(
  Type.Boolean({
    description:
      'Whether it gets events. A new webhook does unless this is false. Enabling it again begins with what happens from then on.',
  }),
)

export const WebhookCreate = Type.Object(
  { url, events, description, secret, enabled },
  { additionalProperties: false, description: 'A webhook to make.' },
)
export type WebhookCreate = Static<typeof WebhookCreate>

export const WebhookPatch = Type.Object(
  { url: Type.Optional(url), events: Type.Optional(events), description, enabled },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'What to change; what is not given stays. The secret is changed by rotation.',
  },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookRotate = Type.Object(
  { secret },
  { additionalProperties: false, description: 'The next secret of a webhook, or nothing.' },
)
export type WebhookRotate = Static<typeof WebhookRotate>

const webhookFields = {
  id: idString('wh', 'The webhook.'),
  project_id: idString('proj', 'Its project.'),
  url: Type.String({
    description:
      'Where deliveries go. A key without `manage` sees scheme, host and port alone, with `/…` for the rest: `https://example.com/…`.',
  }),
  events: Type.Array(EventType, { description: 'Which types of event are delivered, each once.' }),
  description: Type.String({ description: 'What it is for.' }),
  enabled: Type.Boolean({ description: 'Whether it gets events.' }),
  disabled_reason: Type.Unsafe<(typeof DISABLED_REASONS)[number] | null>({
    type: ['string', 'null'],
    enum: [...DISABLED_REASONS, null],
    description:
      'Why it gets none: it was asked for; its receiver answered `410`; no delivery succeeded for 5 days. Null while it is enabled.',
  }),
  disabled_at: nullablePrintedTime('Since when it gets none; null while it is enabled.'),
  previous_secret_expires_at: nullablePrintedTime(
    'Until when the secret before the current one signs too; null when it does not any more.',
  ),
  created_at: printedTime('When it was made.'),
  updated_at: printedTime('When it was last changed. A little ahead when it was changed several times at once.'),
}

export const Webhook = Type.Object(webhookFields, {
  additionalProperties: false,
  description: 'A webhook, without its secret.',
})
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...webhookFields,
    secret: Type.Optional(Type.String({ description: 'Its secret, when the service made it. Shown this once.' })),
  },
  { additionalProperties: false, description: 'A webhook, with its secret if the service made it just now.' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const WebhookList = Type.Object(
  {
    webhooks: Type.Array(Webhook, { description: 'One page of webhooks, oldest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of webhooks.' },
)
export type WebhookList = Static<typeof WebhookList>
