export type MonitorSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function monitorSearch(_raw: Record<string, unknown>): MonitorSearch {
  return {}
}
