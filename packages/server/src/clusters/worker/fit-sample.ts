import type { TraceId } from '@spoor/contract/ids'
import { MOST_SAMPLED_TRACES } from '@spoor/clustering/embedding/fit-basis'
import { evenSample } from '@spoor/clustering/partition/seeded-random'

/** A fit on few traces is repeated when there are this many times more, because its directions are imprecise. */
const OUTGROWN = 4

export function isOutgrown(sampleSize: number, traces: number): boolean {
  return sampleSize < MOST_SAMPLED_TRACES && traces >= OUTGROWN * sampleSize
}

/** A sample of the size of a fit, evenly spread over the traces. */
export function fitSample(...groups: readonly (readonly TraceId[])[]): readonly TraceId[] {
  const traceIds = [...new Set(groups.flat())].toSorted()
  return Array.from(evenSample(traceIds.length, MOST_SAMPLED_TRACES), (index) => traceIds[index]!)
}
