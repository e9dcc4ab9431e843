import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { applyAnswer, applyEvent, type MonitorRules, type MonitorTally } from './monitor-machine.ts'
import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'

const RULES: MonitorRules = {
  aggregation: 'avg',
  comparison: 'gt',
  threshold: 10,
  resolveThreshold: null,
  minSamples: 1,
  consecutive: 1,
  noData: 'hold',
}
const NOTHING: MeasureResult = { value: null, samples: 0 }
const of = (value: number, samples = 5): MeasureResult => ({ value, samples })

/** The states after each answer, `N` and `F`. */
function run(rules: Partial<MonitorRules>, answers: readonly MeasureResult[]): string {
  let tally: MonitorTally = { state: 'normal', breaches: 0 }
  return answers
    .map((answer) => (tally = applyAnswer({ ...RULES, ...rules }, tally, answer)).state)
    .map((state) => (state === 'fired' ? 'F' : 'N'))
    .join('')
}

test('it fires above the threshold and is normal at it', () => {
  assert.equal(run({}, [of(10), of(10.1), of(11), of(10)]), 'NFFN')
  assert.equal(run({ comparison: 'gte' }, [of(9.9), of(10), of(9.9)]), 'NFN')
  assert.equal(run({ comparison: 'lt' }, [of(10), of(9), of(10)]), 'NFN')
  assert.equal(run({ comparison: 'lte' }, [of(11), of(10), of(11)]), 'NFN')
})

test('so many in a row must breach; an evaluation without a breach ends the run, one without a result does not', () => {
  assert.equal(run({ consecutive: 3 }, [of(11), of(11), of(11), of(11), of(1)]), 'NNFFN')
  assert.equal(run({ consecutive: 2 }, [of(11), of(1), of(11), of(11)]), 'NNNF')
  assert.equal(run({ consecutive: 2 }, [of(11), NOTHING, of(11)]), 'NNF')
  assert.equal(run({ consecutive: 2, minSamples: 5 }, [of(11), of(1, 4), of(11)]), 'NNF')
  assert.equal(run({ consecutive: 2, resolveThreshold: 5 }, [of(11), of(7), of(11), of(11)]), 'NNNF')
})

test('with a resolve threshold it stays fired in between', () => {
  assert.equal(run({ resolveThreshold: 5 }, [of(7), of(11), of(7), of(5.1), of(5), of(7)]), 'NFFFNN')
  assert.equal(run({ comparison: 'lt', resolveThreshold: 20 }, [of(9), of(15), of(19.9), of(20), of(15)]), 'FFFNN')
})

test('too few rows change nothing, in either state', () => {
  assert.equal(run({ minSamples: 3 }, [of(11, 2), of(11, 3), of(1, 2), of(1, 3)]), 'NFFN')
})

test('no data counts as configured', () => {
  assert.equal(run({ noData: 'hold' }, [NOTHING, of(11), NOTHING, of(1)]), 'NFFN')
  assert.equal(run({ noData: 'ok' }, [NOTHING, of(11), NOTHING]), 'NFN')
  assert.equal(run({ noData: 'fire' }, [NOTHING, NOTHING, of(1)]), 'FFN')
  assert.equal(run({ noData: 'fire', consecutive: 3 }, [NOTHING, of(11), NOTHING]), 'NNF')
})

test('a count of nothing is 0', () => {
  const nothing = { value: 0, samples: 0 }
  assert.equal(run({ aggregation: 'count', comparison: 'lt', threshold: 1 }, [nothing, of(1, 1)]), 'FN')
  assert.equal(run({ aggregation: 'count', noData: 'fire' }, [nothing, NOTHING]), 'NN')
})

test('a sum that overflows is still on one side', () => {
  assert.equal(run({ aggregation: 'sum' }, [of(Infinity), of(-Infinity), of(NaN)]), 'FNN')
})

const answer = fc.oneof(
  fc.constant(NOTHING),
  fc.record({ value: fc.double({ min: -20, max: 20, noNaN: true }), samples: fc.integer({ min: 1, max: 4 }) }),
)
const rules: fc.Arbitrary<MonitorRules> = fc
  .record({
    aggregation: fc.constantFrom('avg' as const, 'count' as const),
    comparison: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
    threshold: fc.integer({ min: -10, max: 10 }),
    slack: fc.option(fc.integer({ min: 0, max: 5 })),
    minSamples: fc.integer({ min: 1, max: 3 }),
    consecutive: fc.integer({ min: 1, max: 4 }),
    noData: fc.constantFrom('hold' as const, 'ok' as const, 'fire' as const),
  })
  .map(({ slack, ...rest }) => {
    const away = rest.comparison.startsWith('g') ? -1 : 1
    return Object.assign(rest, { resolveThreshold: slack === null ? null : rest.threshold + away * slack })
  })

/** The rules written differently, over the whole past each time. */
function firedAfter(all: MonitorRules, past: readonly MeasureResult[]): boolean {
  const { comparison, threshold, resolveThreshold, consecutive, noData, minSamples, aggregation } = all
  const beyond = (value: number, limit: number) =>
    comparison === 'gt'
      ? value > limit
      : comparison === 'gte'
        ? value >= limit
        : comparison === 'lt'
          ? value < limit
          : value <= limit
  const kinds = past.map(({ value, samples }) => {
    const known = aggregation === 'count' ? (value ?? 0) : value
    if (known === null) return { hold: 'skip', ok: 'clear', fire: 'breach' }[noData]
    if (aggregation !== 'count' && samples < minSamples) return 'skip'
    return beyond(known, threshold) ? 'breach' : beyond(known, resolveThreshold ?? threshold) ? 'between' : 'clear'
  })
  const said = kinds.filter((kind) => kind !== 'skip')
  const lastClear = said.lastIndexOf('clear')
  const since = said.slice(lastClear + 1)
  return since.some(
    (_, end) =>
      end + 1 >= consecutive && since.slice(end + 1 - consecutive, end + 1).every((kind) => kind === 'breach'),
  )
}

test('any sequence: the state follows from the past by the rules', () => {
  fc.assert(
    fc.property(rules, fc.array(answer, { maxLength: 40 }), (given, answers) => {
      let tally: MonitorTally = { state: 'normal', breaches: 0 }
      answers.forEach((one, index) => {
        tally = applyAnswer(given, tally, one)
        assert.equal(tally.state === 'fired', firedAfter(given, answers.slice(0, index + 1)))
        assert.ok(tally.breaches < given.consecutive)
        if (tally.state === 'fired') assert.equal(tally.breaches, 0)
      })
    }),
  )
})

test('any sequence: fired and resolved alternate, fired first', () => {
  const step = fc.oneof(answer, fc.constantFrom('change' as const, 'disable' as const, 'delete' as const))
  fc.assert(
    fc.property(rules, fc.array(step, { maxLength: 60 }), (given, steps) => {
      let tally: MonitorTally = { state: 'normal', breaches: 0 }
      const told: string[] = []
      for (const one of steps) {
        const next = typeof one === 'string' ? applyEvent(tally, one) : applyAnswer(given, tally, one)
        if (next.state !== tally.state) told.push(next.state)
        if (typeof one === 'string') assert.deepEqual(next, { state: 'normal', breaches: 0 })
        tally = next
      }
      told.forEach((state, index) => assert.equal(state, index % 2 === 0 ? 'fired' : 'normal'))
    }),
  )
})
