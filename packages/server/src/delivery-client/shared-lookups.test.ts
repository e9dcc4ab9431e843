import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { SharedLookups } from './shared-lookups.ts'

const PATIENCE_MS = 10_000
const ADDRESS: readonly LookupAddress[] = [{ address: '192.0.2.1', family: 4 }]

/** Lookups with a resolver that answers a name when the test calls `answer`. */
function start() {
  const timers = new ManualTimers()
  const started: string[] = []
  const underWay = new Map<string, (addresses: readonly LookupAddress[]) => void>()
  const lookups = new SharedLookups({
    timers,
    patienceMs: PATIENCE_MS,
    resolve: (name, report) => {
      started.push(name)
      underWay.set(name, report)
    },
  })
  /** The results of the callers, in this order. */
  const reported: string[] = []
  const lookUp = (...names: readonly string[]) => {
    for (const name of names) {
      lookups.resolve(name, (addresses) => reported.push(`${name} ${addresses === null ? 'late' : addresses.length}`))
    }
  }
  const answer = (name: string, addresses: readonly LookupAddress[]) => {
    const report = underWay.get(name)
    underWay.delete(name)
    report?.(addresses)
  }
  return { timers, lookups, started, underWay, reported, lookUp, answer }
}

test('callers that wait for a name share one lookup, and a later caller starts another', () => {
  const { timers, started, reported, lookUp, answer } = start()
  lookUp(...Array<string>(16).fill('a'))
  assert.deepEqual(started, ['a'])
  answer('a', ADDRESS)
  assert.deepEqual(reported, Array(16).fill('a 1'))
  lookUp('a')
  assert.deepEqual(started, ['a', 'a'])
  answer('a', ADDRESS)
  assert.equal(timers.pending, 0)
})

test('a name that hangs occupies one lookup: its callers get null after the time limit, and later ones at once', () => {
  const { timers, started, reported, lookUp, answer } = start()
  lookUp('a')
  answer('a', ADDRESS)
  reported.length = 0
  lookUp('hangs', 'hangs')
  timers.advance(PATIENCE_MS)
  assert.deepEqual(reported, ['hangs late', 'hangs late'])
  lookUp(...Array<string>(50).fill('hangs'), 'a')
  assert.equal(reported.length, 52)
  answer('a', ADDRESS)
  assert.equal(reported.at(-1), 'a 1')
  assert.deepEqual(started, ['a', 'hangs', 'a'])
  answer('hangs', ADDRESS)
  assert.deepEqual([reported.length, timers.pending], [53, 0])
})

test('few names are looked up at a time, and names that resolved before are looked up even if many others hang', () => {
  const { timers, underWay, reported, lookUp, answer } = start()
  const healthy = ['a', 'b', 'c', 'd']
  for (const name of healthy) {
    lookUp(name)
    answer(name, ADDRESS)
  }
  reported.length = 0
  lookUp(...Array.from({ length: 40 }, (_, index) => `hangs ${index}`), ...healthy)
  assert.deepEqual([...underWay.keys()], ['hangs 0', 'hangs 1', 'hangs 2', 'a', 'b', 'c'])
  answer('b', ADDRESS)
  answer('d', ADDRESS)
  assert.deepEqual(reported, ['b 1', 'd 1'])
  timers.advance(PATIENCE_MS)
  assert.equal(reported.filter((text) => /^hangs \d+ late$/.test(text)).length, 40)
  assert.deepEqual([...underWay.keys()], ['hangs 0', 'hangs 1', 'hangs 2', 'a', 'c'])
  lookUp('new')
  for (const name of ['hangs 1', 'a', 'c']) answer(name, ADDRESS)
  assert.ok(underWay.has('new'))
})

test('a name that failed is not looked up again for as long as the failure took', () => {
  const { timers, started, reported, lookUp, answer } = start()
  lookUp('a')
  answer('a', [])
  timers.advance(1999)
  lookUp('a')
  assert.deepEqual([started.length, reported], [1, ['a 0', 'a 0']])
  timers.advance(1)
  lookUp('a')
  timers.advance(8000)
  answer('a', [])
  timers.advance(7999)
  lookUp('a')
  assert.equal(started.length, 2)
  timers.advance(1)
  lookUp('a')
  answer('a', ADDRESS)
  assert.deepEqual([started.length, reported.at(-1)], [3, 'a 1'])
})

test('close reports null to all callers', () => {
  const { timers, lookups, reported, lookUp, answer } = start()
  lookUp('a', 'b', 'c', 'd')
  lookups.close()
  assert.deepEqual(reported, ['a late', 'b late', 'c late', 'd late'])
  answer('a', ADDRESS)
  assert.deepEqual([reported.length, timers.pending], [4, 0])
})
