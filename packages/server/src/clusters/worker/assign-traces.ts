import { assignToNearest } from '../clustering/assign-to-nearest.ts'
import type { DiscoveryMemory } from '../discovery-memory.ts'
import { basisOfRun, embedTraces } from './embed-traces.ts'
import type { AssignRequest } from './messages.ts'

/** Puts traces that came after the newest run into its nearest clusters. Nothing happens when another run has come, or its basis is gone. */
export function assignTraces(memory: DiscoveryMemory, { projectId, runId, traceIds, through }: AssignRequest): void {
  const run = memory.centroids(projectId)
  if (run?.id !== runId) return
  const basis = basisOfRun(memory, projectId, run.embedderVersion)
  if (basis === null) return
  const { points, traceIds: known } = embedTraces(memory, projectId, basis, traceIds)
  const assignments = new Int32Array(points.rows)
  assignToNearest(points, run.centroids, { assignments, cosines: new Float32Array(points.rows) })
  const members = known.map((traceId, index) => ({ traceId, cluster: assignments[index]! }))
  memory.addMembers(projectId, run.place, members, through)
}
