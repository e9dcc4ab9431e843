export type FeedSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function feedSearch(_raw: Record<string, unknown>): FeedSearch {
  return {}
}
