import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { KeyStore, StoredKey } from '../../../ports/access/key-store.ts'
import { fromKeyRow, toKeyRow, type KeyRow } from './key-row.ts'
import { executeAtomically, type ControlQueries } from '../kysely-dialect.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

/** Keys in use are few; past this the memory starts anew rather than growing. */
const REMEMBERED_KEYS = 10_000

/**
 * Keys that were found by their secret are remembered until any key changes. Changes through this store clear the memory; those of another process are noticed
 * by `PRAGMA data_version`, which moves when another connection commits and is read in about a microsecond before each use.
 */
export class SqliteKeyStore implements KeyStore {
  readonly #database: DatabaseSync
  readonly #queries: ControlQueries
  readonly #bySecretHash: StatementSync
  readonly #dataVersion: StatementSync
  readonly #remembered = new Map<string, StoredKey>()
  #rememberedVersion: unknown
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, queries: ControlQueries, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#queries = queries
    this.#onReadError = onReadError
    this.#bySecretHash = database.prepare('SELECT * FROM keys WHERE secret_hash = ?')
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  async create(key: StoredKey): Promise<void> {
    executeAtomically(this.#database, [this.#queries.insertInto('keys').values(toKeyRow(key)).compile()])
  }

  async revoke(id: KeyId, revokedAt: number): Promise<void> {
    const change = this.#queries.updateTable('keys').set({ revoked_at: revokedAt }).where('id', '=', id)
    executeAtomically(this.#database, [change.where('revoked_at', 'is', null).compile()])
    this.#remembered.clear()
  }

  async find(id: KeyId): Promise<StoredKey | undefined> {
    const row = await this.#queries.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : fromKeyRow(row)
  }

  async listLive(projectId: ProjectId, after: KeyId | null, limit: number): Promise<readonly StoredKey[]> {
    const rows = await this.#queries
      .selectFrom('keys')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('revoked_at', 'is', null)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(fromKeyRow)
  }

  async findBySecretHash(secretHash: Uint8Array): Promise<StoredKey | undefined> {
    return readOrRefuse(() => this.#findBySecretHash(secretHash), this.#onReadError)
  }

  #findBySecretHash(secretHash: Uint8Array): StoredKey | undefined {
    this.#forgetWhenChangedElsewhere()
    const name = Buffer.from(secretHash).toString('base64')
    const remembered = this.#remembered.get(name)
    if (remembered !== undefined) return remembered
    // Not through Kysely: it waits, and a change could come between the look-up and remembering it.
    const row = this.#bySecretHash.get(secretHash)
    if (row === undefined) return undefined
    const key = fromKeyRow(row as unknown as KeyRow)
    if (this.#remembered.size >= REMEMBERED_KEYS) this.#remembered.clear()
    this.#remembered.set(name, key)
    return key
  }

  #forgetWhenChangedElsewhere(): void {
    const version = this.#dataVersion.get()?.['data_version']
    if (version === this.#rememberedVersion) return
    this.#remembered.clear()
    this.#rememberedVersion = version
  }
}
