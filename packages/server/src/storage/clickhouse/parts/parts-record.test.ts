import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../sql/temporary-store.test-support.ts'
import { readPartsRecord, writePartsRecord } from './parts-record.ts'

const RECORD = {
  storeId: '0123456789abcdef',
  settledThrough: 4711,
  parts: [
    { table: 'steps', name: '202611_1_35_2', rows: 9000 },
    { table: 'traces', name: '202611_1_30_2_31', rows: 0 },
  ],
}

test('a written record is read back; without a file there is none', async (context) => {
  const path = join(temporaryFolder(context), 'telemetry.parts')
  assert.equal(await readPartsRecord(path), null)
  await writePartsRecord(path, { ...RECORD, parts: [] })
  assert.deepEqual(await readPartsRecord(path), { ...RECORD, parts: [] })
  await writePartsRecord(path, RECORD)
  assert.deepEqual(await readPartsRecord(path), RECORD)
  assert.deepEqual(readdirSync(join(path, '..')), ['telemetry.parts'], 'no draft is left')
})

test('a record that is truncated or changed anywhere is refused, never read as another', async (context) => {
  const path = join(temporaryFolder(context), 'telemetry.parts')
  await writePartsRecord(path, RECORD)
  const intact = readFileSync(path)
  for (let at = 0; at < intact.length; at++) {
    const flipped = Buffer.from(intact)
    flipped[at] = (intact[at] ?? 0) ^ (1 << (at % 8))
    for (const damaged of [flipped, intact.subarray(0, at)]) {
      writeFileSync(path, damaged)
      await assert.rejects(readPartsRecord(path), /is damaged/, `byte ${at}`)
    }
  }
})
