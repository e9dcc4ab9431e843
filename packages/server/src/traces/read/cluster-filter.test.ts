import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { FeedSort } from '../../ports/traces/trace-store.ts'
import type { FeedQuery } from '../use-cases.ts'

const CLUSTER = idAt('clu', 1, 1)
const SORTS: readonly FeedSort[] = ['created_at', 'duration_ms', 'total_tokens', 'step_count']

/** Thirty traces, one millisecond apart: every third is in the cluster and every second fails. */
async function world(): Promise<{ readonly world: TraceWorld; readonly ids: readonly TraceId[] }> {
  const made = new TraceWorld()
  const ids: TraceId[] = []
  for (let index = 0; index < 30; index++) {
    const steps = Array.from({ length: 1 + (index % 5) }, () => ({ name: index % 4 === 0 ? 'refund it' : 'greet' }))
    const status = index % 2 === 0 ? 'error' : 'ok'
    ids.push((await made.commit({ name: 't', status, steps })).id)
    made.clock.advance(1)
  }
  const members = ids.filter((_, index) => index % 3 === 0)
  made.clusters.put(PROJECT, CLUSTER, members)
  return { world: made, ids }
}

async function walk(on: TraceWorld, filters: Partial<FeedQuery>): Promise<TraceId[]> {
  const seen: TraceId[] = []
  let cursor: string | null = null
  do {
    const page = await on.list({ cluster: CLUSTER, limit: 2, ...filters, cursor })
    seen.push(...page.traces.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return seen
}

for (const sort of SORTS) {
  for (const order of ['asc', 'desc'] as const) {
    test(`a walk by ${sort} ${order} through a cluster returns its members only, also with other filters`, async () => {
      const { world: on, ids } = await world()
      const expect = async (filters: Partial<FeedQuery>, belongs: (index: number) => boolean) => {
        const unfiltered = await walk(on, { ...filters, cluster: null, sort, order })
        const found = await walk(on, { ...filters, sort, order })
        const right = unfiltered.filter((id) => ids.indexOf(id) % 3 === 0)
        assert.deepEqual(found, right)
        assert.deepEqual(
          found.toSorted(),
          ids.filter((_, index) => index % 3 === 0 && belongs(index)),
        )
      }
      await expect({}, () => true)
      await expect({ status: 'error' }, (index) => index % 2 === 0)
      await expect({ text: 'refund' }, (index) => index % 4 === 0)
      const { createdAt: startTime } = (await on.list({ limit: 30 })).traces[24]!
      await expect({ startTime }, (index) => index >= 5)
      await expect({ endTime: startTime }, (index) => index < 5)
      await on.service.useCases.delete(PROJECT, ids[6]!)
      await expect({}, (index) => index !== 6)
    })
  }
}

test('a cluster that does not exist or belongs to another project is empty', async () => {
  const { world: on, ids } = await world()
  assert.deepEqual(await walk(on, { cluster: idAt('clu', 2, 2) }), [])
  on.clusters.put(OTHER_PROJECT, idAt('clu', 3, 3) as ClusterId, ids)
  assert.deepEqual(await walk(on, { cluster: idAt('clu', 3, 3) }), [])
})

test('a cluster with more members than one query names is walked to its end', async () => {
  const on = new TraceWorld()
  const { id } = await on.commit({ name: 't' })
  const gone = Array.from({ length: 2500 }, (_, index) => idAt('tr', 1, index))
  on.clusters.put(PROJECT, CLUSTER, [...gone, id])
  for (const order of ['asc', 'desc'] as const) {
    assert.deepEqual(await walk(on, { order }), [id])
    assert.deepEqual(await walk(on, { order, status: 'ok' }), [id])
  }
})
