import assert from 'node:assert/strict'
import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { DamagedStore } from '../damage/damaged-store.test-support.ts'
import { activeParts } from '../damage/table-part.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { ClickHouseTraceStore } from '../rows/clickhouse-trace-store.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { TornInserts } from './torn-inserts.ts'

const damaged = await DamagedStore.create()
const { engine } = damaged
after(() => damaged.close())

/** A store on a disk that is full at the end of each insert of traces, while `isFull`. */
function storeOnFullDisk(createdAt: number, failure: Error | null) {
  const traces = [0, 1, 2].map((index) => traceRecord(idAt('tr', createdAt, index), { createdAt, version: createdAt }))
  const partition = new Date(createdAt).toISOString().slice(0, 7).replace('-', '')
  const disk = { isFull: true, torn: 0, meanwhile: async () => undefined as unknown }
  const full: TelemetryEngine = {
    ...engine,
    insert: async (table, rows) => {
      await engine.insert(table, rows)
      if (!disk.isFull || table !== 'traces') return
      const [part] = await activeParts(engine, `table = 'traces' AND partition_id = '${partition}'`)
      tear(part?.path as string)
      disk.torn += 1
      await disk.meanwhile()
      if (failure !== null) throw failure
    },
  }
  const store = new ClickHouseTraceStore(full, { inserts: engine.inserts })
  const ids = traces.map(({ id }) => id)
  return {
    disk,
    retry: () => store.insertMissing(rowsOf(traces, []), createdAt, createdAt),
    insert: () => store.insert(rowsOf(traces, [])),
    found: async () => (await store.findTraces(PROJECT, ids, createdAt)).map(({ id }) => id).sort(),
    ids: ids.toSorted(),
  }
}

/** What chDB leaves: small files without content, the data is whole. */
function tear(folder: string): void {
  for (const file of readdirSync(folder)) if (!file.endsWith('.bin')) truncateSync(join(folder, file), 0)
}

for (const [reports, createdAt, failure] of [
  ['failure', Date.UTC(2028, 3, 30, 23), new Error('no space')],
  ['success', Date.UTC(2028, 4, 30, 23), null],
] as const) {
  test(`an insert that a full disk left torn is inserted again when the engine reports ${reports}`, async () => {
    const { disk, insert, retry, found, ids } = storeOnFullDisk(createdAt, failure)
    await damaged.forget()
    await assert.rejects(insert(), failure === null ? /has not written all files/ : /no space/)
    assert.deepEqual(await found(), [])
    await assert.rejects(retry())
    assert.deepEqual(await found(), [])
    // A read that meets the part first drops it, and no row counts as lost.
    disk.meanwhile = async () => {
      await damaged.forget()
      assert.deepEqual(await found(), [])
    }
    await assert.rejects(retry())
    assert.equal(disk.torn, 3)
    disk.isFull = false
    await retry()
    await damaged.forget()
    assert.deepEqual(await found(), ids)
    assert.deepEqual([damaged.record.notice(), damaged.outcomes, damaged.errors], [null, [], []])
  })
}

test('parts of inserts that have ended are not dropped', async () => {
  const torn = new TornInserts()
  const [part] = await activeParts(engine, "table = 'traces' AND partition_id = '202804'")
  await torn.begin(engine)
  tear(part?.path as string)
  await torn.end(engine)
  assert.ok((await activeParts(engine)).some(({ path }) => path === part?.path))
  // Nor are parts that a merge made of one of them.
  await damaged.engine.command("ALTER TABLE traces DROP PARTITION ID '202804'")
  await new ClickHouseTraceStore(engine).insert(rowsOf([traceRecord(idAt('tr', Date.UTC(2028, 3, 2)))], []))
  await torn.begin(engine)
  await engine.command('OPTIMIZE TABLE traces FINAL')
  const merged = (await activeParts(engine, "table = 'traces'")).filter(({ name }) => /_(\d+)_\1_[12]$/.test(name))
  assert.ok(merged.length > 0)
  for (const { path } of merged) tear(path)
  await torn.end(engine)
})

test('a failed insert reports that clearing failed too, and the retry clears first', async () => {
  const createdAt = Date.UTC(2028, 5, 30, 23)
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
      inserts: {
        begin: async () => void events.push('begin'),
        end: async () => void events.push('end'),
        clear: async () => {
          events.push('clear')
          throw new Error('nothing can be cleared')
        },
      },
    },
  )
  await assert.rejects(
    store.insert(rows),
    (error) => error instanceof AggregateError && /no space.*nothing can be cleared/.test(error.errors.join(' ')),
  )
  isFull = false
  await store.insertMissing(rows, 920_001, 920_001)
  assert.deepEqual(events, ['begin', 'insert', 'clear', 'begin', 'insert', 'end'])
})
