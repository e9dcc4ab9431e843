import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueryFunctionContext } from '@tanstack/react-query'
import { fetchPage } from '../api/client/feed.ts'
import { firstRows } from '../api/client/first-rows.ts'
import { listQuery, sessionQuery, userQuery } from '../api/summaries.ts'
import { DEFAULT_RANGE } from '../lib/time-range.ts'
import { feedSearch } from '../traces/filters/search.ts'
import { metadataColumn, metricColumn } from '../traces/list/columns.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { storeLook } from '../traces/list/list-look.ts'
import { toSummaryRequest } from './summary-request.ts'

const context = { pageParam: null, signal: new AbortController().signal } as unknown as QueryFunctionContext<
  never,
  null
>
const run = ({ queryFn }: { readonly queryFn?: unknown }) =>
  (queryFn as (of: typeof context) => Promise<unknown>)(context)
const traces = (search: object) => () => fetchPage(toFeedRequest(feedSearch({ ...search })), null)
const ofUser = toSummaryRequest({ range: DEFAULT_RANGE, user_id: 'user-7' }, 'all')

for (const [address, ask] of [
  ['/app/traces', []],
  ['/app/traces?status=error', [traces({ status: 'error' })]],
  ['/app/traces?q=word*', [traces({ q: 'word*' })]],
  ['/app/traces?sort=cost_usd', [traces({ sort: 'cost_usd' })]],
  ['/app/traces?q=two+words', []],
  ['/app/traces?as=chart', []],
  ['/app/traces/compare', []],
  ['/app/sessions', [() => run(listQuery('sessions', toSummaryRequest({}, 'all')))]],
  ['/app/sessions/sess-1', [() => run(sessionQuery('sess-1'))]],
  ['/app/users', [() => run(listQuery('users', toSummaryRequest({}, DEFAULT_RANGE)))]],
  ['/app/users/user-7', [() => run(userQuery(ofUser)), () => run(listQuery('sessions', ofUser))]],
] as const) {
  test(`the rows of ${address} are requested early as its screen requests them`, async (t) => {
    const requested: string[] = []
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 1, 9, 30, 45) })
    t.mock.method(globalThis, 'fetch', async (path: string) => {
      requested.push(path)
      return Response.json({ users: [] })
    })
    for (const each of ask) await each()
    const [path = '', search = ''] = address.split(/(?=\?)/)
    assert.deepEqual(
      firstRows(path, search, Date.now(), () => null),
      requested,
    )
  })
}

test('rows of traces are not requested early for a list with a column of a metric, which requests more', () => {
  const kept = new Map<string, string>()
  const early = (path: string) => firstRows(path, '?status=error', 0, (key) => kept.get(key) ?? null).length
  const setItem = (key: string, text: string) => void kept.set(key, text)
  storeLook({ setItem }, { columns: ['name', metadataColumn('metric:solved')], lines: 1 })
  assert.equal(early('/app/traces'), 1)
  storeLook({ setItem }, { columns: ['name', metricColumn('solved')], lines: 1 })
  assert.deepEqual([early('/app/traces'), early('/app/sessions')], [0, 1])
})
