import { MOST_SAMPLED_TRACES } from '../embedding/fit-basis.ts'

/** What was fitted on few traces is fitted anew when there are so many times more: their directions are guesses. */
const OUTGROWN = 4

export function isOutgrown(sampleSize: number, traces: number): boolean {
  return sampleSize < MOST_SAMPLED_TRACES && traces >= OUTGROWN * sampleSize
}

/** As many of them as something is fitted on, evenly spread. */
export function fitSample<T>(values: readonly T[]): readonly T[] {
  if (values.length <= MOST_SAMPLED_TRACES) return values
  return Array.from(
    { length: MOST_SAMPLED_TRACES },
    (_, index) => values[Math.floor((index * values.length) / MOST_SAMPLED_TRACES)]!,
  )
}
