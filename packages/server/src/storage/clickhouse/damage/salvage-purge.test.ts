import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TornInserts } from '../parts/torn-inserts.ts'
import { TracePurge } from '../rows/trace-purge.ts'
import { DamagedStore } from './damaged-store.test-support.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import { salvagePart } from './salvage-part.ts'
import type { SalvageSession } from './salvage-session.ts'

const store = await DamagedStore.create()
after(() => store.close())

test('a trace that is purged while its rows wait in a copy does not come back', async () => {
  let isFull = true
  const torn = new TornInserts()
  const session: SalvageSession = {
    select: (sql) => store.engine.select(sql),
    command: async (sql) => {
      if (isFull && (/ ATTACH PARTITION /.test(sql) || sql.startsWith('INSERT INTO traces ')))
        throw new Error('No space left on device')
      await store.engine.command(sql)
    },
    alone: (work) => work(),
    keep: (parts) => torn.keep(parts),
    drop: (parts) => torn.drop(session, parts),
  }
  const part = await store.part('traces')
  const [[projectId, traceId]] = (await store.engine.select('SELECT project_id, id FROM traces LIMIT 1')) as [
    [string, string],
  ]
  truncateSync(join(part.path, 'columns.txt'))
  await assert.rejects(salvagePart(session, store.record, part, 'damaged'))
  const purge = new TracePurge(store.engine)
  const named = [{ projectId, traceId }] as never
  let isPurged = false
  for (let step = 0; step < 100; step++) isPurged ||= (await purge.step(named)) === named
  isFull = false
  await dropSalvageLeftovers(session)
  for (let step = 0; !isPurged; step++) {
    assert.ok(step < 200)
    isPurged = (await purge.step(named)) === named
  }
  const [[count]] = (await store.engine.select(`SELECT count() FROM traces WHERE id = '${traceId}'`)) as [[number]]
  assert.equal(count, 0, 'the purged trace is back')
})
