import type { ProjectId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { OwnPrice } from '../../../ports/prices/price.ts'
import type { PriceStore } from '../../../ports/prices/price-store.ts'
import { RememberedReads } from '../kit/remembered-reads.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { PriceRow, PriceTables } from './price-tables.ts'

/** Cached prices of all projects. Beyond this number all are evicted. */
const REMEMBERED_PRICES = 10_000
/** The weight of a project without its prices: projects without prices are cached too. */
const WEIGHT_OF_PROJECT = 10

/** The prices of a project are cached until one of them changes here or another process writes. */
export class SqlPriceStore extends storeOn(statementsOn) implements PriceStore {
  readonly #remembered: RememberedReads<ProjectId, ReadonlyMap<string, OwnPrice>>

  constructor(database: SqlDatabase<PriceTables>) {
    super(database)
    this.#remembered = new RememberedReads(database, {
      weightOf: (own) => WEIGHT_OF_PROJECT + own.size,
      most: REMEMBERED_PRICES,
    })
  }

  own(projectId: ProjectId): Promise<ReadonlyMap<string, OwnPrice>> {
    return this.#remembered.get(projectId, async () => {
      const rows = await this.database.read(this.sql.ofProject({ projectId: idToBytes(projectId) }))
      return new Map(rows.map((row) => [row.model, toPrice(row)]))
    })
  }

  put(projectId: ProjectId, price: OwnPrice, most: number): Promise<boolean> {
    const sql = this.sql
    const row = toRow(projectId, price)
    return this.#change(projectId, function* () {
      const others = yield* first(sql.countOthers({ projectId: row.project_id, model: row.model }))
      if (Number(others?.count) >= most) return false
      yield* run(sql.put(row))
      return true
    })
  }

  remove(projectId: ProjectId, model: string): Promise<boolean> {
    const sql = this.sql
    return this.#change(projectId, function* () {
      return (yield* run(sql.remove({ projectId: idToBytes(projectId), model }))) > 0
    })
  }

  async #change(projectId: ProjectId, work: () => Work<boolean>): Promise<boolean> {
    try {
      return await this.database.write(work)
    } finally {
      this.#remembered.forget(projectId)
    }
  }
}

function statementsOn(database: SqlDatabase<PriceTables>) {
  const { query } = sqlTextOn(database)
  return {
    ofProject: query<{ projectId: Uint8Array }, PriceRow>('SELECT * FROM prices WHERE project_id = :projectId'),
    countOthers: query<{ projectId: Uint8Array; model: string }, { count: number }>(
      'SELECT count(*) AS count FROM prices WHERE project_id = :projectId AND model <> :model',
    ),
    put: database.statement((queries, { project_id, model, ...rates }: PriceRow) =>
      queries
        .insertInto('prices')
        .values({ project_id, model, ...rates })
        .onConflict((conflict) => conflict.columns(['project_id', 'model']).doUpdateSet(rates)),
    ),
    remove: query<{ projectId: Uint8Array; model: string }>(
      'DELETE FROM prices WHERE project_id = :projectId AND model = :model',
    ),
  }
}

function toRow(projectId: ProjectId, { model, input, output, cacheRead, cacheWrite, updatedAt }: OwnPrice): PriceRow {
  return {
    project_id: idToBytes(projectId),
    model,
    input_rate: input,
    output_rate: output,
    cache_read_rate: cacheRead,
    cache_write_rate: cacheWrite,
    updated_at: updatedAt,
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
