import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { toActivityRequests, toErrorRequests } from './use-activity.ts'

const ROW = {
  trace_count: 1,
  step_count: 0,
  error_count: 0,
  session_count: 0,
  cost_usd: null,
  mean_duration_ms: null,
} as unknown as TraceUser

const row = (at: number): TraceUser => ({
  ...ROW,
  user_id: `user ${at}`,
  first_at: new Date(1000 - at).toISOString(),
  last_at: new Date(2000 + at).toISOString(),
})

test('the rows of a page are divided by the values that a filter takes, and share their times', () => {
  const rows = Array.from({ length: 21 }, (_, at) => row(at))
  const of = { filters: { name: 'run' }, metadata: [] }
  const requests = toActivityRequests(rows, { field: 'user_id', of, range: { kind: 'all' } })
  assert.deepEqual(
    requests.flatMap(({ subject }) => subject.of.filters['user_id']),
    rows.map(({ user_id }) => user_id),
  )
  assert.deepEqual(
    requests.map(({ subject, range }) => [subject.of.filters['name'], range]),
    Array.from({ length: 3 }, () => [
      'run',
      { kind: 'between', from: '1970-01-01T00:00:00.980Z', to: '1970-01-01T00:00:02.021Z' },
    ]),
  )
})

test('a chosen time range is kept, and no rows need no request', () => {
  const listed = { field: 'user_id', of: { filters: {}, metadata: [] }, range: { kind: 'last', range: '7d' } } as const
  assert.deepEqual(
    toActivityRequests([row(0)], listed).map(({ range }) => range),
    [listed.range],
  )
  for (const asked of [listed, { ...listed, range: { kind: 'all' } as const }])
    assert.deepEqual(toActivityRequests([], asked), [])
})

test('types of errors are counted among the failed traces of the rows that have some', () => {
  const of = { filters: { name: 'run' }, metadata: [] }
  const rows = [row(0), { ...row(1), error_count: 2 }, row(2)]
  const requests = toErrorRequests(rows, { field: 'user_id', of, range: { kind: 'all' } })
  assert.deepEqual(
    requests.map(({ subject, groupBy }) => [subject.of.filters, groupBy]),
    [[{ name: 'run', status: 'error', user_id: ['user 1'] }, ['user_id', 'error_type']]],
  )
})
