import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/* The schema of each receiver, by its own documentation: it refuses a message that breaks it. */

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const strict = (properties: Record<string, TSchema>) => Type.Object(properties, { additionalProperties: false })
const optional = Type.Optional

const markup = (maxLength: number) =>
  strict({ type: Type.Literal('mrkdwn'), text: text(maxLength), verbatim: optional(Type.Boolean()) })

const SLACK = strict({
  text: text(40_000),
  blocks: Type.Array(
    Type.Union([
      strict({
        type: Type.Literal('header'),
        text: strict({ type: Type.Literal('plain_text'), text: text(150), emoji: Type.Boolean() }),
      }),
      strict({ type: Type.Literal('section'), text: markup(3000) }),
      strict({ type: Type.Literal('section'), fields: Type.Array(markup(2000), { minItems: 1, maxItems: 10 }) }),
      strict({ type: Type.Literal('context'), elements: Type.Array(markup(3000), { minItems: 1, maxItems: 10 }) }),
    ]),
    { minItems: 1, maxItems: 50 },
  ),
})

const DISCORD = strict({
  allowed_mentions: strict({ parse: Type.Array(Type.String(), { maxItems: 0 }) }),
  embeds: Type.Array(
    strict({
      title: text(256),
      description: optional(text(4096)),
      url: optional(Type.String({ pattern: '^https?://' })),
      color: Type.Integer({ minimum: 0, maximum: 0xffffff }),
      fields: Type.Array(strict({ name: text(256), value: text(1024), inline: Type.Boolean() }), { maxItems: 25 }),
      timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT' }),
    }),
    { minItems: 1, maxItems: 10 },
  ),
})

const PAGERDUTY = strict({
  routing_key: Type.String({ minLength: 32, maxLength: 32 }),
  event_action: Type.Enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: text(255),
  payload: strict({
    summary: text(1024),
    source: text(1024),
    severity: Type.Enum(['critical', 'error', 'warning', 'info']),
    timestamp: Type.String(),
    class: Type.String(),
    custom_details: Type.Record(Type.String(), Type.String()),
  }),
  client: Type.String(),
  client_url: optional(Type.String({ pattern: '^https?://' })),
  links: optional(Type.Array(strict({ href: Type.String(), text: Type.String() }))),
})

export const RECEIVER_SCHEMAS = { slack: Compile(SLACK), discord: Compile(DISCORD), pagerduty: Compile(PAGERDUTY) }
