import type { StepPlace } from '../../traces/trace-store.ts'

/** Those of `places` that are among `found`, each once. */
export function placesAmong(places: readonly StepPlace[], found: readonly StepPlace[]): StepPlace[] {
  const names = new Set(found.map(nameOf))
  return places.filter((place) => names.delete(nameOf(place)))
}

function nameOf({ traceId, stepId }: StepPlace): string {
  return `${traceId}${stepId}`
}
