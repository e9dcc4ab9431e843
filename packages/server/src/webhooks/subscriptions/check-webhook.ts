import type { FieldError } from '@spoor/contract/errors'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'
import { DomainError } from '../../lib/domain-error.ts'
import { secretProblem } from '../signing/signing-secret.ts'
import type { WebhookDraft } from './webhook-draft.ts'

/** Why the host of a URL, an address written out, is not delivered to; null when it may be, or is a name: those are judged at each connection. */
export type RefuseAddress = (url: URL) => string | null

/** Throws DomainError `validation_failed` naming everything that is wrong. */
export function checkWebhook({ url, description, secret }: Partial<WebhookDraft>, refuseAddress: RefuseAddress): void {
  const errors: FieldError[] = []
  if (url !== undefined) errors.push(...findUrlErrors(url, refuseAddress))
  if (description !== undefined && !/^[^\p{Cc}\p{Cs}]*$/u.test(description.replaceAll(/[\t\n\r]/g, ' '))) {
    const detail = 'A description has no control characters and is well-formed Unicode.'
    errors.push({ pointer: '/description', code: 'invalid_format', detail })
  }
  const problem = typeof secret === 'string' ? secretProblem(secret) : null
  if (problem !== null) errors.push({ pointer: '/secret', code: 'invalid_format', detail: problem })
  if (errors.length === 0) return
  throw new DomainError('validation_failed', errors.map(({ detail }) => detail).join(' '), { errors })
}

function findUrlErrors(text: string, refuseAddress: RefuseAddress): FieldError[] {
  const pointer = '/url'
  const malformed = (detail: string): FieldError[] => [{ pointer, code: 'invalid_format', detail }]
  // The parser drops white space and takes back slashes for slashes: what is sent to must be what can be read.
  if (/[\s\\\p{C}]/u.test(text)) return malformed('A URL has no white space, back slashes or control characters.')
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) {
    return malformed('It must be a whole URL of http or https, like https://example.com/hooks.')
  }
  if (/^\w+:\/\/[^/?#]*@/.test(text)) return malformed('A URL has no user name and no password here.')
  if (url.port === '0') return malformed('Nothing can be reached at port 0.')
  if (text.includes('#')) return malformed('A URL has no fragment here.')
  const refusal = refuseAddress(url)
  return refusal === null ? [] : [{ pointer, code: 'address_refused', detail: refusal }]
}

/** Each once, in the order of the contract. */
export function inOrder(events: readonly WebhookEventType[]): readonly WebhookEventType[] {
  return WEBHOOK_EVENT_TYPES.filter((type) => events.includes(type))
}
