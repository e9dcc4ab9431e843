import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AuditEntryId } from '@spoor/contract/ids'
import { aKey, aProject, keyId, projectId } from '../access/access-builders.test-support.ts'
import type { KeyStore } from '../access/key-store.ts'
import type { ProjectStore } from '../access/project-store.ts'
import type { AuditEntry, AuditFilters, AuditStore } from './audit-store.ts'

interface Stores {
  readonly audit: AuditStore
  readonly projects: ProjectStore
  readonly keys: KeyStore
}

const ANY: AuditFilters = {
  projectId: projectId(1),
  alsoOfNone: false,
  action: null,
  actorId: null,
  targetId: null,
  startTime: null,
  endTime: null,
}

function anEntry(number: number, fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: `aud_01h2xcejqtf2nbrexx3vqjhp4${number}` as AuditEntryId,
    projectId: projectId(1),
    at: number,
    actor: { kind: 'key', id: keyId(1) },
    action: 'key.created',
    target: { kind: 'key', id: keyId(2) },
    detail: { name: 'é"', scopes: ['read'] },
    requestId: `request ${number}`,
    ...fields,
  }
}

/** Guarantees of the audit log. `open` gives empty stores. */
export function testAuditStore(open: (context: TestContext) => Promise<Stores>): void {
  async function filled(context: TestContext): Promise<AuditStore> {
    const { audit, projects } = await open(context)
    await projects.create(aProject(1), [aKey(1)])
    await projects.create(aProject(2), [])
    const system = { kind: 'system', id: null } as const
    await audit.add(anEntry(1))
    await audit.add(anEntry(2, { actor: system, action: 'key.revoked', requestId: null }))
    await audit.add(anEntry(3, { projectId: null, actor: { kind: 'unknown', id: null }, action: 'access.refused' }))
    await audit.add(anEntry(4, { projectId: projectId(2) }))
    await audit.add(anEntry(5, { target: { kind: 'session', id: null }, action: 'session.ended' }))
    return audit
  }

  test('entries of the audit log come newest first, of one project, with the name of the key', async (context) => {
    const audit = await filled(context)
    const page = async (before: number | null, limit: number, filters = ANY) =>
      (await audit.list(filters, before === null ? null : anEntry(before).id, limit)).map(({ at }) => at)
    assert.deepEqual(await page(null, 9), [5, 2, 1])
    assert.deepEqual(await page(null, 2), [5, 2])
    assert.deepEqual(await page(2, 2), [1])
    assert.deepEqual(await page(null, 9, { ...ANY, alsoOfNone: true }), [5, 3, 2, 1])
    assert.deepEqual(await page(5, 2, { ...ANY, alsoOfNone: true }), [3, 2])
    const [oldest] = await audit.list(ANY, anEntry(2).id, 1)
    assert.deepEqual(oldest, { ...anEntry(1), actorName: 'key 1' })
    const [second] = await audit.list(ANY, anEntry(5).id, 1)
    assert.equal(second?.actorName, null)
  })

  test('entries of the audit log are filtered', async (context) => {
    const audit = await filled(context)
    const found = async (filters: Partial<AuditFilters>) =>
      (await audit.list({ ...ANY, ...filters }, null, 9)).map(({ at }) => at)
    assert.deepEqual(await found({ action: 'key.revoked' }), [2])
    assert.deepEqual(await found({ actorId: keyId(1) }), [5, 1])
    assert.deepEqual(await found({ targetId: keyId(2) }), [2, 1])
    assert.deepEqual(await found({ startTime: 2, endTime: 5 }), [2])
    assert.deepEqual(await found({ actorId: keyId(1), action: 'key.revoked' }), [])
  })

  test('old entries of the audit log are removed, a bounded number at a time', async (context) => {
    const audit = await filled(context)
    const left = async () => (await audit.list({ ...ANY, alsoOfNone: true }, null, 9)).map(({ at }) => at)
    assert.equal(await audit.prune(4, 2), 2)
    assert.deepEqual(await left(), [5, 3])
    assert.equal(await audit.prune(4, 2), 1)
    assert.equal(await audit.prune(4, 2), 0)
    assert.deepEqual(await left(), [5])
  })
}
