import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ChangingColumns } from './webhook-row.ts'
import type { WebhookRow, WebhookTables } from './webhook-tables.ts'

interface Disabling {
  readonly id: string
  readonly seenUpdatedAt: number
  readonly reason: string
  readonly disabledAt: number
  readonly updatedAt: number
}

interface Rotating {
  readonly id: string
  readonly secret: Uint8Array
  readonly previousUntil: number
  readonly updatedAt: number
}

type Inserted = Omit<WebhookRow, 'previous_secret' | 'previous_secret_until'>

interface Webhook {
  readonly id: string
}

interface OfProject {
  readonly projectId: string
}

/** In the text, `enabled = 1` is known when a statement is planned: a partial index needs that. */
export function webhookStatementsOn(database: SqlDatabase<WebhookTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    countOfProject: query<OfProject, { count: number }>(
      'SELECT count(*) AS count FROM webhooks WHERE project_id = :projectId',
    ),
    byId: query<Webhook, WebhookRow>('SELECT * FROM webhooks WHERE id = :id'),
    ofProject: query<Webhook & OfProject, WebhookRow>(
      'SELECT * FROM webhooks WHERE id = :id AND project_id = :projectId',
    ),
    page: query<ProjectPage, WebhookRow>(pageOfProject('webhooks')),
    existing: listQuery<string, Pick<WebhookRow, 'id'>>('SELECT id FROM webhooks WHERE id IN (:values)'),
    enabledOf: listQuery<string, WebhookRow>(
      'SELECT * FROM webhooks WHERE project_id IN (:values) AND enabled = 1 ORDER BY id',
    ),
    anyEnabled: query('SELECT id FROM webhooks WHERE enabled = 1 LIMIT 1'),
    anyExpired: query<{ now: number }>('SELECT id FROM webhooks WHERE previous_secret_until <= :now LIMIT 1'),
    insert: database.statement((queries, row: Inserted) =>
      queries.insertInto('webhooks').values({ ...row, previous_secret: null, previous_secret_until: null }),
    ),
    change: database.statement((queries, { id, ...row }: ChangingColumns & { readonly id: string }) =>
      queries.updateTable('webhooks').set(row).where('id', '=', id),
    ),
    rotate: query<Rotating>(`UPDATE webhooks SET previous_secret = secret, previous_secret_until = :previousUntil,
      secret = :secret, updated_at = :updatedAt WHERE id = :id`),
    remove: query<Webhook & OfProject>('DELETE FROM webhooks WHERE id = :id AND project_id = :projectId'),
    disable: query<Disabling>(`UPDATE webhooks
      SET enabled = 0, disabled_reason = :reason, disabled_at = :disabledAt, updated_at = :updatedAt
      WHERE id = :id AND updated_at = :seenUpdatedAt AND enabled = 1`),
    dropExpired: query<{ now: number }>(`UPDATE webhooks SET previous_secret = NULL, previous_secret_until = NULL
      WHERE previous_secret_until <= :now`),
  }
}
