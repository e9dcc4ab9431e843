import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dropEmptyDefinitions, refuseDefinitionWithoutSpace } from './definition-files.ts'

test('only statements that write a definition ask for space', () => {
  const full = () => 0
  for (const sql of [
    'CREATE TABLE a (x Int8) ENGINE = Memory',
    'ALTER TABLE a ADD COLUMN y Int8',
    'ALTER TABLE a MODIFY SETTING old_parts_lifetime = 60',
    'ALTER TABLE a DROP COLUMN y',
  ]) {
    assert.throws(() => refuseDefinitionWithoutSpace('/nowhere', sql, full), { code: 'ENOSPC' })
    refuseDefinitionWithoutSpace('/nowhere', sql, () => 2 * 1024 * 1024)
  }
  for (const sql of [
    'TRUNCATE TABLE purging',
    "ALTER TABLE traces DELETE WHERE id = 'CREATE TABLE'",
    "ALTER TABLE traces DROP PART '1_1_1_0'",
    'DROP TABLE IF EXISTS a SYNC',
  ]) {
    refuseDefinitionWithoutSpace('/nowhere', sql, full)
  }
})

test('an empty definition of a table in memory is removed; of another table it stays', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-definitions-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const file = (table: string) => join(directory, 'metadata', 'spoor', `${table}.sql`)
  dropEmptyDefinitions(directory)
  mkdirSync(join(directory, 'metadata', 'spoor'), { recursive: true })
  for (const table of ['purging', 'traces']) writeFileSync(file(table), '')
  dropEmptyDefinitions(directory)
  assert.deepEqual([existsSync(file('purging')), existsSync(file('traces'))], [false, true])
  writeFileSync(file('purging'), 'ATTACH TABLE')
  dropEmptyDefinitions(directory)
  assert.ok(existsSync(file('purging')))
})
