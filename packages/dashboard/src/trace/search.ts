/**
 * `step`: the selected step. `q`: the search. `view`: shows the trace's details where there is space for only one pane.
 */
export interface TraceSearch {
  readonly step?: string
  readonly q?: string
  readonly view?: 'trace'
}

/** Parses the URL of the screen; drops invalid values. */
export function traceSearch({ step, q, view }: Record<string, unknown>): TraceSearch {
  return {
    ...(typeof step === 'string' && /^st_[0-9a-z]{26}$/.test(step) ? { step } : {}),
    ...(view === 'trace' ? { view } : {}),
    // The router parses digits as a number.
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
  }
}
