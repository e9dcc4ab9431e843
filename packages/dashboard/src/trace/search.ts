export const TABS = ['steps', 'conversation', 'json'] as const
export type Tab = (typeof TABS)[number]

/**
 * `tab`: how the trace is shown; `steps` is not in the URL. `step`: the selected step. `q`: the search. `view`: shows
 * the trace's summary where there is space for only one pane.
 */
export interface TraceSearch {
  readonly tab?: Exclude<Tab, 'steps'>
  readonly step?: string
  readonly q?: string
  readonly view?: 'trace'
}

/** Parses the URL of the screen; drops invalid values. */
export function traceSearch({ tab, step, q, view }: Record<string, unknown>): TraceSearch {
  return {
    ...(tab === 'conversation' || tab === 'json' ? { tab } : {}),
    ...(typeof step === 'string' && /^st_[0-9a-z]{26}$/.test(step) ? { step } : {}),
    ...(view === 'trace' ? { view } : {}),
    // The router parses digits as a number.
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
  }
}
