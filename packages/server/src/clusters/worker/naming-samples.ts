import type { Discovery } from '@spoor/clustering/discover'
import { MOST_NAMING_TEXTS, type NamingSample } from '@spoor/clustering/naming/name-clusters'
import { fromExcerpt } from './excerpt.ts'
import { placeBefore, type RunParts } from './run-parts.ts'

/** The texts that name each cluster, those nearest to its centroid. */
export async function namingSamples(parts: RunParts): Promise<readonly NamingSample[]> {
  const { request, embedded, discovery, last, memory } = parts
  const samples: NamingSample[] = []
  for (const [index, points] of membersOf(discovery).entries()) {
    const nearest = points.toSorted((a, b) => discovery.cosines[b]! - discovery.cosines[a]! || a - b)
    const ids = Array.from(nearest.subarray(0, MOST_NAMING_TEXTS), (point) => embedded.traceIds[point]!)
    const excerpts = await memory.excerpts(request.projectId, ids)
    const texts = excerpts.flatMap((text) => (text === undefined ? [] : [fromExcerpt(text)]))
    samples.push({ texts, previous: last?.names[placeBefore(parts, index)] ?? null })
  }
  return samples
}

/** Indexes of the points of each cluster, ascending. */
export function membersOf({ clusters, assignments }: Discovery): Uint32Array[] {
  const members = clusters.map(({ size }) => new Uint32Array(size))
  const filled = new Uint32Array(clusters.length)
  assignments.forEach((cluster, point) => (members[cluster]![filled[cluster]!++] = point))
  return members
}
