import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  featuresVersion:
    'SELECT version, embedder, text IS NULL AS textless FROM features WHERE project_id = ? AND trace_id = ?',
  putFeatures: `INSERT INTO features VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET version = excluded.version,
    embedder = excluded.embedder, features = excluded.features, excerpt = excluded.excerpt, text = excluded.text, vector_key = NULL`,
  features: 'SELECT features FROM features WHERE project_id = ? AND trace_id = ? AND embedder = ?',
  excerpt: 'SELECT excerpt FROM features WHERE project_id = ? AND trace_id = ?',
  basis: 'SELECT fit, basis FROM bases WHERE project_id = ?',
  putBasis: 'INSERT OR REPLACE INTO bases VALUES (?, ?, ?)',

  lastRun: 'SELECT * FROM runs WHERE project_id = ? ORDER BY run DESC LIMIT 1',
  clusters: 'SELECT * FROM clusters WHERE run = ? ORDER BY place',
  members: 'SELECT trace_id, place, x, y FROM members WHERE run = ? AND x IS NOT NULL ORDER BY trace_id',

  insertRun: `INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertCluster: 'INSERT INTO clusters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  insertMember: 'INSERT INTO members VALUES (?, ?, ?, ?, ?, ?)',
  addMember: `INSERT INTO members SELECT ?, coalesce(max(ordinal), -1) + 1, ?, ?, NULL, NULL FROM members WHERE run = ?
    ON CONFLICT DO NOTHING`,
  oneMore: 'UPDATE clusters SET members = members + 1 WHERE run = ? AND place = ?',
  setAssignedThrough: 'UPDATE runs SET assigned_through = max(assigned_through, ?) WHERE run = ?',

  runPlaces: 'SELECT run FROM runs WHERE project_id = ? ORDER BY run DESC',
  dropMembers: 'DELETE FROM members WHERE run = ? AND ordinal IN (SELECT ordinal FROM members WHERE run = ? LIMIT ?)',
  dropClusters: 'DELETE FROM clusters WHERE run = ?',
  dropRun: 'DELETE FROM runs WHERE run = ?',
  oldestKept: 'SELECT trace_id FROM features WHERE project_id = ? ORDER BY trace_id DESC LIMIT 1 OFFSET ?',
  dropFeatures:
    'DELETE FROM features WHERE rowid IN (SELECT rowid FROM features WHERE project_id = ? AND trace_id <= ? LIMIT ?)',
  dropVectors: `DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors WHERE project_id = ? AND NOT EXISTS (
    SELECT 1 FROM features WHERE features.project_id = vectors.project_id AND features.vector_key = vectors.vector_key) LIMIT ?)`,
} as const

export type MemoryStatements = { readonly [name in keyof typeof SQL]: StatementSync }

export function prepareMemory(database: DatabaseSync): MemoryStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as MemoryStatements
}
