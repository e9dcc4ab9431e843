import type { JsonSchema, Parameter, PathItem, ResponseObject } from './openapi-document.ts'
import type { SchemaComponents } from './schema-components.ts'
import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../events.ts'
import { EVENT_BODY_BYTES } from '../limits.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-event.ts'

const SIGNATURE =
  'Verify the signature over the raw bytes of the body before anything of it is used. Answer with any `2xx` within 15 s; everything else, a redirect too, is a failure and is tried again, `410` disables the webhook. The same event can arrive more than once: `id` stays the same.'

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
    '`sha256=` and, in lower-case hex, HMAC-SHA256 over the raw body with the UTF-8 bytes of the newest secret.',
    text('^sha256=[0-9a-f]{64}$'),
  ),
  header('webhook-id', 'The event, `id` of the body (Standard Webhooks).', { type: 'string' }),
  header('webhook-timestamp', 'When this attempt was made, Unix seconds. Refuse old ones.', text('^\\d+$')),
  header(
    'webhook-signature',
    'One `v1,` and base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body` for each live secret, with blanks between them.',
    text('^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$'),
  ),
  header('x-spoor-event', 'The type of event.', { type: 'string' }),
  header('x-spoor-delivery', 'The delivery.', { type: 'string' }),
  header('x-spoor-attempt', 'Which attempt this is, from 1.', text('^[1-9]\\d*$')),
]

const RESPONSES: Record<string, ResponseObject> = {
  '2XX': { description: 'Received. Only the status counts.' },
  '410': { description: 'The receiver is gone: the webhook is disabled.' },
}

/** What the service sends: one request for each type of event, under its name. */
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
          description: `The event, at most ${EVENT_BODY_BYTES.toLocaleString('en')} bytes, the same bytes on every attempt.`,
          content: { 'application/json': { schema: components.resolve(WEBHOOK_EVENTS[type]) } },
        },
        responses: RESPONSES,
      },
    }
  }
  return items
}
