import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { secureUnrecordedParts } from './unrecorded-parts.ts'

const UUID = { traces: '0a000000-0000-0000-0000-000000000001', schema_versions: '0b000000-0000-0000-0000-000000000002' }

/** A store with these parts, each torn: it has no list of checksums. */
function storeWith(context: TestContext, parts: Partial<Record<keyof typeof UUID, readonly string[]>>) {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-unrecorded-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const database = join(directory, 'store/0c0/0c000000-0000-0000-0000-000000000003')
  mkdirSync(database, { recursive: true })
  for (const [table, uuid] of Object.entries(UUID)) {
    writeFileSync(join(database, `${table}.sql`), `ATTACH TABLE _ UUID '${uuid}'\n`)
    for (const part of parts[table as keyof typeof UUID] ?? [])
      mkdirSync(join(directory, 'store', uuid.slice(0, 3), uuid, part), { recursive: true })
  }
  const detached = () => globSync(join(directory, 'store/*/*/detached/*')).map((path) => basename(path))
  return { directory, detached }
}

const recordOf = (...names: string[]) => ({
  storeId: 'store',
  settledThrough: 1,
  parts: names.map((name) => ({ table: 'traces', name, rows: 1 })),
})
const LATER = '202611_9_9_0'

test('a torn insert that is in neither the record nor another part is set aside', async (context) => {
  const { directory, detached } = storeWith(context, { traces: ['202611_1_8_2', LATER] })
  const torn = await secureUnrecordedParts(directory, recordOf('202611_1_8_2'))
  assert.deepEqual(
    torn.map((path) => basename(path)),
    detached(),
  )
  assert.match(detached().join(), /^torn-insert_202611_9_9_0_[0-9a-f-]{36}$/)
  assert.deepEqual(await secureUnrecordedParts(directory, recordOf('202611_1_8_2')), [])
})

const STAY: Readonly<Record<string, readonly [Parameters<typeof storeWith>[1], ReturnType<typeof recordOf> | null]>> = {
  'without a record': [{ traces: [LATER] }, null],
  'of a table that is not in the log': [{ schema_versions: ['all_9_9_0'] }, recordOf()],
  'of a merge': [{ traces: ['202611_8_9_1'] }, recordOf()],
  'of one part that was merged again': [{ traces: ['202611_9_9_2'] }, recordOf()],
  'of a mutation': [{ traces: ['202611_9_9_0_12'] }, recordOf()],
  'whose block the record has': [{ traces: ['202611_9_9_1'] }, recordOf(LATER)],
  'whose block another part has': [{ traces: [LATER, '202611_9_9_1'] }, recordOf()],
  'beside a missing recorded part': [{ traces: [LATER] }, recordOf('202611_1_8_2')],
}
for (const [which, [parts, record]] of Object.entries(STAY)) {
  test(`a torn part stays: ${which}`, async (context) => {
    const { directory, detached } = storeWith(context, parts)
    assert.deepEqual(await secureUnrecordedParts(directory, record), [])
    assert.deepEqual(detached(), [])
  })
}
