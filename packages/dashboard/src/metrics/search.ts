export type MetricSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function metricSearch(_raw: Record<string, unknown>): MetricSearch {
  return {}
}
