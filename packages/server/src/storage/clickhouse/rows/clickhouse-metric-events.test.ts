import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberedId } from '../../../ports/journal/numbered-commit.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { ClickHouseMetricEvents } from './clickhouse-metric-events.ts'

const EVENTS = 300_000

test('a page of the events of a trace needs no memory for those behind it', async () => {
  const engine = await temporaryEngine()
  const [projectId, ...traceIds] = [numberedId('proj', 1), numberedId('tr', 1), numberedId('tr', 2)] as const
  for (const [at, count] of [EVENTS, 2].entries()) {
    const id = `concat('mev_', leftPad(toString(number), 26, '0'))`
    const time = `toDateTime64(1700000000, 3, 'UTC')`
    await engine.command(
      `INSERT INTO metric_events SELECT '${projectId}', '${traceIds[at]}', ${id}, 1, ${time}, 'met_1', ${time}, '', '', ` +
        `'[null,1,null,null,null,0,0]', concat('{"a":"', repeat('x', 800), '"}') FROM numbers(${count})`,
    )
  }
  const store = new ClickHouseMetricEvents(engine)
  const found = await store.findByTraces({ projectId, traceIds, after: null, limit: 3 })
  const places = found.map((event) => [traceIds.indexOf(event.traceId), Number(event.id.slice(4))])
  assert.deepEqual(places, [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 1],
  ])
})
