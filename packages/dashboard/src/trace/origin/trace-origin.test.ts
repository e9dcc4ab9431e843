import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedRequest } from '../../api/client/feed.ts'
import { noteOrigin, readOrigin } from './trace-origin.ts'

function tabStorage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  } as Storage
}
const toList = (search: object): FeedRequest => ({ filters: { ...search }, metadata: [], range: { kind: 'all' } })
const at = (pathname: string, index: number, search = {}) => ({
  href: `${pathname}?…`,
  pathname,
  search,
  state: { __TSR_index: index },
})

test('the list is remembered while the reader goes from trace to trace', () => {
  const kept = tabStorage()
  noteOrigin(undefined, at('/app/traces/tr_1', 0), kept, toList)
  assert.equal(readOrigin(kept), null)
  noteOrigin(at('/app/traces', 3, { status: 'error' }), at('/app/traces/tr_1', 4), kept, toList)
  noteOrigin(at('/app/traces/tr_1', 4), at('/app/traces/tr_2', 4), kept, toList)
  assert.deepEqual(readOrigin(kept), {
    path: '/app/traces',
    href: '/app/traces?…',
    list: toList({ status: 'error' }),
    index: 3,
  })
  noteOrigin(at('/app/sessions/s', 7), at('/app/traces/tr_2', 8), kept, toList)
  assert.equal(readOrigin(kept)?.path, '/app/sessions/s')
})
