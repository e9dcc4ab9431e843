import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntryId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { MemoryAudit } from '../ports/audit/memory-audit.test-support.ts'
import { createAuditLog, type NewAuditEntry } from './audit-log.ts'

const ENTRY: NewAuditEntry = {
  projectId: null,
  actor: { kind: 'system', id: null },
  action: 'key.created',
  target: { kind: 'key', id: null },
  detail: {},
  requestId: null,
}

test('an entry that cannot be written is reported and given up, unless it must be written', async () => {
  const audit = new MemoryAudit()
  audit.add = () => Promise.reject(new DomainError('disk_full', 'full'))
  const lost: unknown[] = []
  const log = createAuditLog({
    audit,
    clock: { now: () => 5 },
    newId: () => 'aud_1' as AuditEntryId,
    onLost: (entry, error) => lost.push([entry, (error as DomainError).code]),
  })
  await log.record(ENTRY)
  assert.deepEqual(lost, [[ENTRY, 'disk_full']])
  await assert.rejects(log.add(ENTRY), { code: 'disk_full' })
  assert.equal(lost.length, 1)
})
