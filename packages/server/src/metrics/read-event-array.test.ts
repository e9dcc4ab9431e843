import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { DomainError } from '../lib/domain-error.ts'
import { jsonText, mutated } from '../lib/json/json-arbitraries.test-support.ts'
import { systemWorkTurns, WorkTurns } from '../lib/flow/work-turns.ts'
import { readEventArray } from './read-event-array.ts'

const LIMITS = { ...DEFAULT_LIMITS, metricEventBytes: 1024, linesPerJsonResponse: 2000 }

async function verdicts(body: Buffer, limits = LIMITS, work = new WorkTurns(systemWorkTurns)): Promise<string[][]> {
  const groups: string[][] = []
  for await (const group of await readEventArray(body, limits, (step) => work.steps('p', step)))
    groups.push(group.map((line) => `${line.line} ${'parsed' in line ? line.parsed.name : line.code}`))
  return groups
}

async function codeOf(text: string): Promise<string> {
  try {
    await verdicts(Buffer.from(text))
  } catch (error) {
    if (error instanceof DomainError) return `${error.code} ${error.errors[0]?.code ?? error.message}`
    throw error
  }
  return 'taken'
}

const EVENT = '{"name":"n","trace_id":"tr_1","passed":true}'

test('an array is accepted exactly when it is JSON', async () => {
  const gap = fc.constantFrom('', ' ', '\n', ',', ', ', ' ,\t')
  const pieces = fc.array(fc.tuple(gap, fc.oneof(fc.constant(EVENT), jsonText)), { maxLength: 5 })
  const shuffled = fc
    .tuple(pieces, gap, fc.constantFrom('', ' ', 'x', ']'))
    .map(([elements, last, rest]) => Buffer.from(`[${elements.flat().join('')}${last}]${rest}`))
  const joined = fc.array(jsonText, { maxLength: 5 }).map((texts) => Buffer.from(`[${texts.join(',')}]`))
  await fc.assert(
    fc.asyncProperty(fc.oneof(shuffled, joined, mutated(joined)), async (body) => {
      let count: number | null = null
      try {
        const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
        count = Array.isArray(value) ? value.length : null
      } catch {
        count = null
      }
      if (body[0] !== 0x5b) return
      const groups = await verdicts(body, DEFAULT_LIMITS).catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error
        return null
      })
      assert.equal(groups === null ? null : groups.flat().length, count, body.toString())
    }),
    { numRuns: 1000 },
  )
})

test('errors of an array as a whole', async () => {
  assert.equal(
    await codeOf(`[${EVENT} ${EVENT}]`),
    "malformed_json Line 1, column 47 (byte 46): ',' or ']' is expected.",
  )
  assert.match(await codeOf(`[${EVENT}] x`), /^malformed_json .*only white space/)
  assert.match(await codeOf(`[${EVENT},tru]`), /^malformed_json .*a value is expected/)
  assert.equal(await codeOf(`[${EVENT},${'['.repeat(65)}`), 'validation_failed too_deep')
  assert.equal(await codeOf(`[${'0,'.repeat(2000)}0]`), 'validation_failed too_many')
  assert.equal(await codeOf(`[${'0,'.repeat(1999)}0]`), 'taken')
})

test('groups are bounded, and an event that is too long does not affect the others', async () => {
  const long = `{"name":"${'x'.repeat(1100)}"}`
  assert.deepEqual(await verdicts(Buffer.from(`[${EVENT}, {} ,${long},${EVENT}]`)), [
    ['1 n', '2 validation_failed', '3 line_too_large', '4 n'],
  ])
  const sizes = (await verdicts(Buffer.from(`[${'{},'.repeat(1200)}0]`))).map((group) => group.length)
  assert.deepEqual(sizes, [500, 500, 201])
  assert.deepEqual(await verdicts(Buffer.from(' [ ] ')), [])
})

/** A clock that advances by a millisecond at each reading. */
function countTurns() {
  const counted = { turns: 0 }
  let ms = 0
  const nextTurn = (run: () => void) => {
    counted.turns++
    setImmediate(run)
  }
  return { counted, work: new WorkTurns({ now: () => ms++, nextTurn }) }
}

test('elements take turns with other work', async () => {
  const { counted, work } = countTurns()
  await verdicts(Buffer.from(`[${'{},'.repeat(999)}{}]`), LIMITS, work)
  assert.ok(counted.turns >= 400, `${counted.turns} turns for 1,000 elements that are read twice in 1 ms each`)
})

test('errors of a long array are searched for in turns', async () => {
  const long = `[${'0,'.repeat(500_000)}0]`
  for (const [body, problem] of [
    [`[${long} x]`, "Line 1, column 1000006 (byte 1000005): ',' or ']' is expected."],
    [`[${'\n'.repeat(1_000_000)}0 x]`, "Line 1000001, column 3 (byte 1000003): ',' or ']' is expected."],
    [`[]${'\n'.repeat(1_000_000)}x`, 'Line 1000001, column 1 (byte 1000002): only white space may follow the value.'],
  ] as const) {
    const { counted, work } = countTurns()
    await assert.rejects(verdicts(Buffer.from(body), LIMITS, work), { code: 'malformed_json', message: problem })
    assert.ok(counted.turns >= 10, `${counted.turns} turns for a megabyte`)
  }
})

test('elements between those that are too long keep their numbers', async () => {
  const long = `{"name":"${'x'.repeat(1100)}"}`
  const bodies = [`[${long}]`, `[ ${long} , ${EVENT},${long},${long} ,${EVENT}]`, `[${EVENT},${long}\n]`]
  assert.deepEqual(await Promise.all(bodies.map((body) => verdicts(Buffer.from(body)))), [
    [['1 line_too_large']],
    [['1 line_too_large', '2 n', '3 line_too_large', '4 line_too_large', '5 n']],
    [['1 n', '2 line_too_large']],
  ])
})
