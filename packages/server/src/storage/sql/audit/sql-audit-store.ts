import type { AuditAction, AuditActor, AuditTarget } from '@spoor/contract/audit'
import type { AuditEntryId, KeyId, ProjectId } from '@spoor/contract/ids'
import type { AuditEntry, AuditFilters, AuditStore, ListedAuditEntry } from '../../../ports/audit/audit-store.ts'
import type { AccessTables } from '../access/access-tables.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { AuditRow, AuditTables } from './audit-tables.ts'

type Tables = AuditTables & Pick<AccessTables, 'keys'>

export class SqlAuditStore extends storeOn(statementsOn) implements AuditStore {
  async add(entry: AuditEntry): Promise<void> {
    await this.run(this.sql.insert(toRow(entry)))
  }

  async list(filters: AuditFilters, before: AuditEntryId | null, limit: number): Promise<readonly ListedAuditEntry[]> {
    const own = await this.#page(filters.projectId, filters, before, limit)
    if (!filters.alsoOfNone) return own
    const others = await this.#page('', filters, before, limit)
    return [...own, ...others].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  }

  prune(endedBy: number, limit: number): Promise<number> {
    return this.run(this.sql.prune({ endedBy, limit }))
  }

  /** Of one project, so that the index has the order. */
  async #page(
    projectId: string,
    { action, actorId, targetId, startTime, endTime }: AuditFilters,
    before: AuditEntryId | null,
    limit: number,
  ): Promise<ListedAuditEntry[]> {
    const statement = this.database.bound((queries) => {
      let query = queries
        .selectFrom('audit_entries as entry')
        .leftJoin('keys', 'keys.id', 'entry.actor_id')
        .selectAll('entry')
        .select('keys.name as actor_name')
        .where('entry.project_id', '=', projectId)
      if (before !== null) query = query.where('entry.id', '<', before)
      if (action !== null) query = query.where('entry.action', '=', action)
      if (actorId !== null) query = query.where('entry.actor_id', '=', actorId)
      if (targetId !== null) query = query.where('entry.target_id', '=', targetId)
      if (startTime !== null) query = query.where('entry.at', '>=', startTime)
      if (endTime !== null) query = query.where('entry.at', '<', endTime)
      return query.orderBy('entry.id', 'desc').limit(limit)
    })
    return (await this.database.read(statement)).map(fromRow)
  }
}

function statementsOn(database: SqlDatabase<Tables>) {
  return {
    insert: database.statement((queries, row: AuditRow) => queries.insertInto('audit_entries').values(row)),
    prune: sqlTextOn(database).query<{ endedBy: number; limit: number }>(`DELETE FROM audit_entries WHERE id IN (
      SELECT id FROM audit_entries WHERE at < :endedBy ORDER BY at LIMIT :limit)`),
  }
}

function toRow({ id, projectId, at, actor, action, target, detail, requestId }: AuditEntry): AuditRow {
  return {
    id,
    project_id: projectId ?? '',
    at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    action,
    target_kind: target.kind,
    target_id: target.id,
    detail: JSON.stringify(detail),
    request_id: requestId,
  }
}

function fromRow(row: AuditRow & { readonly actor_name: string | null }): ListedAuditEntry {
  return {
    id: row.id as AuditEntryId,
    projectId: row.project_id === '' ? null : (row.project_id as ProjectId),
    at: row.at,
    actor: { kind: row.actor_kind as AuditActor, id: row.actor_id as KeyId | null },
    action: row.action as AuditAction,
    target: { kind: row.target_kind as AuditTarget, id: row.target_id },
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    requestId: row.request_id,
    actorName: row.actor_name,
  }
}
