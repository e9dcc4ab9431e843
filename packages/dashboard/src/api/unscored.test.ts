import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { FeedRequest } from './client/feed.ts'
import { findUnscored, forgetUnscored } from './unscored.ts'

const LIST: FeedRequest = { filters: { status: 'error', q: undefined }, metadata: [], range: { kind: 'all' } }

/** Answers pages of these ids; returns the addresses that were requested. */
function pages(...ids: readonly (readonly string[])[]): string[] {
  const asked: string[] = []
  mock.method(globalThis, 'fetch', async (url: string) => {
    asked.push(url)
    const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0)
    const traces = (ids[page] ?? []).map((id) => ({ id }))
    return Response.json({ traces, next_cursor: page + 1 < ids.length ? String(page + 1) : null })
  })
  return asked
}

test('the next trace follows in the order of the list, over pages without a match, each read once', async () => {
  const asked = pages(['a', 'b'], [], ['c'])
  const client = new QueryClient()
  const next = (after: string | null, done: readonly string[] = []) =>
    findUnscored(client, LIST, 'solved', after, (id) => done.includes(id))
  assert.equal(await next(null), 'a')
  assert.equal(await next('a'), 'b')
  assert.equal(await next('b'), 'c')
  assert.equal(await next('a', ['b']), 'c')
  assert.equal(await next('c'), null)
  assert.equal(await next('elsewhere'), 'a')
  assert.equal(asked.length, 3)
  assert.match(asked[0]!, /[?&]status=error/)
  assert.match(asked[0]!, /[?&]without_metric=solved/)
  forgetUnscored(client)
  await next(null)
  assert.equal(asked.length, 4)
})

test('a filter of the list by another metric is kept', async () => {
  const asked = pages(['a'])
  const list = { ...LIST, filters: { without_metric: 'other' } }
  assert.equal(await findUnscored(new QueryClient(), list, 'solved'), 'a')
  assert.match(asked[0]!, /without_metric=other/)
})
