import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import { createIdGenerator } from '../../../lib/ids/ids.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { systemRandomBytes } from '../../../lib/ids/random.ts'
import type { Webhook } from '../../../ports/webhooks/webhook.ts'
import { openSecretKey } from '../../secret-key.ts'
import { memoryOnlyWebhooks } from './memory-only-webhooks.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const ids = createIdGenerator({ now: () => 1_700_000_000_000 }, systemRandomBytes)
const OWN = ids.newId('proj')
const OTHER = ids.newId('proj')
const SECRET = 'a secret of sixteen'
const NEXT = 'whsec_bmV4dCBzZWNyZXQh'

function webhook(fields: Partial<Webhook> = {}): Webhook {
  return {
    id: ids.newId('wh'),
    projectId: OWN,
    url: 'https://example.com/a',
    events: ['trace.committed', 'monitor.fired'],
    description: 'what — for',
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    sincePosition: 7,
    previousSecretUntil: null,
    createdAt: 1000,
    updatedAt: 1000,
    ...fields,
  }
}

test('what is made is found and listed by its own project alone', async () => {
  const store = memoryOnlyWebhooks([OWN, OTHER])
  const [first, second] = [webhook(), webhook({ enabled: false, disabledReason: 'by_request', disabledAt: 5 })]
  const foreign = webhook({ projectId: OTHER })
  for (const one of [first, second, foreign]) assert.equal(await store.create(one, SECRET, 2), true)
  assert.equal(await store.create(webhook(), SECRET, 2), false)
  assert.deepEqual(await store.findOf(OWN, first.id), first)
  assert.equal(await store.findOf(OTHER, first.id), undefined)
  assert.deepEqual(await store.listOf(OWN, null, 10), [first, second])
  assert.deepEqual(await store.listOf(OWN, first.id, 10), [second])
  assert.equal(await store.change(OTHER, first.id, (present) => ({ ...present, url: 'x' })), undefined)
  assert.equal(await store.rotate(OTHER, first.id, { secret: NEXT, now: 1, previousUntil: 2 }), undefined)
  assert.equal(await store.remove(OTHER, first.id), false)
  assert.deepEqual(await store.findOf(OWN, first.id), first)
})

test('the directory knows every write at once', async () => {
  const store = memoryOnlyWebhooks([OWN, OTHER])
  const one = webhook()
  const see = () => [store.find(one.id)?.url, store.enabledOf(OWN).map(({ id }) => id), store.anyEnabled()]
  assert.deepEqual(see(), [undefined, [], false])
  await store.create(one, SECRET, 9)
  assert.deepEqual(see(), ['https://example.com/a', [one.id], true])
  assert.deepEqual(store.enabledOf(OTHER), [])
  await store.change(OWN, one.id, (present) => ({ ...present, url: 'https://b.test', updatedAt: 1001 }))
  assert.deepEqual(see(), ['https://b.test', [one.id], true])
  assert.equal(store.findSigned(one.id, 0)?.url, 'https://b.test')
  await store.change(OWN, one.id, (present) => ({ ...present, enabled: false, updatedAt: 1002 }))
  assert.deepEqual(see(), ['https://b.test', [], false])
  await store.change(OWN, one.id, (present) => ({ ...present, enabled: true, updatedAt: 1003 }))
  assert.equal(await store.remove(OWN, one.id), true)
  assert.deepEqual(see(), [undefined, [], false])
  assert.equal(store.findSigned(one.id, 0), undefined)
})

test('disabling holds only for what was seen, once', async () => {
  const store = memoryOnlyWebhooks([OWN])
  const one = webhook()
  await store.create(one, SECRET, 9)
  assert.equal(store.enabledOf(OWN).length, 1)
  assert.equal(store.disable(one.id, 999, 'gone', 2000), false)
  assert.equal(store.disable(ids.newId('wh'), 1000, 'gone', 2000), false)
  assert.equal(store.disable(one.id, 1000, 'no_success', 900), true)
  const after = store.find(one.id)
  assert.deepEqual(
    [after?.enabled, after?.disabledReason, after?.disabledAt, after?.updatedAt],
    [false, 'no_success', 900, 1001],
  )
  assert.deepEqual(store.enabledOf(OWN), [])
  assert.equal(store.anyEnabled(), false)
  assert.equal(store.disable(one.id, 1001, 'gone', 2000), false)
})

