import { sampleIndexes } from '../../packages/server/src/clusters/clustering/seeded-random.ts'
import type { Features } from '../../packages/server/src/clusters/embedding/features.ts'
import { fitBasis, MOST_SAMPLED_TRACES } from '../../packages/server/src/clusters/embedding/fit-basis.ts'
import { projectAll } from '../../packages/server/src/clusters/embedding/project.ts'
import type { Matrix } from '../../packages/server/src/clusters/matrix.ts'

/** Vectors of traces by a basis fitted on a sample of them, as a first job makes them. */
export function embedTraces(
  count: number,
  featuresAt: (index: number) => Features,
  rank: number,
  random: () => number,
): Matrix {
  const sample = Array.from(sampleIndexes(count, MOST_SAMPLED_TRACES, random), featuresAt)
  return projectAll(fitBasis(sample, { rank, random }), count, featuresAt)
}
