import type { TraceId } from '@spoor/contract/ids'
import { inParallel } from '../../lib/flow/in-parallel.ts'
import type { NewCluster, RememberedName } from '../../ports/clusters/discovery-memory.ts'
import type { ClusterNamer, GivenName, NamingQuestion } from '@spoor/clustering/naming/cluster-namer'
import { holdsPersonalData } from '@spoor/clustering/naming/holds-personal-data'
import { nearestOutsiders } from '@spoor/clustering/naming/nearest-outsiders'
import type { IsPersonal } from '@spoor/clustering/naming/personal-words'
import { rowOf } from '@spoor/clustering/matrix'
import { fromExcerpt } from './excerpt.ts'
import { formerLabels, placeBefore, type RunParts } from './run-parts.ts'

export interface RenameClustersDependencies {
  /** Null: clusters are named by their words. */
  readonly namer: ClusterNamer | null
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  /** Called once for a run when clusters keep the names of their words. */
  readonly onUnnamed: (count: number, reason: string) => void
}

const MOST_MEMBERS = 8
const MOST_OUTSIDERS = 4
const MOST_AT_ONCE = 4
/** No name is requested later than this after the first. */
const MOST_NAMING_MS = 120_000

/**
 * The clusters of a run with names from a model. A cluster that it named before keeps the name until it shifts. Names
 * are requested for clusters that are new, that shifted, or that it did not name before. Without a name from the model,
 * a cluster keeps the name of its words; a run never fails for this reason. No two labels are the same.
 */
export async function renameClusters(
  { namer, now, onUnnamed }: RenameClustersDependencies,
  parts: RunParts,
  clusters: readonly NewCluster[],
  isPersonal: IsPersonal,
): Promise<readonly NewCluster[]> {
  const kept = clusters.map((_, index) => keptName(parts, index, isPersonal))
  const asked = namer === null ? [] : [...clusters.keys()].filter((index) => kept[index] === null)
  const given = new Map<number, GivenName>()
  const reasons: string[] = []
  const begunAt = now()
  await inParallel(asked, MOST_AT_ONCE, async (index) => {
    const question = await questionOf(parts, clusters[index]!, index)
    if (now() - begunAt > MOST_NAMING_MS) return void reasons.push('The naming endpoint took too long.')
    try {
      const name = await namer!.name(question)
      if (isPublic(name, isPersonal)) given.set(index, name)
      else reasons.push('The naming endpoint answered with a name of a person, an address or a number of the traces.')
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error))
    }
  })
  if (reasons.length > 0) onUnnamed(reasons.length, reasons[0]!)
  const named = clusters.map((cluster, index): NewCluster => {
    const name = given.get(index)
    return { ...cluster, ...(name !== undefined && { ...name, namedBy: namer!.model }), ...kept[index] }
  })
  return withDistinctLabels(
    parts,
    named,
    clusters,
    kept.map((name) => name !== null),
  )
}

function isPublic({ label, description }: GivenName, isPersonal: IsPersonal): boolean {
  return !holdsPersonalData(label, isPersonal) && !holdsPersonalData(description, isPersonal)
}

/** The name that a model gave before, if the cluster has not shifted and the name would still be accepted. */
function keptName(
  parts: RunParts,
  index: number,
  isPersonal: IsPersonal,
): Omit<RememberedName, 'keywords' | 'parent'> | null {
  const before = parts.last?.names[placeBefore(parts, index)]
  const hasShifted = parts.discovery.changes.some(({ kind, cluster }) => kind === 'shifted' && cluster === index)
  if (before === undefined || before.namedBy === null || hasShifted || !isPublic(before, isPersonal)) return null
  const { label, description, namedBy } = before
  return { label, description, namedBy }
}

async function questionOf(
  { request, embedded, discovery, memory }: RunParts,
  { representatives, keywords }: NewCluster,
  index: number,
): Promise<NamingQuestion> {
  const { points, traceIds } = embedded
  const { assignments, centroids } = discovery
  const near = nearestOutsiders(points, assignments, rowOf(centroids, index), index, MOST_OUTSIDERS)
  const textsOf = async (ids: readonly TraceId[]) =>
    (await memory.excerpts(request.setId, ids)).flatMap((text) => (text === undefined ? [] : [readable(text)]))
  return {
    members: await textsOf(representatives.slice(0, MOST_MEMBERS).map(({ traceId }) => traceId)),
    outsiders: await textsOf(near.map((point) => traceIds[point]!)),
    keywords,
  }
}

/** The user's request; if there is none, the work. */
function readable(text: string): string {
  const { asked, done } = fromExcerpt(text)
  const request = asked.join('\n').trim()
  return request === '' ? `Steps: ${done.filter((term) => !term.startsWith('type:')).join(', ')}` : request
}

/**
 * Kept names come first. A new name that another cluster has, or had in the last run, is replaced by the name of the
 * cluster's words.
 */
function withDistinctLabels(
  parts: RunParts,
  named: readonly NewCluster[],
  byWords: readonly NewCluster[],
  kept: readonly boolean[],
): readonly NewCluster[] {
  const taken = new Set(named.flatMap(({ label }, index) => (kept[index] ? [label.toLowerCase()] : [])))
  const former = formerLabels(parts)
  return named.map((cluster, index) => {
    if (kept[index]) return cluster
    const own = parts.last?.names[placeBefore(parts, index)]?.label
    const isFree = ({ label }: NewCluster) => !taken.has(label.toLowerCase()) && (!former.has(label) || label === own)
    const chosen = [cluster, byWords[index]!].find(isFree) ?? numbered(byWords[index]!, isFree)
    taken.add(chosen.label.toLowerCase())
    return chosen
  })
}

function numbered(cluster: NewCluster, isFree: (cluster: NewCluster) => boolean): NewCluster {
  for (let number = 2; ; number++) {
    const one = { ...cluster, label: `${cluster.label} (${number})` }
    if (isFree(one)) return one
  }
}
