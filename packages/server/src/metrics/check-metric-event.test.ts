import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { checkMetricEvent } from './check-metric-event.ts'
import { aMetric } from './metric-builders.test-support.ts'
import { valueOf } from '../lib/validation/refusal.ts'
import { parseMetricEvent } from './parse-metric-event.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const TRACE = 'tr_01h2xcejqtf2nbrexx3vqjhp41'
const STEP = 'st_01h2xcejqtf2nbrexx3vqjhp41'

const boolean = aMetric()
const numeric = aMetric({ name: 'reward', kind: 'numeric', min: -1, max: 1 })
const boundless = aMetric({ name: 'score', kind: 'numeric' })
const tone = aMetric({
  name: 'tone',
  kind: 'enum',
  options: [
    { value: 'friendly', label: null },
    { value: 'curt', label: 'Curt' },
  ],
})

/** `fields` is JSON text without braces. */
function check(fields: string, definition: ReturnType<typeof aMetric> | undefined) {
  const bytes = Buffer.from(`{"name":"x","trace_id":"${TRACE}",${fields}}`)
  return checkMetricEvent(valueOf(parseMetricEvent(bytes, DEFAULT_LIMITS)), definition, NOW)
}

describe('an event that does not fit gets an error code of its own with its position', () => {
  const cases = [
    ['"passed":true', undefined, 'undefined_metric', '/name'],
    ['"value":1', boolean, 'wrong_metric_kind', '/value'],
    ['"value":"true"', boolean, 'wrong_metric_kind', '/value'],
    ['"passed":true', numeric, 'wrong_metric_kind', '/passed'],
    ['"value":"1"', numeric, 'wrong_metric_kind', '/value'],
    ['"passed":false', tone, 'wrong_metric_kind', '/passed'],
    ['"value":1', tone, 'wrong_metric_kind', '/value'],
    ['"value":1e400', tone, 'wrong_metric_kind', '/value'],
    ['"value":1.0000001', numeric, 'value_out_of_range', '/value'],
    ['"value":-1.0000001', numeric, 'value_out_of_range', '/value'],
    ['"value":1e400', numeric, 'value_out_of_range', '/value'],
    ['"value":1e400', boundless, 'value_out_of_range', '/value'],
    ['"value":-1e400', boundless, 'value_out_of_range', '/value'],
    ['"value":"Friendly"', tone, 'unknown_option', '/value'],
    ['"value":"Curt"', tone, 'unknown_option', '/value'],
    ['"value":""', tone, 'unknown_option', '/value'],
    ['"passed":true,"at":"1999-12-31T23:59:59.999Z"', boolean, 'out_of_range', '/at'],
    ['"passed":true,"at":"2026-01-31T12:05:00.001Z"', boolean, 'out_of_range', '/at'],
    ['"passed":true,"step_id":"st_1"', boolean, 'unknown_step', '/step_id'],
    [`"passed":true,"step_id":"${TRACE}"`, boolean, 'unknown_step', '/step_id'],
  ] as const
  for (const [fields, definition, code, pointer] of cases) {
    test(`${fields} of ${definition?.kind ?? 'no'} metric: ${code}`, () => {
      const result = check(fields, definition)
      assert.ok('error' in result)
      assert.deepEqual([result.error.code, result.error.pointer], [code, pointer])
      assert.ok(result.error.detail.length > 10)
    })
  }

  test('a malformed id matches nothing', () => {
    const bytes = Buffer.from('{"name":"x","trace_id":"run 7","passed":true}')
    const result = checkMetricEvent(valueOf(parseMetricEvent(bytes, DEFAULT_LIMITS)), boolean, NOW)
    assert.ok('error' in result && result.error.code === 'unknown_trace')
  })
})

describe('an event that fits becomes a metric event', () => {
  const cases = [
    ['"passed":false', boolean, { kind: 'boolean', passed: false }],
    ['"value":1', numeric, { kind: 'numeric', number: 1 }],
    ['"value":-1', numeric, { kind: 'numeric', number: -1 }],
    ['"value":1.7976931348623157e308', boundless, { kind: 'numeric', number: Number.MAX_VALUE }],
    ['"value":5e-324', boundless, { kind: 'numeric', number: Number.MIN_VALUE }],
    ['"value":"curt"', tone, { kind: 'enum', option: 'curt' }],
  ] as const
  for (const [fields, definition, value] of cases) {
    test(fields, () => {
      const result = check(fields, definition)
      assert.ok('score' in result)
      assert.deepEqual(result.score.value, value)
      assert.equal(result.score.at, NOW)
      assert.equal(result.score.metricId, definition.id)
    })
  }

  test('zero has no sign', () => {
    for (const zero of ['-0', '-0.0', '0', '-1e-400']) {
      const result = check(`"value":${zero}`, numeric)
      assert.ok('score' in result && result.score.value.kind === 'numeric')
      assert.ok(Object.is(result.score.value.number, 0), zero)
    }
  })

  test('the time of an event is accepted from the year 2000 to five minutes ahead', () => {
    for (const at of ['2000-01-01T00:00:00.000Z', '2026-01-31T12:05:00.000Z', '2026-01-31T14:05:00+02:00']) {
      const result = check(`"passed":true,"at":"${at}"`, boolean)
      assert.ok('score' in result, at)
      assert.equal(result.score.at, Date.parse(at))
    }
  })

  test('everything else in the event is stored as sent', () => {
    const metadata = '{ "evaluator" : 1.50, "big": 12345678901234567890 }'
    const fields = `"passed":true,"step_id":"${STEP}","source":"llm","comment":"so so","idempotency_key":"k","metadata": ${metadata}`
    const result = check(fields, boolean)
    assert.ok('score' in result)
    const { score } = result
    assert.equal(score.metadata.toString(), metadata)
    assert.deepEqual([score.stepId, score.source, score.comment], [STEP, 'llm', 'so so'])
    assert.match(score.contentHash, /^[0-9a-f]{64}$/)
  })
})

test('property: a number is accepted exactly when it is finite and within the bounds, and is returned unchanged', () => {
  const bound = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), bound, bound, (value, a, b) => {
      const [min, max] = a !== null && b !== null && a > b ? [b, a] : [a, b]
      const result = check(`"value":${JSON.stringify(value)}`, aMetric({ kind: 'numeric', min, max }))
      const fits = (min === null || value >= min) && (max === null || value <= max)
      assert.equal('score' in result, fits)
      if ('score' in result) assert.deepEqual(result.score.value, { kind: 'numeric', number: value + 0 })
    }),
  )
})

test('property: an option is accepted exactly when the metric has it', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => value.isWellFormed())
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 10 }), text, (values, value) => {
      const definition = aMetric({ kind: 'enum', options: values.map((one) => ({ value: one, label: null })) })
      const result = check(`"value":${JSON.stringify(value)}`, definition)
      assert.equal('score' in result, values.includes(value))
    }),
  )
})
