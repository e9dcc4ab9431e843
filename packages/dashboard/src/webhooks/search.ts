export type WebhookSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function webhookSearch(_raw: Record<string, unknown>): WebhookSearch {
  return {}
}
