import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { FeedQuery } from '../use-cases.ts'

/** Thirty traces of three models, each sixth of two; every fifth has an error. */
async function world(): Promise<{ readonly on: TraceWorld; readonly ids: readonly TraceId[] }> {
  const on = new TraceWorld()
  const ids: TraceId[] = []
  for (let index = 0; index < 30; index++) {
    const steps = [
      { name: 's', model: 'abc'[index % 3] },
      ...(index % 6 === 0 ? [{ name: 's', model: 'c' }] : []),
      ...(index % 5 === 0 ? [{ name: 's', error: { type: index % 2 === 0 ? 'Even' : 'Odd', message: '' } }] : []),
    ]
    ids.push((await on.commit({ name: `t${index % 4}`, steps })).id)
    on.clock.advance(1)
  }
  return { on, ids }
}

async function walk(on: TraceWorld, filters: Partial<FeedQuery>): Promise<TraceId[]> {
  const seen: TraceId[] = []
  let cursor: string | null = null
  do {
    const page = await on.list({ limit: 4, ...filters, cursor })
    seen.push(...page.traces.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return seen.toSorted()
}

for (const sort of ['created_at', 'step_count'] as const) {
  test(`a walk by ${sort} returns each trace with one of the values, and with none of a negation`, async () => {
    const { on, ids } = await world()
    const expected = (belongs: (index: number) => boolean) => ids.filter((_, index) => belongs(index)).toSorted()
    const modelsOf = (index: number) => ['abc'[index % 3], ...(index % 6 === 0 ? ['c'] : [])]
    assert.deepEqual(
      await walk(on, { sort, model: ['b', 'c'] }),
      expected((index) => modelsOf(index).some((model) => model !== 'a')),
    )
    assert.deepEqual(
      await walk(on, { sort, notModel: 'c' }),
      expected((index) => !modelsOf(index).includes('c')),
    )
    assert.deepEqual(
      await walk(on, { sort, notModel: ['b', 'c'], notName: ['t0', 'none'] }),
      expected((index) => index % 3 === 0 && index % 6 !== 0 && index % 4 !== 0),
    )
    assert.deepEqual(
      await walk(on, { sort, errorType: ['Even', 'Odd'], notErrorType: 'Odd' }),
      expected((index) => index % 10 === 0),
    )
  })
}
