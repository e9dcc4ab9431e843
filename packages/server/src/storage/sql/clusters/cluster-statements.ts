import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RUN_COLUMNS } from './run-row.ts'

const SQL = {
  currentRun: `SELECT ${RUN_COLUMNS} FROM runs WHERE project_id = ? ORDER BY run DESC LIMIT 1`,
  findRun: `SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`,
  runs: `SELECT ${RUN_COLUMNS} FROM runs WHERE project_id = ? AND run < ? ORDER BY run DESC LIMIT ?`,
  clustersFound: 'SELECT id, label, size FROM clusters WHERE run = ? ORDER BY place',
  projects: 'SELECT DISTINCT project_id FROM runs INDEXED BY runs_by_project',

  clusters: 'SELECT * FROM clusters WHERE run = ? ORDER BY members DESC, place',
  findCluster: 'SELECT * FROM clusters WHERE run = ? AND id = ?',
  centroids: 'SELECT centroids FROM runs WHERE run = ?',
  ids: 'SELECT place, id FROM clusters WHERE run = ?',
  map: 'SELECT trace_id, place, x, y FROM members WHERE run = ? AND x IS NOT NULL ORDER BY ordinal LIMIT ?',

  lowest: 'SELECT trace_id FROM members WHERE run = ? AND place = ? ORDER BY trace_id LIMIT 1',
  highest: 'SELECT trace_id FROM members WHERE run = ? AND place = ? ORDER BY trace_id DESC LIMIT 1',
  membersUp: 'SELECT trace_id FROM members WHERE run = ? AND place = ? AND trace_id > ? ORDER BY trace_id LIMIT ?',
  membersDown:
    'SELECT trace_id FROM members WHERE run = ? AND place = ? AND trace_id < ? ORDER BY trace_id DESC LIMIT ?',
  placeOf: 'SELECT place FROM members WHERE run = ? AND trace_id = ?',

  untold: `SELECT ${RUN_COLUMNS}, news FROM runs INDEXED BY runs_untold WHERE told = 0 ORDER BY run LIMIT ?`,
  markTold: 'UPDATE runs SET told = 1 WHERE id = ?',
  keptTraces: `SELECT project_id, trace_id FROM features WHERE (project_id, trace_id) > (?, ?) ORDER BY project_id, trace_id LIMIT ?`,
  takeOut: 'DELETE FROM members WHERE run = ? AND trace_id = ? RETURNING place',
  oneLess: 'UPDATE clusters SET members = members - 1 WHERE run = ? AND place = ?',
  forgetFeatures: 'DELETE FROM features WHERE project_id = ? AND trace_id = ? RETURNING vector_key',
  forgetVector: `DELETE FROM vectors WHERE project_id = ? AND vector_key = ? AND NOT EXISTS (
    SELECT 1 FROM features WHERE features.project_id = vectors.project_id AND features.vector_key = vectors.vector_key)`,
} as const

export type ClusterStatements = { readonly [name in keyof typeof SQL]: StatementSync }

export function prepareClusters(database: DatabaseSync): ClusterStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as ClusterStatements
}
