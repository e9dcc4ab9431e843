import type { ClusterId } from '@spoor/contract/ids'
import { discover, LEAST_TRACES } from '../discover.ts'
import { type DiscoveryResult, insufficientData } from '../discovery-job.ts'
import type { DiscoveryMemory, NewRun } from '../discovery-memory.ts'
import { basisFor, embedTraces } from './embed-traces.ts'
import { makeRun } from './make-run.ts'
import type { DiscoverRequest, ReportProgress } from './messages.ts'
import { unpackIds } from './pack-ids.ts'

export interface DiscoverRunDependencies {
  readonly memory: DiscoveryMemory
  readonly newClusterId: () => ClusterId
  readonly now: () => number
  readonly report: ReportProgress
}

/** The same traces and the same last run give the same clusters. */
const SEED = 1

/** A whole discovery from kept features: embeds the traces, groups them, and writes the run. Writes nothing when there are too few. */
export function discoverRun(dependencies: DiscoverRunDependencies, request: DiscoverRequest): DiscoveryResult {
  const { memory, report } = dependencies
  const { projectId, parameters } = request
  const asked = unpackIds(request.traceIds)
  report('embedding', 0)
  const last = memory.lastRun(projectId)
  const previous = last?.previous ?? null
  const former = (previous?.traceIds ?? []) as typeof asked
  const fitted = basisFor(memory, projectId, asked, former)
  const embedded = embedTraces(memory, projectId, fitted.basis, asked, (share) => report('embedding', share))
  const { points, traceIds } = embedded
  if (traceIds.length < LEAST_TRACES) return insufficientData(traceIds.length)
  report('clustering', 0)
  const { embedderVersion } = fitted
  const discovery = discover({
    points,
    traceIds,
    embedderVersion,
    previous,
    ...parameters,
    seed: SEED,
    ...(previous !== null &&
      previous.embedderVersion !== embedderVersion && {
        formerMembers: embedTraces(memory, projectId, fitted.basis, former),
      }),
  })
  if (discovery === null) return insufficientData(traceIds.length)
  report('saving', 0)
  const { newClusterId, now } = dependencies
  const run = makeRun({ request, fitted, embedded, discovery, last, memory, newClusterId, now: now() })
  memory.applyRun(run)
  return toResult(run)
}

function toResult({ traces, clusters, created, shifted, ended, quality }: NewRun): DiscoveryResult {
  return { reason: null, traces, clusters: clusters.length, created, shifted, ended, quality }
}
