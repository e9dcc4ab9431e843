import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteOrigin, readOrigin } from './trace-origin.ts'

function storage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  } as Storage
}
const at = (pathname: string, index: number, search = {}) => ({
  href: `${pathname}?…`,
  pathname,
  search,
  state: { __TSR_index: index },
})

test('the list is remembered while the reader goes from trace to trace', () => {
  const kept = storage()
  noteOrigin(undefined, at('/app/traces/tr_1', 0), kept)
  assert.equal(readOrigin(kept), null)
  noteOrigin(at('/app/traces', 3, { status: 'error' }), at('/app/traces/tr_1', 4), kept)
  noteOrigin(at('/app/traces/tr_1', 4), at('/app/traces/tr_2', 4), kept)
  assert.deepEqual(readOrigin(kept), {
    path: '/app/traces',
    href: '/app/traces?…',
    search: { status: 'error' },
    index: 3,
  })
  noteOrigin(at('/app/sessions/s', 7), at('/app/traces/tr_2', 8), kept)
  assert.equal(readOrigin(kept)?.path, '/app/sessions/s')
})
