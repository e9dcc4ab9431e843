import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Session } from 'chdb'
import { mountSmallDisk } from '../../../../../../e2e/lib/faults/small-disk.ts'
import { openChdbEngine } from './chdb-engine.ts'
import { repairDefinitions, keepDefinitions } from './definition-files.ts'

const nothing = () => Promise.resolve()

test('only statements that write a definition check the free space', async () => {
  const full = () => 0
  for (const sql of [
    'CREATE TABLE a (x Int8) ENGINE = Memory',
    'ALTER TABLE a ADD COLUMN y Int8',
    'ALTER TABLE a MODIFY SETTING old_parts_lifetime = 60',
    'ALTER TABLE a DROP COLUMN y',
    "ALTER TABLE traces DELETE WHERE id = 'x'",
  ]) {
    await assert.rejects(keepDefinitions('/nowhere', sql, nothing, full), { code: 'ENOSPC' })
    await keepDefinitions('/nowhere', sql, nothing, () => 2 * 1024 * 1024)
  }
  for (const sql of [
    'TRUNCATE TABLE purging',
    "ALTER TABLE traces DROP PART '1_1_1_0'",
    "ALTER TABLE traces DETACH PART '1_1_1_0'",
    "ALTER TABLE traces ATTACH PARTITION ID '1' FROM a",
    'DROP TABLE IF EXISTS a SYNC',
  ]) {
    await keepDefinitions('/nowhere', sql, nothing, full)
  }
})

test('an empty definition of a table without data or of a mutation is removed, that of another table is not', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-definitions-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const file = (table: string) => join(directory, 'metadata', 'spoor', `${table}.sql`)
  repairDefinitions(directory)
  mkdirSync(join(directory, 'metadata', 'spoor'), { recursive: true })
  const tables = ['purging', 'traces']
  for (const table of tables) writeFileSync(file(table), '')
  repairDefinitions(directory)
  assert.deepEqual(
    tables.map((table) => existsSync(file(table))),
    [false, true],
  )
  const table = join(directory, 'store', '02f', '02f514df')
  mkdirSync(table, { recursive: true })
  writeFileSync(join(table, 'mutation_7.txt'), '')
  writeFileSync(join(table, 'mutation_8.txt'), 'format version: 1')
  writeFileSync(file('purging'), 'ATTACH TABLE')
  repairDefinitions(directory)
  assert.ok(existsSync(file('purging')))
  assert.deepEqual(readdirSync(table), ['mutation_8.txt'])
})

test('the process ends while a definition is replaced: its copy takes its place at the next start, if it is whole', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-definitions-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const tables = join(directory, 'metadata', 'spoor')
  mkdirSync(tables, { recursive: true })
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(tables, name), text)
  }
  write({ 'traces.sql': '', 'traces.sql.bak': 'old\n', 'steps.sql': 'new\n', 'steps.sql.bak': 'old\n' })
  write({ 'events.sql': 'ATTACH TA', 'events.sql.bak': 'ATT' })
  repairDefinitions(directory)
  assert.deepEqual(readdirSync(tables).sort(), ['events.sql', 'steps.sql', 'traces.sql'])
  const read = (table: string) => readFileSync(join(tables, `${table}.sql`), 'utf8')
  assert.deepEqual([read('traces'), read('steps'), read('events')], ['old\n', 'new\n', 'ATTACH TA'])
})

test('an engine that cannot be opened on a full disk is not called in use', (context) => {
  const disk = mountSmallDisk(1)
  if (typeof disk === 'string') return context.skip(disk)
  context.after(() => disk[Symbol.dispose]())
  const directory = join(disk.path, 'data')
  mkdirSync(join(directory, 'metadata'), { recursive: true })
  writeFileSync(join(directory, 'metadata', 'spoor.sql'), 'not a definition')
  disk.takeRest()
  const open = () => openChdbEngine({ directory, memoryBytes: 256 * 1024 * 1024, readers: 1 })
  assert.throws(open, { code: 'ENOSPC' })
})

test('another program fills the disk after the check: a definition stays as it was, and a new table is not kept', async (context) => {
  const disk = mountSmallDisk(64)
  if (typeof disk === 'string') return context.skip(disk)
  context.after(() => disk[Symbol.dispose]())
  const directory = join(disk.path, 'data')
  const session = new Session(directory)
  context.after(() => session.close())
  const run = (sql: string, before = () => {}) =>
    keepDefinitions(directory, sql, async () => {
      before()
      await session.queryAsync(sql)
    })
  await session.queryAsync('CREATE DATABASE spoor')
  await session.queryAsync('USE spoor')
  await run('CREATE TABLE traces (id Int8) ENGINE = MergeTree ORDER BY id')
  const tables = join(directory, 'metadata', 'spoor')
  const read = () => readFileSync(join(tables, 'traces.sql'), 'utf8')
  const before = read()
  for (const sql of [
    'ALTER TABLE traces MODIFY SETTING old_parts_lifetime = 77',
    'ALTER TABLE traces ADD COLUMN name String',
    'CREATE TABLE steps (id Int8) ENGINE = MergeTree ORDER BY id',
  ]) {
    await assert.rejects(
      run(sql, () => disk.takeRest()),
      { code: 'ENOSPC' },
      sql,
    )
    assert.deepEqual([readdirSync(tables), read()], [['traces.sql'], before], sql)
    disk.free()
  }
  await run('ALTER TABLE traces MODIFY SETTING old_parts_lifetime = 78')
  assert.match(read(), /old_parts_lifetime = 78/)
  assert.deepEqual(readdirSync(tables), ['traces.sql'])
})
