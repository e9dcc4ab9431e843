import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { DomainError } from '../lib/domain-error.ts'
import { valueOf } from '../lib/validation/refusal.ts'
import { parseMetricEvent } from './parse-metric-event.ts'

const GOOD = '"name":"n","trace_id":"tr_1","passed":true'

function errorsOf(text: string | Buffer, limits = DEFAULT_LIMITS): readonly (readonly [string, string])[] {
  try {
    valueOf(parseMetricEvent(Buffer.from(text), limits))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.errors.length === 0) return [['', error.code]]
    return error.errors.map(({ pointer, code }) => [pointer, code] as const)
  }
  return []
}

describe('a malformed event is refused', () => {
  const cases: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    ['{', [['', 'malformed_json']]],
    ['[]', [['', 'wrong_type']]],
    ['null', [['', 'wrong_type']]],
    ['1', [['', 'wrong_type']]],
    [
      '{}',
      [
        ['/name', 'required'],
        ['/trace_id', 'required'],
        ['', 'required'],
      ],
    ],
    [`{${GOOD},"value":1}`, [['/value', 'invalid_value']]],
    ['{"name":"n","trace_id":"tr_1"}', [['', 'required']]],
    ['{"name":"n","trace_id":"tr_1","value":NaN}', [['', 'malformed_json']]],
    ['{"name":"n","trace_id":"tr_1","value":Infinity}', [['', 'malformed_json']]],
    ['{"name":"n","trace_id":"tr_1","value":null}', [['/value', 'wrong_type']]],
    ['{"name":"n","trace_id":"tr_1","value":true}', [['/value', 'wrong_type']]],
    ['{"name":"n","trace_id":"tr_1","passed":"yes"}', [['/passed', 'wrong_type']]],
    ['{"name":"n","trace_id":"tr_1","passed":null}', [['/passed', 'wrong_type']]],
    [`{${GOOD},"source":"dog"}`, [['/source', 'invalid_value']]],
    [`{${GOOD},"step_id":7}`, [['/step_id', 'wrong_type']]],
    [`{${GOOD},"metadata":[]}`, [['/metadata', 'wrong_type']]],
    [`{${GOOD},"at":"yesterday"}`, [['/at', 'invalid_format']]],
    [`{${GOOD},"at":"2026-02-30T00:00:00Z"}`, [['/at', 'invalid_format']]],
    [`{${GOOD},"comment":"${'x'.repeat(10_001)}"}`, [['/comment', 'too_long']]],
    [`{${GOOD},"comment":"\\ud800"}`, [['/comment', 'invalid_value']]],
    [`{${GOOD},"idempotency_key":""}`, [['/idempotency_key', 'too_short']]],
    [`{${GOOD},"idempotency_key":"a\\u0000"}`, [['/idempotency_key', 'invalid_value']]],
    [`{${GOOD},"idempotency_key":"${'k'.repeat(1001)}"}`, [['/idempotency_key', 'too_long']]],
    [`{${GOOD},"passed":false}`, [['/passed', 'duplicate_field']]],
    [`{${GOOD},"p\\u0061ssed":false}`, [['/passed', 'duplicate_field']]],
    [`{${GOOD},"metadata":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`, [['', 'too_deep']]],
  ]
  for (const [text, errors] of cases) {
    test(text.slice(0, 80), () => assert.deepEqual(errorsOf(text), errors))
  }

  test('an unknown field is refused by name, with the nearest known one', () => {
    assert.throws(
      () => valueOf(parseMetricEvent(Buffer.from(`{${GOOD},"traceid":"x"}`), DEFAULT_LIMITS)),
      (error: DomainError) => /`traceid`.*`trace_id`/.test(error.errors[0]?.detail ?? ''),
    )
  })

  test('limits on metadata are enforced, and a value just below is accepted', () => {
    const limits = { ...DEFAULT_LIMITS, metadataKeys: 2, metadataKeyLength: 3 }
    assert.deepEqual(errorsOf(`{${GOOD},"metadata":{"abc":1,"b":2}}`, limits), [])
    assert.deepEqual(errorsOf(`{${GOOD},"metadata":{"a":1,"b":2,"c":3}}`, limits), [['/metadata', 'too_many']])
    assert.deepEqual(errorsOf(`{${GOOD},"metadata":{"abcd":1}}`, limits), [['/metadata/abcd', 'too_long']])
  })

  test('bytes that are no UTF-8', () => {
    assert.deepEqual(errorsOf(Buffer.from(`{${GOOD},"comment":"\xff"}`, 'latin1')), [['', 'invalid_encoding']])
  })
})

test('the maximum of everything is accepted', () => {
  const comment = 'é'.repeat(10_000)
  const parsed = valueOf(
    parseMetricEvent(Buffer.from(`{${GOOD},"comment":"${comment}","step_id":null}`), DEFAULT_LIMITS),
  )
  assert.deepEqual([parsed.comment, parsed.stepId, parsed.at, parsed.contentHash], [comment, null, null, ''])
})

test('the same bytes have the same hash at any position; other bytes have another', () => {
  const hashOf = (text: string) => valueOf(parseMetricEvent(Buffer.from(text), DEFAULT_LIMITS)).contentHash
  const event = `{${GOOD},"idempotency_key":"k"}`
  assert.equal(hashOf(event), hashOf(` ${event}\t`))
  assert.notEqual(hashOf(event), hashOf(`{${GOOD}, "idempotency_key":"k"}`))
})
