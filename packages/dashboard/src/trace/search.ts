export type TraceSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function traceSearch(_raw: Record<string, unknown>): TraceSearch {
  return {}
}
