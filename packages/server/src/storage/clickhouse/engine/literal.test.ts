import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idAtTime } from '../../../lib/ids/ids.ts'
import { createdWithin, integer, text, texts } from './literal.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()

// prettier-ignore
const METACHARACTERS = ["'", '"', '`', '\\', "\\'", "''", '\0', '\b', '\f', '\n', '\r', '\t', '\v', '\x1b', '\x7f', '\x85', '\u2028', '%', '_', '?', ';', '--', '/*', '*/', '#', '{p:String}', '$1', '$$', '\\x41', '\\0', '\\N', '\ufeff', '\ufffd', 'é', '退', '😀', '\ud800', '\udc00']
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...METACHARACTERS), fc.string({ unit: 'binary' })), { maxLength: 12 })
  .map((parts) => parts.join(''))

test('the literal of any text reads back as the same text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 40 }), async (values) => {
      const expected = values.map((value) => value.toWellFormed())
      const [row] = await engine.select(`SELECT ${values.map(text).join(', ')}`)
      assert.deepEqual(row, expected)
      const [list] = await engine.select(`SELECT [${texts(values)}]`)
      assert.deepEqual(list, [expected])
    }),
    { numRuns: 150 },
  )
})

test('every character of the basic plane', async () => {
  for (let from = 0; from < 0x10000; from += 0x4000) {
    const characters = Array.from({ length: 0x4000 }, (_, index) => String.fromCharCode(from + index))
      .join('')
      .toWellFormed()
    const [row] = await engine.select(`SELECT length(${text(characters)}), ${text(characters)}`)
    assert.deepEqual(row, [Buffer.byteLength(characters), characters])
  }
})

test('a literal cannot end its statement', async () => {
  const [row] = await engine.select(`SELECT ${text("'; DROP TABLE traces; --")}, ${text('\\')}, ${text("\\'")}`)
  assert.deepEqual(row, ["'; DROP TABLE traces; --", '\\', "\\'"])
  assert.deepEqual(await engine.select('EXISTS TABLE traces'), [[1]])
})

test('numbers are safe integers, lists are not empty', async () => {
  for (const value of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1]) {
    assert.deepEqual(await engine.select(`SELECT ${integer(value)}`), [[value]])
  }
  for (const value of [1.5, Number.NaN, Infinity, 2 ** 53]) assert.throws(() => integer(value), TypeError)
  assert.throws(() => texts([]), TypeError)
})

test('bounds on ids become bounds on creation times, which ids are ahead of by at most the lead', async () => {
  const times = [0, 1, 999, 1_772_323_200_000, Date.UTC(2299, 11, 31), 2 ** 48 - 1]
  for (const [index, low] of times.entries()) {
    for (const [high, lead] of times.slice(index).flatMap((time) => [[time, 0] as const, [time, 1000] as const])) {
      const within = createdWithin('t', idAtTime('tr', low), idAtTime('tr', high), lead)
      const found = await engine.select(
        `SELECT toUnixTimestamp64Milli(t) FROM (SELECT fromUnixTimestamp64Milli(arrayJoin([${times.slice(0, 5).join(', ')}]), 'UTC') AS t) WHERE ${within} ORDER BY t`,
      )
      assert.deepEqual(
        found.flat(),
        times.slice(0, 5).filter((time) => time >= Math.min(low - lead, times[4]!) && time <= high),
      )
    }
  }
})
