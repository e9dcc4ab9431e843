import { useSyncExternalStore } from 'react'

/** In the tab's own storage: the scoring bar stays open from trace to trace and over a reload. */
const OPEN = 'spoor.scoring'
/** The metric chosen last, also in other tabs. */
const LAST = 'spoor.scoring-metric'

const listeners = new Set<() => void>()

/** The metric that traces are scored by; '' while none is chosen, null while the scoring bar is closed. */
export function useScoringMetric(): string | null {
  return useSyncExternalStore(subscribe, () => sessionStorage.getItem(OPEN))
}

/** Opens the scoring bar; without a metric, with the one chosen last. */
export function startScoring(metric = localStorage.getItem(LAST) ?? ''): void {
  sessionStorage.setItem(OPEN, metric)
  if (metric !== '') localStorage.setItem(LAST, metric)
  tell()
}

export function stopScoring(): void {
  sessionStorage.removeItem(OPEN)
  tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}
