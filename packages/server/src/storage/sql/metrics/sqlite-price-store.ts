import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { OwnPrice } from '../../../ports/prices/price.ts'
import type { PriceStore } from '../../../ports/prices/price-store.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

/** Prices held in memory, of all projects together; past this the memory starts anew rather than growing. */
const REMEMBERED_PRICES = 10_000
/** Projects without any price of their own are remembered too. */
const REMEMBERED_PROJECTS = 1000

interface PriceRow {
  readonly model: string
  readonly input_rate: number
  readonly output_rate: number
  readonly cache_read_rate: number | null
  readonly cache_write_rate: number | null
  readonly updated_at: number
}

/**
 * The prices of a project are remembered until any price changes. Changes through this store forget those of their project; those of another process are
 * noticed by `PRAGMA data_version`, which moves when another connection commits and is read in about a microsecond before each use.
 */
export class SqlitePriceStore implements PriceStore {
  readonly #database: DatabaseSync
  readonly #onReadError: OnReadError
  readonly #ofProject: StatementSync
  readonly #countOthers: StatementSync
  readonly #put: StatementSync
  readonly #remove: StatementSync
  readonly #dataVersion: StatementSync
  readonly #remembered = new Map<ProjectId, ReadonlyMap<string, OwnPrice>>()
  #rememberedPrices = 0
  #rememberedVersion: unknown

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#onReadError = onReadError
    this.#ofProject = database.prepare('SELECT * FROM prices WHERE project_id = ?')
    this.#countOthers = database.prepare('SELECT count(*) AS count FROM prices WHERE project_id = ? AND model <> ?')
    this.#put = database.prepare('INSERT OR REPLACE INTO prices VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#remove = database.prepare('DELETE FROM prices WHERE project_id = ? AND model = ?')
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  own(projectId: ProjectId): ReadonlyMap<string, OwnPrice> {
    return readOrRefuse(() => this.#own(projectId), this.#onReadError)
  }

  async put(projectId: ProjectId, price: OwnPrice, most: number): Promise<boolean> {
    const { model, input, output, cacheRead, cacheWrite, updatedAt } = price
    const id = idToBytes(projectId)
    return this.#change(projectId, () => {
      if (Number(this.#countOthers.get(id, model)?.['count']) >= most) return false
      this.#put.run(id, model, input, output, cacheRead, cacheWrite, updatedAt)
      return true
    })
  }

  async remove(projectId: ProjectId, model: string): Promise<boolean> {
    return this.#change(projectId, () => Number(this.#remove.run(idToBytes(projectId), model).changes) > 0)
  }

  /** A change that failed while it was flushed may have been made after all: what is remembered goes in any case. */
  #change(projectId: ProjectId, work: () => boolean): boolean {
    try {
      return runAtomically(this.#database, work)
    } finally {
      this.#forget(projectId)
    }
  }

  #own(projectId: ProjectId): ReadonlyMap<string, OwnPrice> {
    const version = this.#dataVersion.get()?.['data_version']
    if (version !== this.#rememberedVersion) this.#forgetAll()
    this.#rememberedVersion = version
    const remembered = this.#remembered.get(projectId)
    if (remembered !== undefined) return remembered
    const rows = this.#ofProject.all(idToBytes(projectId)) as unknown as readonly PriceRow[]
    const own = new Map(rows.map((row) => [row.model, toPrice(row)]))
    if (this.#rememberedPrices + own.size > REMEMBERED_PRICES || this.#remembered.size >= REMEMBERED_PROJECTS) {
      this.#forgetAll()
    }
    this.#remembered.set(projectId, own)
    this.#rememberedPrices += own.size
    return own
  }

  #forget(projectId: ProjectId): void {
    this.#rememberedPrices -= this.#remembered.get(projectId)?.size ?? 0
    this.#remembered.delete(projectId)
  }

  #forgetAll(): void {
    this.#remembered.clear()
    this.#rememberedPrices = 0
  }
}

function toPrice(row: PriceRow): OwnPrice {
  return {
    model: row.model,
    input: row.input_rate,
    output: row.output_rate,
    cacheRead: row.cache_read_rate,
    cacheWrite: row.cache_write_rate,
    updatedAt: row.updated_at,
  }
}
