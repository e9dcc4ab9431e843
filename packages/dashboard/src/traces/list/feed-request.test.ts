import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachesNow, takesAllOnTop, toFeedRequest } from './feed-request.ts'

const orders = ({ filters }: ReturnType<typeof toFeedRequest>) =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => name === 'sort' || name === 'order'))

test('the request has the filters of the URL, and all time by default', () => {
  const { filters, metadata, range } = toFeedRequest({
    q: 'a',
    model: 'm',
    flagged: false,
    meta: [['k']],
    sort: 'step_count',
  })
  assert.deepEqual(
    Object.entries(filters).filter(([, value]) => value !== undefined),
    [
      ['q', 'a'],
      ['flagged', false],
      ['model', 'm'],
      ['sort', 'step_count'],
    ],
  )
  assert.deepEqual([metadata, range], [[['k']], { kind: 'all' }])
})

test('a request has no sort key that its rows lack', () => {
  const ordered = { sort: 'step_count', order: 'asc' } as const
  assert.deepEqual(orders(toFeedRequest(ordered)), ordered)
  assert.deepEqual(orders(toFeedRequest({ as: 'steps', ...ordered })), {})
  const bySteps = { as: 'steps', sort: 'started_at', order: 'asc' } as const
  assert.deepEqual(orders(toFeedRequest(bySteps)), { sort: 'started_at', order: 'asc' })
  assert.deepEqual(orders(toFeedRequest(bySteps, 'traces')), {})
})

test('new traces go on top of an unfiltered list that is newest first', () => {
  const past = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  const now = Date.parse('2026-01-03T00:00:00Z')
  assert.equal(takesAllOnTop({}, now), true)
  assert.equal(takesAllOnTop({ range: '1h', live: false }, now), true)
  for (const search of [{ q: 'a' }, { meta: [['k']] }, { order: 'asc' }, { sort: 'step_count' }, past] as const) {
    assert.equal(takesAllOnTop(search, now), false)
  }
  assert.deepEqual([reachesNow(past, now), reachesNow({ ...past, to: '2026-01-04T00:00:00Z' }, now)], [false, true])
})
