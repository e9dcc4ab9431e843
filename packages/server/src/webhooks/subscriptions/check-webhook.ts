import type { FieldError } from '@spoor/contract/errors'
import type { WebhookFormat } from '@spoor/contract/webhook-formats'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { secretProblem } from '../signing/signing-secret.ts'
import type { WebhookDraft } from './webhook-draft.ts'

/**
 * Why deliveries do not go to the literal address in the URL; null if they do, and for names, which each connection
 * checks.
 */
export type RefuseAddress = (url: URL) => string | null

/** @throws DomainError `validation_failed` with all problems */
export function checkWebhook({ url, description, secret }: Partial<WebhookDraft>, refuseAddress: RefuseAddress): void {
  const errors: FieldError[] = []
  if (url !== undefined) errors.push(...findUrlErrors(url, refuseAddress))
  if (description !== undefined && !/^[^\p{Cc}\p{Cs}]*$/u.test(description.replaceAll(/[\t\n\r]/g, ' '))) {
    const detail = 'A description must be well-formed Unicode without control characters.'
    errors.push({ pointer: '/description', code: 'invalid_format', detail })
  }
  const problem = typeof secret === 'string' ? secretProblem(secret) : null
  if (problem !== null) errors.push({ pointer: '/secret', code: 'invalid_format', detail: problem })
  if (errors.length > 0) throw invalid(...errors)
}

/** @throws DomainError `validation_failed` if the secret is a key of the receiver's, which the service cannot make */
export function requireKey(format: WebhookFormat, secret: string | null): void {
  if (format !== 'pagerduty' || secret !== null) return
  const detail = 'For PagerDuty, the secret is the integration key of the service that gets the events.'
  throw invalid({ pointer: '/secret', code: 'required', detail })
}

function findUrlErrors(text: string, refuseAddress: RefuseAddress): FieldError[] {
  const pointer = '/url'
  const malformed = (detail: string): FieldError[] => [{ pointer, code: 'invalid_format', detail }]
  // The URL parser drops white space and reads backslashes as slashes: the URL must mean what it shows.
  if (/[\s\\\p{C}]/u.test(text))
    return malformed('A URL must not contain white space, backslashes or control characters.')
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) {
    return malformed('It must be a complete http or https URL, such as https://example.com/hooks.')
  }
  if (/^\w+:\/\/[^/?#]*@/.test(text)) return malformed('The URL must not contain a user name or password.')
  if (url.port === '0') return malformed('The port must not be 0.')
  if (text.includes('#')) return malformed('The URL must not contain a fragment.')
  const refusal = refuseAddress(url)
  return refusal === null ? [] : [{ pointer, code: 'address_refused', detail: refusal }]
}

/** Without duplicates, in the order of the contract. */
export function inOrder(events: readonly WebhookEventType[]): readonly WebhookEventType[] {
  return WEBHOOK_EVENT_TYPES.filter((type) => events.includes(type))
}
