import { WebhookVerificationError } from './webhook-verification-error.ts'

/** A `Headers`, or names in any letter case with their values, as Node and most frameworks have them. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>

/** `name` in lower case. Throws `missing_header`. */
export function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : findValue(headers, name)
  if (value === null || value === '')
    throw new WebhookVerificationError('missing_header', `There is no header ${name}.`)
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
