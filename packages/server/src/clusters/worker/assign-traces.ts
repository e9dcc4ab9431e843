import { assignNew } from '../assign-new.ts'
import type { DiscoveryMemory } from '../discovery-memory.ts'
import { basisOfRun, embedTraces } from './embed-traces.ts'
import type { AssignRequest } from './messages.ts'

/** Of a cosine kept as float32: traces that all ask the same are as near to their centroid as it reaches. */
const ROUNDING = 1e-6

/** Puts traces that came after the newest run into its nearest clusters, unless even those are too far. Nothing happens when another run has come, or its basis is gone. */
export function assignTraces(memory: DiscoveryMemory, { projectId, runId, traceIds, through }: AssignRequest): void {
  const run = memory.centroids(projectId)
  if (run?.id !== runId) return
  const basis = basisOfRun(memory, projectId, run.embedderVersion)
  if (basis === null) return
  const { points, traceIds: known } = embedTraces(memory, projectId, basis, traceIds)
  const reaches = run.reaches.map((reach) => reach - ROUNDING)
  const assignments = assignNew(points, run.centroids, reaches)
  const members = known.flatMap((traceId, index) => {
    const cluster = assignments[index]!
    return cluster < 0 ? [] : [{ traceId, cluster }]
  })
  memory.addMembers(projectId, run.place, members, through)
}
