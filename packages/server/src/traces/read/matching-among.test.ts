import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { METRIC, OTHER_METRIC, score } from '../commit/metric-event-builders.test-support.ts'
import { times } from '../../lib/times.test-support.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { FeedQuery } from '../use-cases.ts'

const CLUSTER = idAt('clu', 1, 1)
const TRACES = 40

async function world(): Promise<{ readonly on: TraceWorld; readonly ids: readonly TraceId[] }> {
  const on = new TraceWorld()
  on.metricIds.set(`${PROJECT} solved`, METRIC)
  const ids: TraceId[] = []
  for (let n = 0; n < TRACES; n++) {
    const step = { name: n % 2 === 0 ? 'refund it' : 'greet', type: n % 5 === 0 ? 'tool' : 'llm' }
    const failed = n % 4 === 0 ? [{ name: 'pay', status: 'error', error: { type: 'Full', message: '' } }] : []
    const people = n % 3 === 0 ? {} : { user_id: `user ${n % 2}` }
    const steps = [...Array.from({ length: n % 4 }, () => step), ...failed]
    ids.push((await on.commit({ name: `run ${n % 3}`, steps, metadata: { tags: [`t${n % 2}`] }, ...people })).id)
    on.clock.advance(1)
  }
  const scores = ids.flatMap((traceId, n) => [
    ...(n % 3 === 0 ? [score({ traceId, value: { kind: 'boolean', passed: n % 2 === 0 } })] : []),
    ...(n % 7 === 0 ? [score({ traceId, metricId: OTHER_METRIC, value: { kind: 'numeric', number: n } })] : []),
  ])
  await on.service.recordMetricEvents(PROJECT, scores)
  on.clusters.put(PROJECT, CLUSTER, ids.slice(0, 25))
  await on.service.useCases.delete(PROJECT, ids[6]!)
  await on.service.useCases.patch(PROJECT, ids[9]!, { status: null, flagged: true, reason: 'look' })
  return { on, ids }
}

async function walk(on: TraceWorld, filters: Partial<FeedQuery>): Promise<ReadonlySet<TraceId>> {
  const seen = new Set<TraceId>()
  let cursor: string | null = null
  do {
    const page = await on.list({ limit: 7, ...filters, cursor })
    for (const { id } of page.traces) seen.add(id)
    cursor = page.nextCursor
  } while (cursor !== null)
  return seen
}

/** Mostly absent, so that most combinations match something. */
const maybe = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null, freq: 1 })
const rarely = <T>(...values: readonly T[]) =>
  fc.integer({ min: 0, max: 3 }).chain((dice) => (dice === 0 ? maybe(...values) : fc.constant(null)))
const filters: fc.Arbitrary<Partial<FeedQuery>> = fc.record({
  status: rarely('ok' as const, 'error' as const),
  name: rarely<string | readonly string[]>('run 1', ['run 0', 'run 2']),
  notName: rarely('run 2'),
  userId: rarely('user 1', 'nobody'),
  tag: rarely('t1'),
  flagged: rarely(true, false),
  errorType: rarely('Full'),
  minStepCount: rarely(2),
  maxStepCount: rarely(3),
  metric: rarely('solved', 'nowhere'),
  passed: rarely(true, false),
  minValue: rarely(20),
  withoutMetric: rarely('solved', 'nowhere'),
  cluster: rarely(CLUSTER, idAt('clu', 2, 2)),
  stepType: rarely('tool'),
  stepStatus: rarely('error' as const),
  text: rarely('refund', 'refund greet'),
})

test('of any traces those that the list has with the same filters', async () => {
  const { on, ids } = await world()
  const other = await on.commit({ name: 'run 1' }, { projectId: OTHER_PROJECT })
  const all = [...ids, other.id, idAt('tr', 1)]
  let matched = 0
  await fc.assert(
    fc.asyncProperty(filters, fc.subarray(all), async (given, among) => {
      const listed = await walk(on, given)
      const found = await on.service.useCases.matching({ ...on.everything, ...given }, among)
      assert.deepEqual([...found].toSorted(), among.filter((id) => listed.has(id)).toSorted())
      matched += found.size
    }),
    { numRuns: times(100) },
  )
  assert.ok(matched > 0)
})

test('words are refused as the list refuses them, also for no traces', async () => {
  const on = new TraceWorld({ fullText: false })
  const query = { ...on.everything, text: 'refund' }
  await assert.rejects(on.service.useCases.matching(query, []), { code: 'full_text_disabled' })
  await assert.rejects(new TraceWorld().service.useCases.matching({ ...query, text: '!' }, []), {
    code: 'validation_failed',
  })
})
