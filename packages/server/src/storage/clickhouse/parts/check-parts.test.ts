import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkParts } from './check-parts.ts'
import type { PartsRecord } from './parts-record.ts'

const part = (name: string, rows = 1) => ({ table: 'steps', name, rows })

/** The recorded parts that are missing when the engine has only these, and has set others aside. */
async function missing(recorded: readonly string[], active: readonly string[], setAside: readonly string[] = []) {
  const engine = {
    select: async (sql: string) =>
      sql.includes('detached_parts')
        ? setAside.map((name) => ['steps', `broken-on-start_${name}`, `/nowhere/${name}`])
        : active.map((name) => ['steps', name]),
    command: async () => assert.fail('nothing is changed'),
  }
  const record = { parts: recorded.map((name) => part(name)) } as unknown as PartsRecord
  return (await checkParts(engine, record)).missing.map(({ name }) => name)
}

test('a recorded part is there itself, or in a part made from it', async () => {
  assert.deepEqual(await missing(['202611_1_3_1', '202611_4_4_0'], ['202611_1_3_1', '202611_4_9_2']), [])
  assert.deepEqual(await missing(['202611_1_3_1'], ['202611_4_9_2']), ['202611_1_3_1'])
})

test('a damaged merged part is not missing when the engine went back to all its sources', async () => {
  const merged = '202611_1_4_2'
  assert.deepEqual(await missing([merged], ['202611_4_4_1', '202611_1_2_1', '202611_3_3_0'], [merged]), [])
  for (const some of [
    ['202611_1_2_1', '202611_4_4_1'],
    ['202611_2_2_0', '202611_3_4_1'],
    ['202611_1_3_1'],
    ['202612_1_4_1'],
    ['202611_1_3_1', '202611_4_5_1'],
  ])
    assert.deepEqual(await missing([merged], some, [merged]), [merged], some.join())
  // Its sources have rows that the mutation purged.
  const purged = '202611_1_4_2_9'
  assert.deepEqual(await missing([purged], ['202611_1_4_2'], [purged]), [purged])
  assert.deepEqual(await missing([purged], ['202611_1_2_1_9', '202611_3_4_1_9'], [purged]), [])
})
