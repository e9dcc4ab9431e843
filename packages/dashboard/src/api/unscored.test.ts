import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { FeedRequest } from './client/feed.ts'
import { findUnscored, forgetUnscored } from './unscored.ts'

const LIST: FeedRequest = { filters: { status: 'error', q: undefined }, metadata: [], range: { kind: 'all' } }

/** A list with pages of these ids, and the filters of the pages that were read. */
function listOf(...pages: readonly (readonly string[])[]) {
  const client = new QueryClient()
  const read: FeedRequest['filters'][] = []
  const next = (list: FeedRequest, after: string | null, done: readonly string[] = []) =>
    findUnscored(
      client,
      list,
      'solved',
      after,
      (id) => done.includes(id),
      async ({ filters }, start) => {
        read.push(filters)
        const page = Number(start?.cursor ?? 0)
        const traces = (pages[page] ?? []).map((id) => ({ id }))
        return {
          traces,
          next_cursor: page + 1 < pages.length ? String(page + 1) : null,
          bounds: { start_time: null, end_time: null },
        }
      },
    )
  return { client, read, next }
}

test('the next trace follows in the order of the list, over pages without a match, each read once', async () => {
  const { client, read, next } = listOf(['a', 'b'], [], ['c'])
  assert.equal(await next(LIST, null), 'a')
  assert.equal(await next(LIST, 'a'), 'b')
  assert.equal(await next(LIST, 'b'), 'c')
  assert.equal(await next(LIST, 'a', ['b']), 'c')
  assert.equal(await next(LIST, 'c'), null)
  assert.equal(await next(LIST, 'elsewhere'), 'a')
  const filters = { ...LIST.filters, without_metric: 'solved' }
  assert.deepEqual(read, [filters, filters, filters])
  forgetUnscored(client)
  await next(LIST, null)
  assert.equal(read.length, 4)
})

test('a filter of the list by another metric is kept', async () => {
  const { read, next } = listOf(['a'])
  assert.equal(await next({ ...LIST, filters: { without_metric: 'other' } }, null), 'a')
  assert.deepEqual(read, [{ without_metric: 'other' }])
})
