import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SETTINGS } from '../../packages/server/src/config/settings.ts'
import { configTable } from './config-table.ts'
import { DOC_TABLES, withTable } from './doc-tables.ts'

for (const table of DOC_TABLES) {
  test(`${table.page} has the table of ${table.name} as the code says it`, async () => {
    const text = readFileSync(new URL(`../../${table.page}`, import.meta.url), 'utf8')
    assert.equal(text, await withTable(text, table), 'run npm run doc-tables')
  })
}

test('a page without a place for its table is refused', async () => {
  const table = { page: 'a.md', name: 'limits', render: () => '' }
  await assert.rejects(withTable('<!-- limits:end --> <!-- limits:start -->', table), /a\.md has no/)
})

test('the table of settings names every setting', () => {
  for (const { name } of SETTINGS) assert.match(configTable(), new RegExp(`\`${name}\``))
})
