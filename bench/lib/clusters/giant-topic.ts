import { chooseK } from '../../../packages/clustering/src/partition/choose-k.ts'
import { createRandom } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { embedTraces } from './embed-traces.ts'
import { generateTopic } from './generated-topics.ts'
import type { LabelledTrace } from './labelled-traces.ts'

const GIANT = 900
const SMALL = 10
const SMALL_TOPICS = 4
const RANK = 128
/** With fewer traces, nothing is clustered. */
const LEAST_SPLIT = 20

/** How well four topics of ten traces are found beside one of 900: mean recall times precision, from 0 to 1. */
export interface SmallTopics {
  readonly found: number
  /** After each cluster was split by a discovery among its traces. */
  readonly afterSplit: number
}

export function smallBesideGiant(seed: number): SmallTopics {
  const random = createRandom(seed)
  const small = Array.from({ length: SMALL_TOPICS }, (_, topic) => generateTopic(topic + 1, SMALL, random))
  const traces = [...generateTopic(0, GIANT, random), ...small.flat()]
  const clusters = clustersOf(traces, seed)
  const split = clusters.flatMap((members) => (members.length < LEAST_SPLIT ? [members] : clustersOf(members, seed)))
  const labels = small.map(([trace]) => trace!.label)
  const mean = (found: readonly (readonly LabelledTrace[])[]) =>
    labels.reduce((sum, label) => sum + bestFor(label, found), 0) / labels.length
  return { found: mean(clusters), afterSplit: mean(split) }
}

/** As a first run finds them. */
function clustersOf(traces: readonly LabelledTrace[], seed: number): readonly (readonly LabelledTrace[])[] {
  const vectors = embedTraces(traces.length, (index) => traces[index]!.features, RANK, createRandom(seed))
  const { assignments } = chooseK(vectors, { kMin: 2, kMax: 12, random: createRandom(seed) })
  return [...Map.groupBy(traces, (_, index) => assignments[index]!).values()]
}

function bestFor(label: string, clusters: readonly (readonly LabelledTrace[])[]): number {
  const shares = clusters.map((members) => {
    const hits = members.filter((trace) => trace.label === label).length
    return (hits / SMALL) * (hits / members.length)
  })
  return Math.max(...shares)
}
