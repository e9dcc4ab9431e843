import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../lib/time/clock.ts'
import { CONNECTION_OPTIONS } from './configure-connection.ts'
import { CONTROL_MIGRATIONS } from './schema/schemas.ts'
import { openControlStore } from './open-control-store.ts'
import { runMigrations, schemaVersion } from './run-migrations.ts'
import { temporaryFolder } from './temporary-store.test-support.ts'

const WORKERS = 2
const ROUNDS = 5
const VERSIONS = CONTROL_MIGRATIONS.map(({ version }) => version)

/** Opens the store with as many connections at once, each in a thread. Rejects if one of them fails. */
async function openAtOnce(dataDir: string): Promise<void> {
  const started = new Int32Array(new SharedArrayBuffer(4))
  const options = { workerData: { dataDir, started, workers: WORKERS } }
  const url = new URL('./open-at-once.test-support.ts', import.meta.url)
  const threads = Array.from({ length: WORKERS }, () => new Worker(url, options))
  await Promise.all(threads.map((thread) => once(thread, 'exit')))
}

function connect(context: TestContext, path: string): DatabaseSync {
  const database = new DatabaseSync(path, CONNECTION_OPTIONS)
  context.after(() => database.close())
  return database
}

function appliedTo(database: DatabaseSync): unknown[] {
  return database
    .prepare('SELECT version FROM schema_versions ORDER BY version')
    .all()
    .map(({ version }) => version)
}

test('two connections that open a new database at once apply each migration once', async (context) => {
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = temporaryFolder(context)
    await openAtOnce(dataDir)
    assert.deepEqual(appliedTo(connect(context, join(dataDir, 'control.db'))), VERSIONS)
  }
})

test('a database from before the first release is refused with a sentence and left as it is', (context) => {
  const dataDir = temporaryFolder(context)
  openControlStore({ dataDir, clock: systemClock, create: true }).close()
  const database = connect(context, join(dataDir, 'control.db'))
  database.exec('UPDATE schema_versions SET version = 22')
  const open = () => openControlStore({ dataDir, clock: systemClock, create: true })
  const said = `development version of Spoor from before its first release (schema 22; this one knows ${VERSIONS.at(-1)})`
  assert.throws(open, ({ message }: Error) => message.includes(said))
  assert.deepEqual(appliedTo(database), [22])
})

test('a migration that another connection applied after the version was read is not applied again', (context) => {
  const path = join(temporaryFolder(context), 'control.db')
  const [first, second] = [connect(context, path), connect(context, path)]
  let reads = 0
  const migrations = CONTROL_MIGRATIONS.map(({ version, name, statements }) => ({
    name,
    statements,
    // Read for the first time between the unlocked check and the transaction.
    get version() {
      if (reads++ === 0) runMigrations(second, CONTROL_MIGRATIONS, systemClock)
      return version
    },
  }))
  runMigrations(first, migrations, systemClock)
  assert.deepEqual(appliedTo(first), VERSIONS)
  assert.equal(schemaVersion(second), VERSIONS.at(-1))
})
