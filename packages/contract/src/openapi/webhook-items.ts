import type { JsonSchema, Parameter, PathItem, ResponseObject } from './openapi-document.ts'
import type { SchemaComponents } from './schema-components.ts'
import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../events.ts'
import { EVENT_BODY_BYTES } from '../limits.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-event.ts'

const SIGNATURE =
  'Verify the signature over the raw bytes of the body before you use any of it. Answer with any `2xx` within 15 s. Any other answer, including a redirect, is a failure and the delivery is retried; `410` disables the webhook. The same event can arrive more than once, with the same `id`.'

const header = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

const text = (pattern: string): JsonSchema => ({ type: 'string', pattern })

const HEADERS: readonly Parameter[] = [
  header(
    'X-Service-Signature',
    '`sha256=` and, in lower-case hex, HMAC-SHA256 over the raw body with the UTF-8 bytes of the current secret.',
    text('^sha256=[0-9a-f]{64}$'),
  ),
  header('webhook-id', 'The id of the event, equal to `id` in the body (Standard Webhooks).', { type: 'string' }),
  header('webhook-timestamp', 'When this attempt was made, Unix seconds. Refuse old timestamps.', text('^\\d+$')),
  header(
    'webhook-signature',
    'For each valid secret `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, separated by spaces.',
    text('^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$'),
  ),
  header('x-spoor-event', 'The type of the event.', { type: 'string' }),
  header('x-spoor-delivery', 'The id of the delivery.', { type: 'string' }),
  header('x-spoor-attempt', 'The number of this attempt, from 1.', text('^[1-9]\\d*$')),
]

const RESPONSES: Record<string, ResponseObject> = {
  '2XX': { description: 'The event was received. Only the status matters.' },
  '410': { description: 'The receiver no longer exists: the webhook is disabled.' },
}

/** The requests that the service sends: one for each event type, under its name. */
export function buildWebhooks(components: SchemaComponents): Record<string, PathItem> {
  const items: Record<string, PathItem> = {}
  for (const type of DELIVERED_EVENT_TYPES) {
    items[type] = {
      post: {
        operationId: `on${type.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase())}`,
        tags: ['webhooks'],
        summary: EVENT_TYPES[type].description,
        description: SIGNATURE,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          description: `The event, at most ${EVENT_BODY_BYTES.toLocaleString('en')} bytes; the bytes are the same in every attempt.`,
          content: { 'application/json': { schema: components.resolve(WEBHOOK_EVENTS[type]) } },
        },
        responses: RESPONSES,
      },
    }
  }
  return items
}
