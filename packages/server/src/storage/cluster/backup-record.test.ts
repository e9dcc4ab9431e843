import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError } from '../../lib/operator-error.ts'
import { type BackupRecord, clearRecord, compareSums, readRecord, type Sums, writeRecord } from './backup-record.ts'

const sums = (rows: number, hash: string): Sums => ({ 'traces of 202611': { rows, hash } })

function recordOf(before: Sums, after: Sums): BackupRecord {
  return { timeline: 'store:1', settledThrough: 7, version: 9, before, after }
}

test('rows must be between those before and after the copies; without a change they must be the same', () => {
  const unchanged = recordOf(sums(5, '1'), sums(5, '1'))
  assert.deepEqual(compareSums(unchanged, sums(5, '1')), [])
  assert.match(String(compareSums(unchanged, sums(4, '1'))), /there are 4 rows, and there were 5 to 5/)
  assert.match(String(compareSums(unchanged, sums(6, '1'))), /there are 6 rows/)
  assert.match(String(compareSums(unchanged, sums(5, '2'))), /the 5 rows are others/)
  assert.match(String(compareSums(unchanged, {})), /there are 0 rows/)
  const replaced = recordOf(sums(5, '1'), sums(3, '2'))
  for (const rows of [3, 4, 5]) assert.deepEqual(compareSums(replaced, sums(rows, '3')), [])
  for (const rows of [2, 6]) assert.equal(compareSums(replaced, sums(rows, '3')).length, 1)
  const gone = recordOf(sums(5, '1'), {})
  assert.deepEqual([compareSums(gone, {}), compareSums(gone, sums(5, '1'))], [[], []])
})

test('a record is what was written; one that was cleared is refused, and so is a path that cannot be written', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-record-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'record')
  const record = recordOf(sums(5, '1'), sums(5, '1'))
  await writeRecord(path, record)
  assert.partialDeepStrictEqual(await readRecord(path), record)
  await clearRecord(path)
  await assert.rejects(readRecord(path), OperatorError)
  await assert.rejects(clearRecord(join(folder, 'missing', 'record')), /cannot be written/)
})
