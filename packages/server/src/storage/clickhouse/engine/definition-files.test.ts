import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dropEmptyDefinitions, refuseDefinitionWithoutSpace } from './definition-files.ts'

test('only statements that write a definition check the free space', () => {
  const full = () => 0
  for (const sql of [
    'CREATE TABLE a (x Int8) ENGINE = Memory',
    'ALTER TABLE a ADD COLUMN y Int8',
    'ALTER TABLE a MODIFY SETTING old_parts_lifetime = 60',
    'ALTER TABLE a DROP COLUMN y',
    "ALTER TABLE traces DELETE WHERE id = 'x'",
  ]) {
    assert.throws(() => refuseDefinitionWithoutSpace('/nowhere', sql, full), { code: 'ENOSPC' })
    refuseDefinitionWithoutSpace('/nowhere', sql, () => 2 * 1024 * 1024)
  }
  for (const sql of [
    'TRUNCATE TABLE purging',
    "ALTER TABLE traces DROP PART '1_1_1_0'",
    "ALTER TABLE traces DETACH PART '1_1_1_0'",
    "ALTER TABLE traces ATTACH PARTITION ID '1' FROM a",
    'DROP TABLE IF EXISTS a SYNC',
  ]) {
    refuseDefinitionWithoutSpace('/nowhere', sql, full)
  }
})

test('an empty definition of a table without data or of a mutation is removed, that of another table is not', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-definitions-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const file = (table: string) => join(directory, 'metadata', 'spoor', `${table}.sql`)
  dropEmptyDefinitions(directory)
  mkdirSync(join(directory, 'metadata', 'spoor'), { recursive: true })
  const tables = ['purging', 'salvage_of_traces_part_all_1_1_0', 'traces']
  for (const table of tables) writeFileSync(file(table), '')
  dropEmptyDefinitions(directory)
  assert.deepEqual(
    tables.map((table) => existsSync(file(table))),
    [false, false, true],
  )
  const table = join(directory, 'store', '02f', '02f514df')
  mkdirSync(table, { recursive: true })
  writeFileSync(join(table, 'mutation_7.txt'), '')
  writeFileSync(join(table, 'mutation_8.txt'), 'format version: 1')
  writeFileSync(file('purging'), 'ATTACH TABLE')
  dropEmptyDefinitions(directory)
  assert.ok(existsSync(file('purging')))
  assert.deepEqual(readdirSync(table), ['mutation_8.txt'])
})
