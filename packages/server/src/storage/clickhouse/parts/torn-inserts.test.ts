import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { activeParts } from '../damage/table-part.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { ClickHouseTraceStore } from '../rows/clickhouse-trace-store.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { detachTornInserts } from './torn-inserts.ts'

const engine = await temporaryEngine()

test('no read meets a part that a full disk left torn, and its rows are inserted again', async () => {
  const createdAt = Date.UTC(2028, 3, 30, 23)
  const traces = [0, 1, 2].map((index) => traceRecord(idAt('tr', createdAt, index), { createdAt, version: 910_001 }))
  const before = (await activeParts(engine)).length
  const found = async () => {
    const ids = traces.map(({ id }) => id)
    return (await torn.findTraces(PROJECT, ids, 910_001)).map(({ id }) => id).sort()
  }
  // The rows of traces arrive, their part is torn, and the insert fails.
  const failing: TelemetryEngine = {
    ...engine,
    insert: async (table, rows) => {
      await engine.insert(table, rows)
      const [part] = await activeParts(engine, "table = 'traces' AND partition_id = '202804'")
      truncateSync(join(part?.path as string, 'skp_idx_ver_index.cmrk4'))
      throw new Error('no space')
    },
  }
  const torn = new ClickHouseTraceStore(failing, { clearFailedInserts: (since) => detachTornInserts(engine, since) })
  await assert.rejects(torn.insert(rowsOf(traces, [])), /no space/)
  assert.deepEqual(await found(), [])
  await assert.rejects(torn.insertMissing(rowsOf(traces, []), 910_001, 910_001), /no space/)
  assert.deepEqual(await found(), [])
  failing.insert = (table, rows) => engine.insert(table, rows)
  await torn.insertMissing(rowsOf(traces, []), 910_001, 910_001)
  assert.deepEqual(await found(), traces.map(({ id }) => id).sort())
  assert.equal((await activeParts(engine)).length, before + 1)
})

test('a failed insert reports that clearing failed too, and the retry clears first', async () => {
  const createdAt = Date.UTC(2028, 4, 30, 23)
  const rows = rowsOf([traceRecord(idAt('tr', createdAt), { createdAt, version: 920_001 })], [])
  const events: string[] = []
  let isFull = true
  const store = new ClickHouseTraceStore(
    {
      ...engine,
      insert: async (table, given) => {
        events.push('insert')
        if (isFull) throw new Error('no space')
        await engine.insert(table, given)
      },
    },
    {
      clearFailedInserts: async () => {
        events.push('clear')
        if (isFull) throw new Error('nothing can be cleared')
      },
    },
  )
  await assert.rejects(
    store.insert(rows),
    (error) => error instanceof AggregateError && /no space.*nothing can be cleared/.test(error.errors.join(' ')),
  )
  isFull = false
  await store.insertMissing(rows, 920_001, 920_001)
  assert.deepEqual(events, ['insert', 'clear', 'clear', 'insert'])
})
