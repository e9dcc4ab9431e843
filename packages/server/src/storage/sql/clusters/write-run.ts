import type { Insertable } from 'kysely'
import { EARLIER_TRACES, type NewCluster, type NewRun } from '../../../ports/clusters/discovery-memory.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { BasisRow, ClusterRow, ClusterTables, MemberRow, RunRow } from './cluster-tables.ts'
import { fromParameters } from './job-row.ts'
import { heldJobOn } from './memory-statements.ts'
import { toBytes } from './run-row.ts'
import { setToBytes } from './set-bytes.ts'

export type RunStatements = ReturnType<typeof runStatementsOn>

export function runStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    heldJob: heldJobOn(database),
    insertRun: database.statement((queries, row: Required<Omit<Insertable<RunRow>, 'run'>>) =>
      queries.insertInto('runs').values(row).returning('run'),
    ),
    insertCluster: database.statement((queries, row: ClusterRow) => queries.insertInto('clusters').values(row)),
    insertMember: database.statement((queries, row: MemberRow) => queries.insertInto('members').values(row)),
    putBasis: database.statement((queries, row: BasisRow) =>
      queries
        .insertInto('bases')
        .values(row)
        .onConflict((conflict) => conflict.column('set_id').doUpdateSet({ fit: row.fit, basis: row.basis })),
    ),
  }
}

/** Returns false, and writes nothing, when the job of the run no longer runs under its epoch. */
export function* writeRun(sql: RunStatements, made: NewRun): Work<boolean> {
  if ((yield* first(sql.heldJob(made))) === undefined) return false
  const traces = made.traceIds.map(idToBytes)
  const inserted = yield* first(sql.insertRun(runRow(made, traces)))
  const place = inserted!.run
  for (const [index, cluster] of made.clusters.entries())
    yield* run(sql.insertCluster(clusterRow(place, index, cluster)))
  let ordinal = 0
  for (const member of byChance(traces)) {
    yield* run(
      sql.insertMember({
        run: place,
        ordinal: ordinal++,
        trace_id: traces[member]!,
        place: made.assignments[member]!,
        x: made.map.positions[2 * member]!,
        y: made.map.positions[2 * member + 1]!,
      }),
    )
  }
  if (made.basis !== null) yield* run(sql.putBasis({ set_id: setToBytes(made.setId), ...made.basis }))
  return true
}

function runRow(made: NewRun, traces: readonly Uint8Array[]) {
  const { quality, map } = made
  return {
    id: made.id,
    set_id: setToBytes(made.setId),
    computed_at: made.computedAt,
    duration_ms: made.durationMs,
    ...fromParameters(made.parameters),
    traces: made.traces,
    created: made.created,
    shifted: made.shifted,
    ended: made.ended,
    embedder_version: made.embedderVersion,
    cohesion: quality.cohesion,
    silhouette: quality.silhouette,
    refused_gain: made.refusedGain,
    centroids: toBytes(made.centroids.values),
    reaches: toBytes(made.reaches),
    map_directions: toBytes(map.directions.values),
    map_centre: toBytes(map.centre),
    map_scale: map.scale,
    assigned_through: traces.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a), new Uint8Array(16)),
    sampled: Buffer.concat(
      byChance(traces)
        .slice(0, EARLIER_TRACES)
        .map((trace) => traces[trace]!),
    ),
    news: JSON.stringify(made.news),
    told: made.news.length === 0 ? 1 : 0,
  }
}

function clusterRow(ofRun: number, place: number, cluster: NewCluster): ClusterRow {
  return {
    run: ofRun,
    place,
    id: cluster.id,
    label: cluster.label,
    description: cluster.description,
    keywords: JSON.stringify(cluster.keywords),
    parent: cluster.parent,
    color: cluster.color,
    judged: cluster.judged,
    error_rate: cluster.errorRate,
    size: cluster.size,
    members: cluster.size,
    cohesion: cluster.cohesion,
    is_mixed: cluster.isMixed ? 1 : 0,
    first_seen_at: cluster.firstSeenAt,
    representatives: JSON.stringify(cluster.representatives),
    named_by: cluster.namedBy,
  }
}

/**
 * Indexes in the order of the end of the ids, which is random and never changes: the first of them are a sample, and
 * nearly the same one in the next run.
 */
function byChance(ids: readonly Uint8Array[]): number[] {
  const ends = ids.map((id) => Buffer.from(id).readUInt32BE(id.length - 4))
  return [...ids.keys()].sort((a, b) => ends[a]! - ends[b]! || a - b)
}
