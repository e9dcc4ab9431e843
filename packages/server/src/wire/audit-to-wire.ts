import type { AuditEntry } from '@spoor/contract/schemas/audit'
import type { ListedAuditEntry } from '../ports/audit/audit-store.ts'
import { toWireTime } from './to-wire.ts'

export function toAuditEntry(entry: ListedAuditEntry): AuditEntry {
  const { id, at, actor, actorName, action, target, detail, requestId } = entry
  return {
    id,
    at: toWireTime(at),
    actor: { ...actor, name: actorName },
    action,
    target,
    detail,
    request_id: requestId,
  }
}
