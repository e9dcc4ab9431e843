import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { KeyLimits, KeyStore, StoredKey } from '../../../ports/access/key-store.ts'
import { RememberedReads } from '../kit/remembered-reads.ts'
import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import type { BoundStatement, SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { AccessTables, KeyRow } from './access-tables.ts'
import { fromKeyRow, insertKeyOn, toKeyRow } from './key-row.ts'

/** Few keys are in use. Beyond this number all are evicted. */
const REMEMBERED_KEYS = 10_000

/** Keys found by their secret are cached until a key changes here or another process writes. */
export class SqlKeyStore extends storeOn(statementsOn) implements KeyStore {
  /** By the base64 of the hash. */
  readonly #remembered: RememberedReads<string, StoredKey>

  constructor(database: SqlDatabase<AccessTables>) {
    super(database)
    this.#remembered = new RememberedReads(database, { most: REMEMBERED_KEYS })
  }

  async create(key: StoredKey): Promise<void> {
    await this.run(this.sql.insert(toKeyRow(key)))
  }

  revoke(id: KeyId, revokedAt: number): Promise<void> {
    return this.#change(this.sql.revoke({ id, revokedAt }))
  }

  setLimits(id: KeyId, { requestsPerSecond, bytesPerSecond }: KeyLimits): Promise<void> {
    return this.#change(this.sql.setLimits({ id, requestsPerSecond, bytesPerSecond }))
  }

  async #change(statement: BoundStatement): Promise<void> {
    try {
      await this.run(statement)
    } finally {
      this.#remembered.forgetAll()
    }
  }

  async find(id: KeyId): Promise<StoredKey | undefined> {
    return (await this.database.read(this.sql.byId({ id }))).map(fromKeyRow)[0]
  }

  async listLive(projectId: ProjectId, after: KeyId | null, limit: number): Promise<readonly StoredKey[]> {
    return (await this.database.read(this.sql.pageOfLive({ projectId, after: after ?? '', limit }))).map(fromKeyRow)
  }

  findBySecretHash(secretHash: Uint8Array): Promise<StoredKey | undefined> {
    return this.#remembered.get(
      Buffer.from(secretHash).toString('base64'),
      async () => (await this.database.read(this.sql.bySecretHash({ secretHash }))).map(fromKeyRow)[0],
    )
  }
}

interface Key {
  readonly id: string
}

function statementsOn(database: SqlDatabase<AccessTables>) {
  const { query } = sqlTextOn(database)
  return {
    insert: insertKeyOn(database),
    revoke: query<Key & { revokedAt: number }>(
      'UPDATE keys SET revoked_at = :revokedAt WHERE id = :id AND revoked_at IS NULL',
    ),
    setLimits: query<Key & KeyLimits>(`UPDATE keys
      SET requests_per_second = :requestsPerSecond, bytes_per_second = :bytesPerSecond WHERE id = :id`),
    byId: query<Key, KeyRow>('SELECT * FROM keys WHERE id = :id'),
    bySecretHash: query<{ secretHash: Uint8Array }, KeyRow>('SELECT * FROM keys WHERE secret_hash = :secretHash'),
    pageOfLive: query<ProjectPage, KeyRow>(pageOfProject('keys', 'AND revoked_at IS NULL')),
  }
}
