import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { systemRandomBytes } from '../../../lib/ids/random.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import {
  aWebhook,
  FOREIGN_PROJECT,
  OWN_PROJECT,
  webhookId,
} from '../../../ports/webhooks/webhook-builders.test-support.ts'
import { testWebhookStore } from '../../../ports/webhooks/webhook-store.conformance.ts'
import { openSecretKey } from '../../secret-key.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { CONTROL_MIGRATIONS } from '../schema/schemas.ts'
import { runMigrations } from '../run-migrations.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import { keyIdsOn } from './open-secret-box.ts'
import { SqlDeliveryMark } from './sql-delivery-mark.ts'
import { SqlWebhookStore } from './sql-webhook-store.ts'
import { webhookStatementsOn } from './webhook-statements.ts'
import type { WebhookTables } from './webhook-tables.ts'

const SECRET = 'a secret of sixteen'

async function openStore(context: TestContext, dataDir = temporaryFolder(context)): Promise<SqlWebhookStore> {
  const control = temporaryStore(context, { dataDir })
  for (const id of [OWN_PROJECT, FOREIGN_PROJECT]) {
    if ((await control.projects.find(id)) === undefined) {
      await control.projects.create({ id, name: 'p', createdAt: 0 }, [])
    }
  }
  return control.openWebhooks(TEST_BOX) as SqlWebhookStore
}

testWebhookStore((context) => openStore(context))

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<WebhookTables>((database) => {
    webhookStatementsOn(database)
    keyIdsOn(database)
    return new SqlDeliveryMark(database)
  })
})

test('the next lookup sees changes of another process', async (context) => {
  const dataDir = temporaryFolder(context)
  const [service, other] = [await openStore(context, dataDir), await openStore(context, dataDir)]
  const one = aWebhook()
  await service.create(one, SECRET, 9)
  assert.equal((await service.enabledOf([OWN_PROJECT])).size, 1)
  assert.equal((await service.findSigned(one.id, 0))?.enabled, true)
  assert.equal(await service.anyEnabled(), true)
  assert.equal(await other.disable(one.id, one.updatedAt, 'gone', 2000), true)
  assert.equal((await service.enabledOf([OWN_PROJECT])).size, 0)
  assert.equal((await service.findSigned(one.id, 0))?.enabled, false)
  assert.equal(await service.anyEnabled(), false)
})

test('lookups of the dispatcher are cached and not read for every batch', async (context) => {
  const store = await openStore(context)
  await store.create(aWebhook(), SECRET, 9)
  const lookUp = async () => {
    await store.anyEnabled()
    return (await store.enabledOf([OWN_PROJECT, FOREIGN_PROJECT])).get(OWN_PROJECT)?.[0]
  }
  const found = await lookUp()
  assert.ok(found)
  assert.equal(await lookUp(), found, 'the same object')
})

test('more ids than a statement allows are read in parts', async (context) => {
  const store = await openStore(context)
  await store.create(aWebhook(), SECRET, 9)
  const ids = Array.from({ length: 1200 }, () => webhookId(9))
  assert.deepEqual(await store.existing([...ids, webhookId(0)]), new Set([webhookId(0)]))
})

test('enabled subscriptions are read by their partial index', async (context) => {
  const database = new DatabaseSync(':memory:')
  context.after(() => database.close())
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  const sql = webhookStatementsOn(new SqliteDatabase<WebhookTables>(database))
  for (const bound of [...sql.enabledOf([OWN_PROJECT], {}), sql.anyEnabled({})]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${bound.sql}`).all(...(bound.parameters as string[]))
    assert.match(plan.map(({ detail }) => detail).join(), /webhooks_enabled/)
  }
})

test('a failed write changes nothing, in memory neither', async (context) => {
  const database = new DatabaseSync(':memory:')
  context.after(() => database.close())
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  database.prepare("INSERT INTO projects (id, name, created_at) VALUES (?, 'a project', 0)").run(OWN_PROJECT)
  const store = new SqlWebhookStore(new SqliteDatabase<WebhookTables>(database), TEST_BOX)
  const one = aWebhook()
  await store.create(one, SECRET, 9)
  assert.equal((await store.findSigned(one.id, 0))?.url, one.url)
  database.exec('PRAGMA query_only = 1')
  const change = store.change(OWN_PROJECT, one.id, (present) => ({ ...present, url: 'https://b.test' }))
  await assert.rejects(change, { code: 'storage_unavailable' })
  await assert.rejects(store.disable(one.id, 1000, 'gone', 1), { code: 'storage_unavailable' })
  assert.equal((await store.findSigned(one.id, 0))?.url, one.url)
  assert.deepEqual(await store.find(one.id), one)
  database.exec('PRAGMA query_only = 0')
  assert.equal(await store.disable(one.id, 1000, 'gone', 1), true)
})

test('secrets and URLs are sealed on disk and can be opened after a restart, only with their key', async (context) => {
  const dataDir = temporaryFolder(context)
  const keyring = (configured: Uint8Array | null) => ({
    openKey: (mayMake: boolean) => openSecretKey({ dataDir, configured, randomBytes: systemRandomBytes, mayMake }),
    randomBytes: systemRandomBytes,
  })
  const [url, changed] = ['https://a.test/path-one?query-one', 'https://a.test/path-two?query-two']
  const control = temporaryStore(context, { dataDir })
  await control.projects.create({ id: OWN_PROJECT, name: 'a project', createdAt: 0 }, [])
  const made = control.openWebhooks(await control.openSecretBox(keyring(null)))
  const { id } = aWebhook()
  await made.create(aWebhook({ url }), SECRET, 9)
  assert.equal((await made.find(id))?.url, url)
  await made.change(OWN_PROJECT, id, (present) => ({ ...present, url: changed }))
  for (const file of ['control.db', 'control.db-wal']) {
    const bytes = readFileSync(join(dataDir, file))
    for (const text of [SECRET, 'a.test', 'path-one', 'query-one', 'path-two', 'query-two'])
      assert.ok(!bytes.includes(text), `${text} in ${file}`)
  }
  const again = temporaryStore(context, { dataDir })
  const store = again.openWebhooks(await again.openSecretBox(keyring(null)))
  const found = await store.findSigned(id, 0)
  assert.deepEqual([found?.url, found?.secrets], [changed, [SECRET]])
  await assert.rejects(
    again.openSecretBox(keyring(Buffer.alloc(32, 9))),
    (error) => error instanceof OperatorError && /does not open the secrets/.test(error.message),
  )
})
