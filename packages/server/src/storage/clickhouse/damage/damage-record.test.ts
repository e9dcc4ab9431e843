import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../lib/time/clock.ts'
import { DamageRecord } from './damage-record.ts'

test('a line that was cut off is no damage, and the next one replaces it; another that cannot be read is', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-damage-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'damage.jsonl')
  const unreadable: string[] = []
  const open = () => DamageRecord.open({ path, clock: systemClock, onUnreadable: (line) => unreadable.push(line) })
  const lost = (part: string) => ({ table: 'steps', part, why: 'é', rowsLost: 1, lost: [], unnamed: [], folder })
  const record = await open()
  await record.setAside(lost('one'))
  await record.setAside(lost('two'))
  truncateSync(path, readFileSync(path).length - 3)
  const second = await open()
  assert.deepEqual([second.damagedParts, unreadable], [1, []])
  appendFileSync(path, '{"kind":')
  await second.setAside(lost('three'))
  assert.deepEqual([(await open()).damagedParts, unreadable], [2, []])
  appendFileSync(path, '{"kind":\n')
  assert.deepEqual([(await open()).damagedParts, unreadable], [2, ['{"kind":']])
})
