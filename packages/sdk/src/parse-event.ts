import type { WebhookEvent } from './webhook-event.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

const TEXTS = ['id', 'type', 'timestamp', 'project_id'] as const

/** Of a body that is known to come from the service. Its `data` is taken as it is: types that later versions add pass too. Throws `invalid_body`. */
export function parseEvent(body: string | Uint8Array): WebhookEvent {
  const value = parse(body)
  const isEvent = isObject(value) && TEXTS.every((name) => typeof value[name] === 'string') && isObject(value['data'])
  if (!isEvent) throw new WebhookVerificationError('invalid_body', 'The body is no event.')
  return value as unknown as WebhookEvent
}

function parse(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new WebhookVerificationError('invalid_body', 'The body is no JSON.')
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
