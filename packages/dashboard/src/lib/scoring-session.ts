import { store, useStored } from './hooks/use-stored.ts'

/** In the tab's own storage: the scoring bar stays open from trace to trace and over a reload. */
const OPEN = 'spoor.scoring'
/** The metric chosen last, also in other tabs. */
const LAST = 'spoor.scoring-metric'

/** The metric that traces are scored by; '' while none is chosen, null while the scoring bar is closed. */
export function useScoringMetric(): string | null {
  return useStored(sessionStorage, OPEN)
}

/** Opens the scoring bar; without a metric, with the one chosen last. */
export function startScoring(metric = localStorage.getItem(LAST) ?? ''): void {
  if (metric !== '') localStorage.setItem(LAST, metric)
  store(sessionStorage, OPEN, metric)
}

export function stopScoring(): void {
  store(sessionStorage, OPEN, null)
}
