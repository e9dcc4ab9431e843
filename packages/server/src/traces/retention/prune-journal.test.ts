import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { memoryOnlyJournal } from '../../storage/sql/journal/memory-only-journal.test-support.ts'
import { pruneJournal } from './prune-journal.ts'
import { idAt, PROJECT } from '../trace-builders.test-support.ts'

const HOUR_MS = 3_600_000
const KEPT = { journalRetentionMs: HOUR_MS, idempotencyMs: HOUR_MS, dispatchedThrough: async () => Infinity }

function superseded(traceId: TraceId, version: number) {
  const [fromVersion, untilVersion] = [version - 1, version]
  const none = { durationMs: null, totalTokens: 0, stepCount: 0, usage: null }
  return { projectId: PROJECT, traceId, fromVersion, untilVersion, ...none }
}

test('one round drops everything that 1,000 appends a second leave in half a minute', async () => {
  const journal = memoryOnlyJournal()
  const ids = Array.from({ length: 3000 }, (_, index) => idAt('tr', 1, index + 1))
  for (let version = 1; version <= 12; version++) {
    journal.append({
      version,
      committedAt: version,
      lastTraceId: ids.at(-1)!,
      projects: [{ projectId: PROJECT, events: [{ type: 'trace.committed', traceId: ids[0]! }] }],
      traceKeys: [],
      stepKeys: [],
      metricEventKeys: [],
      superseded: ids.map((id) => superseded(id, version)),
      attachments: [],
      deleted: [],
      removedEvents: [],
      monitorTransitions: [],
      onceEvents: [],
      quietWaits: [],
    })
  }
  assert.equal((await journal.supersededAt(PROJECT, 11)).length, 3000)
  await pruneJournal({ journal, ...KEPT }, HOUR_MS + 12)
  assert.equal((await journal.supersededAt(PROJECT, 10)).length, 0, 'the oldest were dropped')
  assert.equal((await journal.supersededAt(PROJECT, 11)).length, 3000, 'those of an hour ago are still needed')
  assert.equal((await journal.read(PROJECT, 0, 100)).length, 1)
})

test('rows that are not yet dispatched are retained twice as long', async () => {
  const journal = memoryOnlyJournal()
  const traceId = idAt('tr', 1, 1)
  for (let version = 1; version <= 3; version++) {
    journal.append({
      version,
      committedAt: version,
      lastTraceId: traceId,
      projects: [{ projectId: PROJECT, events: [{ type: 'trace.committed', traceId }] }],
      traceKeys: [],
      stepKeys: [],
      metricEventKeys: [],
      superseded: [],
      attachments: [],
      deleted: [],
      removedEvents: [],
      monitorTransitions: [],
      onceEvents: [],
      quietWaits: [],
    })
  }
  const dependencies = { ...KEPT, journal, dispatchedThrough: async () => 1 }
  await pruneJournal(dependencies, HOUR_MS + 100)
  assert.equal(await journal.prunedThrough(), 1)
  await pruneJournal(dependencies, 2 * HOUR_MS + 3)
  assert.equal(await journal.prunedThrough(), 2)
})

test('a round ends however much there is to drop, and yields between batches', async () => {
  let [prunes, turns] = [0, 0]
  let counting = true
  const count = () => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const endless = async (_before: number, limit = 0) => {
    prunes += 1
    return limit
  }
  const expiries: string[] = []
  const expireKeys = async (now: number, keptMs: number, limit = 0) => {
    expiries.push(`${now} ${keptMs}`)
    return endless(0, limit)
  }
  const journal = { prune: endless, pruneSuperseded: endless, expireKeys }
  await pruneJournal({ journal, ...KEPT, idempotencyMs: 7 }, HOUR_MS)
  counting = false
  assert.ok(prunes > 10 && prunes <= 200, `${prunes} batches`)
  assert.deepEqual([...new Set(expiries)], [`${HOUR_MS} 7`])
  assert.ok(turns >= prunes - 4, `${turns} turns for ${prunes} batches`)
})
