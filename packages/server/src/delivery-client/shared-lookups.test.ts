import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { SharedLookups } from './shared-lookups.ts'

const PATIENCE_MS = 10_000
const ADDRESS: readonly LookupAddress[] = [{ address: '192.0.2.1', family: 4 }]

/** Lookups before a resolver that answers a name when told to. */
function start() {
  const timers = new ManualTimers()
  const asked: string[] = []
  const underWay = new Map<string, (addresses: readonly LookupAddress[]) => void>()
  const lookups = new SharedLookups({
    timers,
    patienceMs: PATIENCE_MS,
    resolve: (name, tell) => {
      asked.push(name)
      underWay.set(name, tell)
    },
  })
  /** Filled with what each was told, in the order of the telling. */
  const told: string[] = []
  const ask = (...names: readonly string[]) => {
    for (const name of names) {
      lookups.resolve(name, (addresses) => told.push(`${name} ${addresses === null ? 'late' : addresses.length}`))
    }
  }
  const answer = (name: string, addresses: readonly LookupAddress[]) => {
    const tell = underWay.get(name)
    underWay.delete(name)
    tell?.(addresses)
  }
  return { timers, lookups, asked, underWay, told, ask, answer }
}

test('all who wait for a name share one look-up; the next one is another', () => {
  const { timers, asked, told, ask, answer } = start()
  ask(...Array<string>(16).fill('a'))
  assert.deepEqual(asked, ['a'])
  answer('a', ADDRESS)
  assert.deepEqual(told, Array(16).fill('a 1'))
  ask('a')
  assert.deepEqual(asked, ['a', 'a'])
  answer('a', ADDRESS)
  assert.equal(timers.pending, 0)
})

test('a name that hangs takes one look-up: who waits is told, and who comes behind them at once', () => {
  const { timers, asked, told, ask, answer } = start()
  ask('a')
  answer('a', ADDRESS)
  told.length = 0
  ask('hangs', 'hangs')
  timers.advance(PATIENCE_MS)
  assert.deepEqual(told, ['hangs late', 'hangs late'])
  ask(...Array<string>(50).fill('hangs'), 'a')
  assert.equal(told.length, 52)
  answer('a', ADDRESS)
  assert.equal(told.at(-1), 'a 1')
  assert.deepEqual(asked, ['a', 'hangs', 'a'])
  answer('hangs', ADDRESS)
  assert.deepEqual([told.length, timers.pending], [53, 0])
})

test('however many names hang, those that resolved before have room, and few are looked up at once', () => {
  const { timers, underWay, told, ask, answer } = start()
  const healthy = ['a', 'b', 'c', 'd']
  for (const name of healthy) {
    ask(name)
    answer(name, ADDRESS)
  }
  told.length = 0
  ask(...Array.from({ length: 40 }, (_, index) => `hangs ${index}`), ...healthy)
  assert.deepEqual([...underWay.keys()], ['hangs 0', 'hangs 1', 'hangs 2', 'a', 'b', 'c'])
  answer('b', ADDRESS)
  answer('d', ADDRESS)
  assert.deepEqual(told, ['b 1', 'd 1'])
  timers.advance(PATIENCE_MS)
  assert.equal(told.filter((text) => /^hangs \d+ late$/.test(text)).length, 40)
  assert.deepEqual([...underWay.keys()], ['hangs 0', 'hangs 1', 'hangs 2', 'a', 'c'])
  ask('new')
  for (const name of ['hangs 1', 'a', 'c']) answer(name, ADDRESS)
  assert.ok(underWay.has('new'))
})

test('a name that failed is not looked up again for as long as that took', () => {
  const { timers, asked, told, ask, answer } = start()
  ask('a')
  answer('a', [])
  timers.advance(1999)
  ask('a')
  assert.deepEqual([asked.length, told], [1, ['a 0', 'a 0']])
  timers.advance(1)
  ask('a')
  timers.advance(8000)
  answer('a', [])
  timers.advance(7999)
  ask('a')
  assert.equal(asked.length, 2)
  timers.advance(1)
  ask('a')
  answer('a', ADDRESS)
  assert.deepEqual([asked.length, told.at(-1)], [3, 'a 1'])
})

test('nobody waits behind the end', () => {
  const { timers, lookups, told, ask, answer } = start()
  ask('a', 'b', 'c', 'd')
  lookups.close()
  assert.deepEqual(told, ['a late', 'b late', 'c late', 'd late'])
  answer('a', ADDRESS)
  assert.deepEqual([told.length, timers.pending], [4, 0])
})