test('after a rotation both secrets sign until its end, the newest first, and never more than two', async () => {
  const store = memoryOnlyWebhooks([OWN])
  const one = webhook()
  await store.create(one, SECRET, 9)
  const secrets = (now: number) => store.findSigned(one.id, now)?.secrets
  assert.deepEqual(secrets(0), [SECRET])
  const rotated = await store.rotate(OWN, one.id, { secret: NEXT, now: 1000, previousUntil: 5000 })
  assert.deepEqual([rotated?.previousSecretUntil, rotated?.updatedAt], [5000, 1001])
  assert.deepEqual([secrets(4999), secrets(5000)], [[NEXT, SECRET], [NEXT]])
  // A retry of the same rotation: the secret before still signs.
  assert.deepEqual(await store.rotate(OWN, one.id, { secret: NEXT, now: 2000, previousUntil: 6000 }), rotated)
  assert.deepEqual(secrets(4999), [NEXT, SECRET])
  await store.rotate(OWN, one.id, { secret: 'a third secret of all', now: 3000, previousUntil: 7000 })
  assert.deepEqual(secrets(4000), ['a third secret of all', NEXT])
  assert.equal(await store.dropExpiredSecrets(6999), 0)
  assert.equal(await store.dropExpiredSecrets(7000), 1)
  assert.equal(store.find(one.id)?.previousSecretUntil, null)
  assert.deepEqual(secrets(4000), ['a third secret of all'])
})

test('a write that fails leaves everything as it was, in memory too', async () => {
  const database = new DatabaseSync(':memory:')
  const store = memoryOnlyWebhooks([OWN], database)
  const one = webhook()
  await store.create(one, SECRET, 9)
  assert.deepEqual(store.find(one.id), one)
  database.exec('PRAGMA query_only = 1')
  const change = store.change(OWN, one.id, (present) => ({ ...present, url: 'https://b.test' }))
  await assert.rejects(change, { code: 'storage_unavailable' })
  assert.throws(() => store.disable(one.id, 1000, 'gone', 1), { code: 'storage_unavailable' })
  assert.deepEqual(store.find(one.id), one)
  database.exec('PRAGMA query_only = 0')
  assert.equal(store.disable(one.id, 1000, 'gone', 1), true)
})

test('secrets are sealed on the disk and open again after a restart, with their key alone', async (context) => {
  const dataDir = temporaryFolder(context)
  const keyring = (configured: Uint8Array | null) => ({
    openKey: (mayMake: boolean) => openSecretKey({ dataDir, configured, randomBytes: systemRandomBytes, mayMake }),
    randomBytes: systemRandomBytes,
  })
  const made = await makeOne(dataDir, keyring(null))
  for (const file of ['control.db', 'control.db-wal']) {
    assert.ok(!readFileSync(join(dataDir, file)).includes(SECRET), file)
  }
  const again = temporaryStore(context, { dataDir })
  assert.deepEqual(again.openWebhooks(keyring(null)).findSigned(made, 0)?.secrets, [SECRET])
  const other = keyring(Buffer.alloc(32, 9))
  assert.throws(
    () => again.openWebhooks(other),
    (error) => error instanceof OperatorError && /does not open the secrets/.test(error.message),
  )

  async function makeOne(folder: string, keys: ReturnType<typeof keyring>): Promise<WebhookId> {
    const control = temporaryStore(context, { dataDir: folder })
    const project: ProjectId = ids.newId('proj')
    await control.projects.create({ id: project, name: 'a project', createdAt: 0 }, [])
    const one = webhook({ projectId: project })
    await control.openWebhooks(keys).create(one, SECRET, 9)
    return one.id
  }
})
