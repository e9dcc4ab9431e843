import { sql } from 'kysely'
import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { ChangingColumns } from './webhook-row.ts'
import type { WebhookRow, WebhookTables } from './webhook-tables.ts'

/** Not a parameter: a partial index needs a condition that is known when the statement is planned. */
const ENABLED = sql.lit(1)

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

export function webhookStatementsOn(database: SqlDatabase<WebhookTables>) {
  return { ...readsOn(database), ...writesOn(database) }
}

function readsOn(database: SqlDatabase<WebhookTables>) {
  return {
    countOfProject: database.statement((queries, { projectId }: { projectId: string }) =>
      queries
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('project_id', '=', projectId),
    ),
    byId: database.statement((queries, { id }: { id: string }) =>
      queries.selectFrom('webhooks').selectAll().where('id', '=', id),
    ),
    ofProject: database.statement((queries, { projectId, id }: { projectId: string; id: string }) =>
      queries.selectFrom('webhooks').selectAll().where('id', '=', id).where('project_id', '=', projectId),
    ),
    page: database.statement((queries, page: ProjectPage) =>
      pageOfProject(queries.selectFrom('webhooks').selectAll(), page),
    ),
    existing: (ids: readonly string[]) =>
      database.bound((queries) => queries.selectFrom('webhooks').select('id').where('id', 'in', ids)),
    enabledOf: (projectIds: readonly string[]) =>
      database.bound((queries) =>
        queries
          .selectFrom('webhooks')
          .selectAll()
          .where('project_id', 'in', projectIds)
          .where('enabled', '=', ENABLED)
          .orderBy('id'),
      ),
    anyEnabled: database.statement((queries) =>
      queries.selectFrom('webhooks').select('id').where('enabled', '=', ENABLED).limit(1),
    ),
    anyExpired: database.statement((queries, { now }: { now: number }) =>
      queries.selectFrom('webhooks').select('id').where('previous_secret_until', '<=', now).limit(1),
    ),
  }
}

function writesOn(database: SqlDatabase<WebhookTables>) {
  return {
    insert: database.statement((queries, row: Inserted) =>
      queries.insertInto('webhooks').values({ ...row, previous_secret: null, previous_secret_until: null }),
    ),
    change: database.statement((queries, { id, ...row }: ChangingColumns & { readonly id: string }) =>
      queries.updateTable('webhooks').set(row).where('id', '=', id),
    ),
    rotate: database.statement((queries, { id, secret, previousUntil, updatedAt }: Rotating) =>
      queries
        .updateTable('webhooks')
        .set(({ ref }) => ({
          previous_secret: ref('secret'),
          previous_secret_until: previousUntil,
          secret,
          updated_at: updatedAt,
        }))
        .where('id', '=', id),
    ),
    remove: database.statement((queries, { projectId, id }: { projectId: string; id: string }) =>
      queries.deleteFrom('webhooks').where('id', '=', id).where('project_id', '=', projectId),
    ),
    disable: database.statement((queries, { id, seenUpdatedAt, reason, disabledAt, updatedAt }: Disabling) =>
      queries
        .updateTable('webhooks')
        .set({ enabled: 0, disabled_reason: reason, disabled_at: disabledAt, updated_at: updatedAt })
        .where('id', '=', id)
        .where('updated_at', '=', seenUpdatedAt)
        .where('enabled', '=', ENABLED),
    ),
    dropExpired: database.statement((queries, { now }: { now: number }) =>
      queries
        .updateTable('webhooks')
        .set({ previous_secret: null, previous_secret_until: null })
        .where('previous_secret_until', '<=', now),
    ),
  }
}
