import { MOST_NAMING_TEXTS, type NamingSample } from '@spoor/clustering/naming/name-clusters'
import { fromExcerpt } from './excerpt.ts'
import { placeBefore, type RunParts } from './run-parts.ts'

/** The texts that name each cluster: those nearest to the centre of its largest part. */
export async function namingSamples(parts: RunParts): Promise<readonly NamingSample[]> {
  const { request, embedded, partsOfClusters, last, memory } = parts
  const samples: NamingSample[] = []
  for (const [index, [largest]] of partsOfClusters.entries()) {
    const ids = Array.from(largest!.subarray(0, MOST_NAMING_TEXTS), (point) => embedded.traceIds[point]!)
    const excerpts = await memory.excerpts(request.projectId, ids)
    const texts = excerpts.flatMap((text) => (text === undefined ? [] : [fromExcerpt(text)]))
    samples.push({ texts, previous: last?.names[placeBefore(parts, index)] ?? null })
  }
  return samples
}
