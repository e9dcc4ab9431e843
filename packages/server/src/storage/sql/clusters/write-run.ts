import type { NewRun } from '../../../ports/clusters/discovery-memory.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { MemoryStatements } from './memory-statements.ts'
import { toBytes } from './run-row.ts'

/** Rows of a run, in a transaction. */
export function writeRun(sql: MemoryStatements, run: NewRun): void {
  const { parameters, quality, map, basis } = run
  const project = idToBytes(run.projectId)
  const traces = run.traceIds.map(idToBytes)
  const last = traces.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a), new Uint8Array(16))
  const about = [run.id, project, run.computedAt, run.durationMs]
  const asked = [parameters.windowHours, parameters.kMin, parameters.kMax]
  const figures = [run.traces, run.created, run.shifted, run.ended, run.embedderVersion]
  const fit = [quality.cohesion, quality.silhouette, run.refusedGain, JSON.stringify(run.choice)]
  const vectors = [
    toBytes(run.centroids.values),
    toBytes(run.reaches),
    toBytes(map.directions.values),
    toBytes(map.centre),
    map.scale,
  ]
  const rest = [last, JSON.stringify(run.news), run.news.length === 0 ? 1 : 0]
  const { lastInsertRowid } = sql.insertRun.run(...about, ...asked, ...figures, ...fit, ...vectors, ...rest)
  const place = Number(lastInsertRowid)
  run.clusters.forEach((cluster, index) => {
    const { id, label, description, keywords, color, errorRate, size, cohesion, firstSeenAt } = cluster
    const names = [id, label, description, JSON.stringify(keywords), color, errorRate]
    const figuresOf = [size, size, cohesion, firstSeenAt, JSON.stringify(cluster.representatives), cluster.namedBy]
    sql.insertCluster.run(place, index, ...names, ...figuresOf)
  })
  byChance(traces).forEach((member, ordinal) => {
    const [x, y] = [map.positions[2 * member]!, map.positions[2 * member + 1]!]
    sql.insertMember.run(place, ordinal, traces[member]!, run.assignments[member]!, x, y)
  })
  if (basis !== null) sql.putBasis.run(project, basis.fit, basis.basis)
}

/** Indexes in the order of the end of the ids, which is random and never changes: the first of them are a sample, and nearly the same one in the next run. */
function byChance(ids: readonly Uint8Array[]): number[] {
  const ends = ids.map((id) => Buffer.from(id).readUInt32BE(id.length - 4))
  return [...ids.keys()].sort((a, b) => ends[a]! - ends[b]! || a - b)
}
