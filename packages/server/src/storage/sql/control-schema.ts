/** The tables that are read and written through Kysely. The journal's own are in journal-statements.ts. */
export interface ControlSchema {
  projects: ProjectsTable
  keys: KeysTable
}

interface ProjectsTable {
  id: string
  name: string
  created_at: number
}

interface KeysTable {
  id: string
  project_id: string
  name: string
  /** Comma-separated. */
  scopes: string
  secret_hash: Uint8Array
  last_four: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
}
