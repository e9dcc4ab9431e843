import { CLUSTER_RUNS_KEPT, CLUSTER_TRACES_MAX } from '@spoor/contract/limits'
import { sql } from 'kysely'
import { all, first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { ClusterTables } from './cluster-tables.ts'

/** Most rows removed in one transaction. */
const REMOVED_TOGETHER = 5000

interface Part {
  readonly setId: Uint8Array
  readonly limit: number
}

export function tidyStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    runPlaces: database.statement((queries, { setId }: { readonly setId: Uint8Array }) =>
      queries.selectFrom('runs').select('run').where('set_id', '=', setId).orderBy('run', 'desc'),
    ),
    dropMembers: database.statement((queries, { of, limit }: { readonly of: number; readonly limit: number }) =>
      queries
        .deleteFrom('members')
        .where('run', '=', of)
        .where('ordinal', 'in', ({ selectFrom }) =>
          selectFrom('members as some').select('some.ordinal').where('some.run', '=', of).limit(limit),
        ),
    ),
    dropClusters: database.statement((queries, { of }: { readonly of: number }) =>
      queries.deleteFrom('clusters').where('run', '=', of),
    ),
    dropRun: database.statement((queries, { of }: { readonly of: number }) =>
      queries.deleteFrom('runs').where('run', '=', of),
    ),
    dropLabels: database.statement(
      (queries, { setId, newest }: { readonly setId: Uint8Array; readonly newest: number }) =>
        queries
          .deleteFrom('cluster_labels')
          .where('set_id', '=', setId)
          .where('cluster_id', 'not in', ({ selectFrom }) =>
            selectFrom('clusters').select('clusters.id').where('clusters.run', '=', newest),
          ),
    ),
    newestNotKept: database.statement((queries, { setId }: { readonly setId: Uint8Array }) =>
      queries
        .selectFrom('features')
        .select('trace_id')
        .where('set_id', '=', setId)
        .orderBy('trace_id', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(CLUSTER_TRACES_MAX)),
    ),
    dropFeatures: database.statement((queries, { setId, through, limit }: Part & { readonly through: Uint8Array }) =>
      queries
        .deleteFrom('features')
        .where('set_id', '=', setId)
        .where('trace_id', 'in', ({ selectFrom }) =>
          selectFrom('features as old')
            .select('old.trace_id')
            .where('old.set_id', '=', setId)
            .where('old.trace_id', '<=', through)
            .limit(limit),
        ),
    ),
    dropVectors: database.statement((queries, { setId, limit }: Part) =>
      queries
        .deleteFrom('vectors')
        .where('set_id', '=', setId)
        .where('vector_key', 'in', ({ selectFrom }) =>
          selectFrom('vectors as unused')
            .select('unused.vector_key')
            .where('unused.set_id', '=', setId)
            .where((of) =>
              of.not(
                of.exists(
                  of
                    .selectFrom('features')
                    .select(sql.lit(1).as('one'))
                    .where('features.set_id', '=', setId)
                    .whereRef('features.vector_key', '=', 'unused.vector_key'),
                ),
              ),
            )
            .limit(limit),
        ),
    ),
  }
}

/** Removes a part; returns whether there may be more. */
export function* tidyClusters(
  statements: ReturnType<typeof tidyStatementsOn>,
  setId: Uint8Array,
  wholeSetId: Uint8Array,
): Work<boolean> {
  const [newest, ...older] = (yield* all(statements.runPlaces({ setId }))).map((row) => row.run)
  let room = REMOVED_TOGETHER
  if (newest !== undefined) yield* run(statements.dropLabels({ setId, newest }))
  for (const of of older) {
    room -= yield* run(statements.dropMembers({ of, limit: room }))
    if (room === 0) return true
  }
  for (const of of older.slice(CLUSTER_RUNS_KEPT - 1)) {
    yield* run(statements.dropClusters({ of }))
    yield* run(statements.dropRun({ of }))
  }
  const last = yield* first(statements.newestNotKept({ setId: wholeSetId }))
  if (last !== undefined) {
    room -= yield* run(statements.dropFeatures({ setId: wholeSetId, through: last.trace_id, limit: room }))
  }
  return room === 0 || (yield* run(statements.dropVectors({ setId: wholeSetId, limit: room }))) === room
}
