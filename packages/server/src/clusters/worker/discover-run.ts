import { MOST_NAMING_TEXTS, type NamingSample, nameClusters } from '@spoor/clustering/naming/name-clusters'
import type { ClusterId } from '@spoor/contract/ids'
import { discover, membersOf } from '@spoor/clustering/discover'
import { partsOf } from '@spoor/clustering/partition/parts-of'
import { findPersonalWords } from '@spoor/clustering/naming/personal-words'
import { resultOf } from '../../ports/clusters/cluster.ts'
import { type DiscoveryResult, insufficientData } from '../../ports/clusters/discovery-job.ts'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import { fromExcerpt } from './excerpt.ts'
import { placeBefore, type RunParts, formerLabels } from './run-parts.ts'
import type { Embedder } from './embedder.ts'
import { makeClusters } from './make-clusters.ts'
import { makeRun } from './make-run.ts'
import type { DiscoverRequest, ReportProgress } from './messages.ts'
import { topicsOf } from './topics-of.ts'
import { renameClusters, type RenameClustersDependencies } from './rename-clusters.ts'
import { unpackIds } from './pack-ids.ts'

export interface DiscoverRunDependencies extends RenameClustersDependencies {
  readonly memory: DiscoveryMemory
  readonly embedder: Embedder
  readonly newClusterId: () => ClusterId
  readonly report: ReportProgress
}

/** A fixed seed: the same traces and the same last run give the same clusters. */
const SEED = 1

/**
 * Runs a discovery on stored features: embeds the traces, clusters and names them, and writes the run. Writes nothing
 * when there are too few traces. Returns null, and writes nothing, when the job no longer runs under the request's
 * epoch.
 */
export async function discoverRun(
  dependencies: DiscoverRunDependencies,
  request: DiscoverRequest,
): Promise<DiscoveryResult | null> {
  const { memory, embedder, report, newClusterId, now } = dependencies
  const { setId, parameters } = request
  const asked = unpackIds(request.traceIds)
  report('embedding', 0)
  const last = await memory.lastRun(setId)
  const previous = last?.previous ?? null
  const former = (previous?.traceIds ?? []) as typeof asked
  const view = await embedder.viewFor(setId, asked, former)
  const embedded = await view.embed(asked, (share) => report('embedding', share))
  const { points, traceIds } = embedded
  const earlier = last === undefined ? null : await view.embed(last.earlier.toSorted())
  report('clustering', 0)
  const { embedderVersion } = view
  const discovery = discover({
    points,
    traceIds,
    embedderVersion,
    previous,
    ...parameters,
    seed: SEED,
    ...(earlier !== null && { earlier: earlier.points }),
    ...(previous !== null &&
      previous.embedderVersion !== embedderVersion && {
        formerMembers: await view.embed(former),
      }),
  })
  if (discovery === null) return insufficientData(traceIds.length)
  report('saving', 0)
  const partsOfClusters = membersOf(discovery).map((members) => partsOf(points, members))
  const found = { request, view, embedded, discovery, partsOfClusters, last }
  const parts: RunParts = { ...found, memory, newClusterId, now: now() }
  const samples = await namingSamples(parts)
  const isPersonal = findPersonalWords(samples.map(({ texts }) => texts))
  const names = nameClusters(samples, isPersonal, formerLabels(parts))
  const byWords = makeClusters(parts, names, topicsOf(parts, samples, isPersonal))
  const clusters = await renameClusters(dependencies, parts, byWords, isPersonal)
  const run = makeRun(parts, clusters, now())
  return (await memory.applyRun(run)) ? resultOf(run, clusters.length) : null
}

/** The texts that name each cluster: those nearest to the centre of its largest part. */
async function namingSamples(parts: RunParts): Promise<readonly NamingSample[]> {
  const { request, embedded, partsOfClusters, last, memory } = parts
  const samples: NamingSample[] = []
  for (const [index, [largest]] of partsOfClusters.entries()) {
    const ids = Array.from(largest!.subarray(0, MOST_NAMING_TEXTS), (point) => embedded.traceIds[point]!)
    const excerpts = await memory.excerpts(request.setId, ids)
    const texts = excerpts.flatMap((text) => (text === undefined ? [] : [fromExcerpt(text)]))
    samples.push({ texts, previous: last?.names[placeBefore(parts, index)] ?? null })
  }
  return samples
}
