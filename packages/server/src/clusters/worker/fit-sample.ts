import type { TraceId } from '@spoor/contract/ids'
import { MOST_SAMPLED_TRACES } from '@spoor/clustering/embedding/fit-basis'

/** What was fitted on few traces is fitted anew when there are so many times more: their directions are guesses. */
const OUTGROWN = 4

export function isOutgrown(sampleSize: number, traces: number): boolean {
  return sampleSize < MOST_SAMPLED_TRACES && traces >= OUTGROWN * sampleSize
}

/** As many traces as something is fitted on, evenly spread over all of these. */
export function fitSample(...groups: readonly (readonly TraceId[])[]): readonly TraceId[] {
  const traceIds = [...new Set(groups.flat())].toSorted()
  if (traceIds.length <= MOST_SAMPLED_TRACES) return traceIds
  return Array.from(
    { length: MOST_SAMPLED_TRACES },
    (_, index) => traceIds[Math.floor((index * traceIds.length) / MOST_SAMPLED_TRACES)]!,
  )
}
