import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { walkFeed } from '../lib/feed.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'

const TRACES = 200
/** Enough rows change during a walk with fewer, too; without a limit each walk would make the next one longer. */
const MOST_TRACES = 300
/** Of each writer, so that a long walk does not mean more writes than there are rows. */
const PAUSE_MS = 10
const MODELS = ['model-a', 'model-b']

let service: Service
const ids: string[] = []

before(async () => {
  service = await Service.start()
  const random = createRandom(9)
  for (let n = 0; n < TRACES; n += 20) await Promise.all(Array.from({ length: 20 }, () => create(random, 'early')))
})

after(() => service[Symbol.asyncDispose]())

function newStep(random: Random): object {
  const start = Date.UTC(2026, 0, 31) + random.below(5) * 1000
  return {
    name: 'step',
    model: random.pick(MODELS),
    token_usage: { input: random.below(5), output: random.below(3) },
    ...(random.chance(0.7)
      ? { started_at: new Date(start).toISOString(), ended_at: new Date(start + random.below(4000)).toISOString() }
      : {}),
  }
}

/** Few distinct values, so that many rows share a sort key. */
async function create(random: Random, phase: string): Promise<void> {
  const steps = Array.from({ length: random.below(4) }, () => newStep(random))
  const body = { name: phase, run_type: random.pick(['agent', 'chat']), metadata: { kind: random.below(2) }, steps }
  const answer = await service.client.postTrace(body)
  assert.equal(answer.status, 202, answer.text)
  ids.push(answer.json<{ id: string }>().id)
}

/** Runs `work` while four writers append steps and flag and create traces. */
async function whileWriting<T>(seed: number, work: () => Promise<T>): Promise<T> {
  const random = createRandom(seed)
  const stop = new AbortController()
  const writer = async () => {
    for (; !stop.signal.aborted; await sleep(PAUSE_MS)) {
      const id = random.pick(ids)
      const dice = random.next()
      if (dice < 0.6) {
        const lines = Array.from({ length: 1 + random.below(5) }, () => JSON.stringify(newStep(random))).join('\n')
        assert.equal((await service.client.append(id, lines)).status, 200)
      } else if (dice < 0.8) {
        const body = JSON.stringify({ flagged: random.chance(0.5) })
        const headers = { 'content-type': 'application/json' }
        const answer = await service.client.call({ method: 'PATCH', path: `/v1/traces/${id}`, headers, body })
        assert.equal(answer.status, 200, answer.text)
      } else if (ids.length < MOST_TRACES) await create(random, 'late')
    }
  }
  const writers = [writer(), writer(), writer(), writer()]
  try {
    return await work()
  } finally {
    stop.abort()
    await Promise.all(writers)
  }
}

type Matches = (row: TraceRow) => boolean

/** Filters on fields that no write changes, so that the expected result is known exactly. */
const FILTERS: readonly (readonly [query: Readonly<Record<string, string>>, matches: Matches])[] = [
  [{}, () => true],
  [{ run_type: 'chat' }, (row) => row.run_type === 'chat'],
  [{ name: 'early', meta_key: 'kind', meta_value: '1' }, (row) => row.name === 'early' && row.metadata['kind'] === 1],
  // The models of a trace are only ever added to.
  [{ model: 'model-a' }, (row) => row.models.includes('model-a')],
  [{ q: 'early' }, (row) => row.name === 'early'],
]

const ORDERS = ['created_at', 'total_tokens', 'step_count', 'duration_ms'].flatMap((sort) => [
  { sort, order: 'asc' },
  { sort, order: 'desc' },
])

for (const [at, [filter, matches]] of FILTERS.entries()) {
  // Every order without a filter; each filter with every sort, ascending and descending in turn.
  const orders = at === 0 ? ORDERS : ORDERS.filter((_order, index) => (at + index + (index >> 1)) % 2 === 0)
  test(`a walk in any order returns every existing row exactly once during writes: ${JSON.stringify(filter)}`, async () => {
    const there = (await walkFeed(service.client)).filter(matches)
    assert.ok(there.length > 50)
    const walks = await whileWriting(at + 1, () =>
      Promise.all(orders.map((order) => walkFeed(service.client, { ...order, limit: '23', ...filter }))),
    )
    for (const [walk, walked] of walks.entries()) {
      const label = JSON.stringify(orders[walk])
      const seen = new Set(walked.map(({ id }) => id))
      assert.equal(seen.size, walked.length, `${label}: ${walked.length - seen.size} rows came twice`)
      const missed = there.filter(({ id }) => !seen.has(id))
      assert.deepEqual(
        missed.map(({ id }) => id),
        [],
        `${label}: missed`,
      )
    }
  })
}

test('without writes a walk is sorted, whatever the page size', async () => {
  const keys: Readonly<Record<string, (row: TraceRow) => number | string>> = {
    created_at: (row) => row.id,
    total_tokens: (row) => row.token_usage.total,
    step_count: (row) => row.step_count,
    duration_ms: (row) => row.duration_ms ?? -1,
  }
  for (const [sort, keyOf] of Object.entries(keys)) {
    for (const order of ['asc', 'desc']) {
      const whole = (await walkFeed(service.client, { name: 'early', sort, order })).map(({ id }) => id)
      const rows = await walkFeed(service.client, { name: 'early', sort, order, limit: '41' })
      assert.deepEqual(
        rows.map(({ id }) => id),
        whole,
      )
      for (let i = 1; i < rows.length; i++) {
        const [a, b] = [keyOf(rows[i - 1] as TraceRow), keyOf(rows[i] as TraceRow)]
        assert.ok(order === 'asc' ? a <= b : a >= b, `${sort} ${order}: ${a} before ${b}`)
      }
    }
  }
})
