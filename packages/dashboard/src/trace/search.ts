/**
 * `step` is the one that is looked at, `q` what is looked for; `view` shows what is of the whole trace where there is
 * room for one pane alone.
 */
export interface TraceSearch {
  readonly step?: string
  readonly q?: string
  readonly view?: 'trace'
}

/** What the URL says about the screen; what it cannot mean is left out. */
export function traceSearch({ step, q, view }: Record<string, unknown>): TraceSearch {
  return {
    ...(typeof step === 'string' && /^st_[0-9a-z]{26}$/.test(step) ? { step } : {}),
    ...(view === 'trace' ? { view } : {}),
    // The router reads a number where digits stand.
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
  }
}
