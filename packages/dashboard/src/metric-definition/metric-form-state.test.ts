import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { draftOf, emptyDraft, toCreate, toPatch } from './metric-form-state.ts'

const METRIC: Metric = {
  id: 'met_00000000000000000000000000',
  name: 'latency',
  kind: 'numeric',
  description: 'How long it took',
  min: 0,
  max: null,
  unit: 'ms',
  options: null,
  direction: 'lower',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

test('a new metric has only the fields of its kind', () => {
  const filled = {
    ...emptyDraft(),
    name: 'x',
    unit: 'ms',
    min: '0',
    max: '1,5',
    options: [{ key: 1, value: 'a', label: '', fixed: false }],
  }
  assert.deepEqual(toCreate(filled), { name: 'x', kind: 'boolean' })
  assert.deepEqual(toCreate({ ...filled, kind: 'numeric' }), {
    name: 'x',
    kind: 'numeric',
    unit: 'ms',
    min: 0,
    max: 1.5,
  })
  assert.deepEqual(toCreate({ ...filled, kind: 'enum' }), { name: 'x', kind: 'enum', options: [{ value: 'a' }] })
})

test('an invalid number is sent as typed, and the service rejects its field', () => {
  assert.deepEqual(toCreate({ ...emptyDraft(), name: 'x', kind: 'numeric', min: 'ten' }), {
    name: 'x',
    kind: 'numeric',
    min: 'ten',
  })
})

test('an update has only the changed fields', () => {
  const draft = draftOf(METRIC)
  assert.equal(toPatch(draft, METRIC), null)
  assert.deepEqual(toPatch({ ...draft, unit: '', max: '500', direction: '' }, METRIC), {
    unit: null,
    max: 500,
    direction: null,
  })
  const tone: Metric = { ...METRIC, kind: 'enum', options: [{ value: 'polite', label: null }] }
  const options = [...draftOf(tone).options, { key: 9, value: 'rude', label: 'Rude', fixed: false }]
  assert.deepEqual(toPatch({ ...draftOf(tone), options }, tone), {
    options: [{ value: 'polite' }, { value: 'rude', label: 'Rude' }],
  })
})
