import type { ProjectId } from '@spoor/contract/ids'
import type { DeliveryMark, Subscribed } from '../../../ports/webhooks/delivery-mark.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { WebhookRow, WebhookTables } from './webhook-tables.ts'

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
  const { query } = sqlTextOn(database)
  return {
    find: query('SELECT * FROM delivery_store'),
    set: query('INSERT INTO delivery_store (only_row) VALUES (1) ON CONFLICT DO NOTHING'),
    subscribed: query<object, Pick<WebhookRow, 'project_id' | 'events' | 'since_position'>>(
      'SELECT project_id, events, since_position FROM webhooks WHERE enabled = 1',
    ),
  }
}
