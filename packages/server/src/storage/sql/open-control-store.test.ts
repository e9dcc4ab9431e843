import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { systemClock } from '../../lib/time/clock.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { configureConnection, CONNECTION_OPTIONS } from './configure-connection.ts'
import { openControlStore } from './open-control-store.ts'
import { temporaryFolder, temporaryStore } from './temporary-store.test-support.ts'

function refusal(dataDir: string, create = true): string {
  try {
    openControlStore({ dataDir, clock: systemClock, create }).close()
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error))
    return error.message
  }
  throw new assert.AssertionError({ message: `${dataDir} was opened` })
}

test('a new folder is readable by its owner only', (context) => {
  const dataDir = join(temporaryFolder(context), 'made', 'here')
  temporaryStore(context, { dataDir })
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
})

test('its files are readable by their owner only, in a folder that others can read and after an older version created them', async (context) => {
  const folder = temporaryFolder(context)
  chmodSync(folder, 0o755)
  const files = ['control.db', 'control.db-wal', 'control.db-shm']
  const modes = () => files.map((file) => statSync(join(folder, file)).mode & 0o777)
  const mask = process.umask(0o022)
  context.after(() => process.umask(mask))
  const first = temporaryStore(context, { dataDir: folder })
  assert.deepEqual(modes(), [0o600, 0o600, 0o600])
  for (const file of files) chmodSync(join(folder, file), 0o644)
  temporaryStore(context, { dataDir: folder })
  assert.deepEqual(modes(), [0o600, 0o600, 0o600])
  assert.equal(statSync(folder).mode & 0o777, 0o755)
  assert.equal(await first.journal.headPosition(), 0)
})

test('every commit is fsynced, with a write-ahead log', (context) => {
  const dataDir = temporaryFolder(context)
  const database = new DatabaseSync(join(dataDir, 'control.db'), CONNECTION_OPTIONS)
  context.after(() => database.close())
  configureConnection(database)
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  assert.equal(pragma('journal_mode'), 'wal')
  assert.equal(pragma('synchronous'), 2)
  assert.equal(pragma('foreign_keys'), 1)
  assert.equal(pragma('busy_timeout'), 5000)
})

test('without `create`, a folder without data is rejected and not changed', (context) => {
  const dataDir = join(temporaryFolder(context), 'mistyped')
  assert.match(refusal(dataDir, false), /There is no Spoor data in .*--data-dir/)
  assert.throws(() => statSync(dataDir), /ENOENT/)
})

test('a database of a newer Spoor is rejected with an instruction and not changed', (context) => {
  const dataDir = temporaryFolder(context)
  openControlStore({ dataDir, clock: systemClock, create: true }).close()
  const path = join(dataDir, 'control.db')
  const database = new DatabaseSync(path)
  database.exec("INSERT INTO schema_versions VALUES (99, 'of the future', 0)")
  database.close()
  const before = readFileSync(path)
  assert.match(
    refusal(dataDir),
    /written by a newer version of Spoor \(schema 99; this one knows \d+\)\. Start that version/,
  )
  assert.deepEqual(readFileSync(path), before)
})

test('a file that is not a database is rejected and not changed', (context) => {
  const dataDir = temporaryFolder(context)
  writeFileSync(join(dataDir, 'control.db'), 'Dear diary, '.repeat(1000))
  assert.match(refusal(dataDir), /control\.db is not a Spoor database/)
  assert.match(readFileSync(join(dataDir, 'control.db'), 'utf8'), /^Dear diary/)
})

test("another program's database is rejected and not changed", (context) => {
  const dataDir = temporaryFolder(context)
  const path = join(dataDir, 'control.db')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE bookmarks (url TEXT)')
  database.close()
  chmodSync(path, 0o644)
  const before = readFileSync(path)
  assert.match(refusal(dataDir), /database of another program/)
  assert.deepEqual(readFileSync(path), before)
  assert.equal(statSync(path).mode & 0o777, 0o644)
})

test('a path that cannot hold a database is rejected with an explanation', (context) => {
  const folder = temporaryFolder(context)
  writeFileSync(join(folder, 'file'), '')
  assert.match(refusal(join(folder, 'file', 'below')), /is a file, not a folder/)
  assert.match(refusal(join(folder, 'file')), /is a file, not a folder/)
  mkdirSync(join(folder, 'control.db'))
  assert.match(refusal(folder), /cannot be opened for writing/)
})

test(
  'a folder without write permission is rejected with an explanation',
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  (context) => {
    const dataDir = join(temporaryFolder(context), 'locked')
    mkdirSync(dataDir, { mode: 0o500 })
    assert.match(refusal(dataDir), /cannot be opened for writing/)
  },
)

test('opening a current database writes nothing', (context) => {
  const dataDir = temporaryFolder(context)
  temporaryStore(context, { dataDir })
  const watcher = new DatabaseSync(join(dataDir, 'control.db'))
  context.after(() => watcher.close())
  const version = () => watcher.prepare('PRAGMA data_version').get()?.['data_version']
  const before = version()
  temporaryStore(context, { dataDir })
  assert.equal(version(), before)
})
