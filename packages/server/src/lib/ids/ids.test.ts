import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isId } from '@spoor/contract/ids'
import { createIdGenerator, idAtTime, timeOfId } from './ids.ts'
import { systemRandomBytes } from './random.ts'
import { idFromBytes, idToBytes } from './typeid.ts'

const MAX_TIME = 2 ** 48 - 1

function steppedClock(start: number): { now(): number; time: number } {
  return {
    time: start,
    now() {
      return this.time
    },
  }
}

test('an id is well-formed and contains its time', () => {
  const clock = steppedClock(1_763_000_000_123)
  const id = createIdGenerator(clock, systemRandomBytes).newId('tr')
  assert.ok(isId('tr', id))
  assert.equal(timeOfId(id), 1_763_000_000_123)
})

test('ids are strictly increasing whatever the clock does', () => {
  const moves = fc.array(fc.integer({ min: -100_000_000, max: 100_000 }), { maxLength: 50 })
  fc.assert(
    fc.property(moves, (steps) => {
      const clock = steppedClock(1_763_000_000_000)
      const generator = createIdGenerator(clock, systemRandomBytes)
      let last: string = generator.newId('st')
      for (const step of steps) {
        clock.time += step
        const next = generator.newId('st')
        assert.ok(next > last, `${next} after ${last}`)
        last = next
      }
    }),
  )
})

test('when the counter overflows into the next millisecond, ids still increase', () => {
  const generator = createIdGenerator(steppedClock(1000), (size) => new Uint8Array(size).fill(255))
  const first = generator.newId('tr')
  const second = generator.newId('tr')
  assert.ok(second > first)
  assert.equal(timeOfId(second), 1001)
})

test('ids created after a restart are greater than the last one, even if the clock stepped back', () => {
  const last = createIdGenerator(steppedClock(2_000_000), systemRandomBytes).newId('tr')
  const generator = createIdGenerator(steppedClock(5), systemRandomBytes)
  generator.startAfter(last)
  const ids = [generator.newId('tr'), generator.newId('tr')]
  assert.deepEqual([last, ...ids].toSorted(), [last, ...ids])
  assert.equal(new Set([last, ...ids]).size, 3)
})

test('startAfter has no effect when the clock is already ahead', () => {
  const generator = createIdGenerator(steppedClock(9_000_000), systemRandomBytes)
  generator.startAfter(idAtTime('tr', 1000))
  assert.equal(timeOfId(generator.newId('tr')), 9_000_000)
})

test('bytes and text represent the same id and sort in the same order', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(bytes, bytes, (left, right) => {
      const [leftId, rightId] = [idFromBytes('st', left), idFromBytes('st', right)]
      assert.ok(isId('st', leftId))
      assert.deepEqual(idToBytes(leftId), left)
      assert.equal(Math.sign(Buffer.compare(left, right)), leftId < rightId ? -1 : leftId > rightId ? 1 : 0)
    }),
  )
})

test('the encoding matches the TypeID specification', () => {
  const uuid = Buffer.from('0188bac74afa78aabc3bbd1eef28d881', 'hex')
  assert.equal(idFromBytes('key', uuid), 'key_01h2xcejqtf2nbrexx3vqjhp41')
})

test('refuses text that is not an id', () => {
  for (const text of [
    '',
    'tr',
    'tr_',
    'tr_0',
    `tr_8${'0'.repeat(25)}`,
    `tr_${'u'.repeat(26)}`,
    `tr_0${'é'.repeat(25)}`,
    '0'.repeat(27),
  ]) {
    assert.throws(() => idToBytes(text), RangeError, text)
    assert.throws(() => timeOfId(text), RangeError, text)
  }
})

test('idAtTime is a lower bound of the ids of a time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_TIME - 1 }), (time) => {
      const id = createIdGenerator(steppedClock(time), systemRandomBytes).newId('tr')
      assert.ok(idAtTime('tr', time) <= id)
      assert.ok(idAtTime('tr', time + 0.5) > id)
      assert.ok(id < idAtTime('tr', time + 1))
      assert.equal(timeOfId(idAtTime('tr', time)), time)
    }),
  )
  assert.equal(idAtTime('tr', -5), `tr_${'0'.repeat(26)}`)
  assert.equal(timeOfId(idAtTime('tr', 1e300)), MAX_TIME)
})
