import type { Generated } from 'kysely'

export interface AccessTables {
  projects: ProjectRow
  keys: KeyRow
  sessions: SessionsTable
}

export interface ProjectRow {
  readonly id: string
  readonly name: string
  /** Times are milliseconds. */
  readonly created_at: number
  /** `keep` or `agents_only`. */
  readonly span_filter: Generated<string>
}

export interface KeyRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** Comma-separated. */
  readonly scopes: string
  readonly secret_hash: Uint8Array
  readonly last_four: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

interface SessionsTable {
  /** Grows in the order in which sessions were created. */
  readonly number: Generated<number>
  readonly token_hash: Uint8Array
  readonly key_id: string
  /** Null: the project of its key. */
  readonly project_id: string | null
  readonly created_at: number
  readonly expires_at: number
}
