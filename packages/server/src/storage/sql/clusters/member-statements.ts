import { sql } from 'kysely'
import { listStatement } from '../kit/list-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { ClusterTables } from './cluster-tables.ts'

interface OfCluster {
  readonly run: number
  readonly place: number
}

interface MemberPage extends OfCluster {
  readonly after: Uint8Array
  readonly limit: number
}

/** Statements by which SqlClusterStore reads and removes members. */
export function memberStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    lowest: edgeOn(database, 'asc'),
    highest: edgeOn(database, 'desc'),
    countMembers: database.statement((queries, { run, place }: OfCluster) =>
      queries
        .selectFrom('members')
        .select(({ fn }) => fn.countAll().as('members'))
        .where('run', '=', run)
        .where('place', '=', place),
    ),
    membersUp: pageOn(database, '>', 'asc'),
    membersDown: pageOn(database, '<', 'desc'),
    map: database.statement((queries, { run, limit }: { readonly run: number; readonly limit: number }) =>
      queries
        .selectFrom('members')
        .select(['trace_id', 'place', 'x', 'y'])
        .where('run', '=', run)
        .where('x', 'is not', null)
        .orderBy('ordinal')
        .limit(limit),
    ),
    places: listStatement(database, (queries, traceIds: readonly Uint8Array[], { run }: { readonly run: number }) =>
      queries
        .selectFrom('members')
        .select(['trace_id', 'place'])
        .where('run', '=', run)
        .where('trace_id', 'in', traceIds),
    ),
    takeOut: listStatement(database, (queries, traceIds: readonly Uint8Array[], { run }: { readonly run: number }) =>
      queries.deleteFrom('members').where('run', '=', run).where('trace_id', 'in', traceIds).returning('place'),
    ),
    changeSize: changeSizeOn(database),
  }
}

/** Changes the number of members of a cluster. */
export function changeSizeOn(database: SqlDatabase<ClusterTables>) {
  return database.statement((queries, { run, place, by }: OfCluster & { readonly by: number }) =>
    queries
      .updateTable('clusters')
      .set(({ eb }) => ({ members: eb('members', '+', by) }))
      .where('run', '=', run)
      .where('place', '=', place),
  )
}

function edgeOn(database: SqlDatabase<ClusterTables>, order: 'asc' | 'desc') {
  return database.statement((queries, { run, place }: OfCluster) =>
    queries
      .selectFrom('members')
      .select('trace_id')
      .where('run', '=', run)
      .where('place', '=', place)
      .orderBy('trace_id', order)
      .limit(sql.lit(1)),
  )
}

function pageOn(database: SqlDatabase<ClusterTables>, behind: '>' | '<', order: 'asc' | 'desc') {
  return database.statement((queries, { run, place, after, limit }: MemberPage) =>
    queries
      .selectFrom('members')
      .select('trace_id')
      .where('run', '=', run)
      .where('place', '=', place)
      .where('trace_id', behind, after)
      .orderBy('trace_id', order)
      .limit(limit),
  )
}
