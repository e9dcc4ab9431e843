import type { Attempt } from '../ports/webhooks/delivery.ts'

/** Replaces the part of a webhook's URL after its host: path and query are often the receiver's only secret. */
const HIDDEN = '/…'
/** Together with the body, these would allow anyone to replay a delivery. */
const SIGNATURES: ReadonlySet<string> = new Set(['x-service-signature', 'webhook-signature'])
/** Headers of the answer: a redirect repeats the URL. */
const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location', 'refresh', 'link'])

/** Scheme, host and port; the rest is replaced. */
export function shownUrl(url: string, seesSecrets: boolean): string {
  if (seesSecrets) return url
  const { origin, pathname, search } = new URL(url)
  return `${origin}${pathname === '/' && search === '' ? '/' : HIDDEN}`
}

export function shownAttempt(attempt: Attempt, seesSecrets: boolean): Attempt {
  if (seesSecrets) return attempt
  const { url, requestHeaders, response } = attempt
  return {
    ...attempt,
    url: shownUrl(url, false),
    requestHeaders: without(requestHeaders, SIGNATURES),
    response: response === null ? null : { ...response, headers: without(response.headers, LOCATIONS) },
  }
}

function without(headers: Readonly<Record<string, string>>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())))
}
