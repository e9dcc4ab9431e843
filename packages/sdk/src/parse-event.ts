import type { WebhookEvent } from './webhook-event.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

const TEXTS = ['id', 'type', 'timestamp', 'project_id'] as const

/**
 * Parses a verified body. Does not check `data`: events that later versions add are returned too. Throws
 * `invalid_body`.
 */
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
