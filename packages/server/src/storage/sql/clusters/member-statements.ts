import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ClusterTables, MemberRow } from './cluster-tables.ts'

interface OfCluster {
  readonly run: number
  readonly place: number
}

type Traced = Pick<MemberRow, 'trace_id'>

/** Statements by which SqlClusterStore reads and removes members. */
export function memberStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query, listQuery } = sqlTextOn(database)
  const edge = (order: 'ASC' | 'DESC') =>
    query<OfCluster, Traced>(
      `SELECT trace_id FROM members WHERE run = :run AND place = :place ORDER BY trace_id ${order} LIMIT 1`,
    )
  const page = (behind: '>' | '<', order: 'ASC' | 'DESC') =>
    query<OfCluster & { after: Uint8Array; limit: number }, Traced>(`SELECT trace_id FROM members
      WHERE run = :run AND place = :place AND trace_id ${behind} :after ORDER BY trace_id ${order} LIMIT :limit`)
  return {
    lowest: edge('ASC'),
    highest: edge('DESC'),
    countMembers: query<OfCluster, { members: number }>(
      'SELECT count(*) AS members FROM members WHERE run = :run AND place = :place',
    ),
    membersUp: page('>', 'ASC'),
    membersDown: page('<', 'DESC'),
    map: query<{ run: number; limit: number }, Pick<MemberRow, 'trace_id' | 'place' | 'x' | 'y'>>(
      'SELECT trace_id, place, x, y FROM members WHERE run = :run AND x IS NOT NULL ORDER BY ordinal LIMIT :limit',
    ),
    places: listQuery<Uint8Array, Pick<MemberRow, 'trace_id' | 'place'>, { run: number }>(
      'SELECT trace_id, place FROM members WHERE run = :run AND trace_id IN (:values)',
    ),
    takeOut: listQuery<Uint8Array, Pick<MemberRow, 'place'>, { run: number }>(
      'DELETE FROM members WHERE run = :run AND trace_id IN (:values) RETURNING place',
    ),
    changeSize: changeSizeOn(database),
  }
}

export function changeSizeOn(database: SqlDatabase<ClusterTables>) {
  return sqlTextOn(database).query<OfCluster & { by: number }>(
    'UPDATE clusters SET members = members + :by WHERE run = :run AND place = :place',
  )
}
