import type { ProjectId } from '@spoor/contract/ids'
import { sql } from 'kysely'
import type { DeliveryMark, Subscribed } from '../../../ports/webhooks/delivery-mark.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import type { WebhookTables } from './webhook-tables.ts'

export class SqlDeliveryMark extends storeOn(statementsOn) implements DeliveryMark {
  async isSet(): Promise<boolean> {
    return (await this.database.read(this.sql.find({}))).length > 0
  }

  async set(): Promise<void> {
    if (await this.isSet()) return
    const { set } = this.sql
    await this.run(set({}))
  }

  async subscribed(): Promise<readonly Subscribed[]> {
    const rows = await this.database.read(this.sql.subscribed({}))
    return rows.map((row) => ({
      projectId: row.project_id as ProjectId,
      events: row.events.split(','),
      sincePosition: row.since_position,
    }))
  }
}

function statementsOn(database: SqlDatabase<WebhookTables>) {
  return {
    find: database.statement((queries) => queries.selectFrom('delivery_store').selectAll()),
    set: database.statement((queries) =>
      queries
        .insertInto('delivery_store')
        .values({ only_row: 1 })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    subscribed: database.statement((queries) =>
      queries
        .selectFrom('webhooks')
        .select(['project_id', 'events', 'since_position'])
        .where('enabled', '=', sql.lit(1)),
    ),
  }
}
