import { sampleIndexes } from '../../../packages/clustering/src/partition/seeded-random.ts'
import type { Features } from '../../../packages/clustering/src/text/features.ts'
import { fitBasis, MOST_SAMPLED_TRACES } from '../../../packages/clustering/src/embedding/fit-basis.ts'
import { projectAll } from '../../../packages/clustering/src/embedding/project.ts'
import type { Matrix } from '../../../packages/clustering/src/matrix.ts'

/** Vectors of traces by a basis fitted on a sample of them, as in a project's first job. */
export function embedTraces(
  count: number,
  featuresAt: (index: number) => Features,
  rank: number,
  random: () => number,
): Matrix {
  const sample = Array.from(sampleIndexes(count, MOST_SAMPLED_TRACES, random), featuresAt)
  return projectAll(fitBasis(sample, { rank, random }), count, featuresAt)
}
