import { WebhookVerificationError } from './webhook-verification-error.ts'

/** A `Headers`, or an object with names in any letter case, as in Node and most frameworks. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>

/** `name` in lower case. Throws `missing_header`. */
export function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : findValue(headers, name)
  if (value === null || value === '')
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`)
  return value
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function findValue(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const entry = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  const value = entry?.[1]
  return typeof value === 'string' ? value : (value?.join(' ') ?? null)
}
