import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFailureMeasure } from './failure-measure.ts'

test('status, a metric and a metadata value are measures; the first = ends the key', () => {
  assert.deepEqual(parseFailureMeasure('status'), { kind: 'status' })
  assert.deepEqual(parseFailureMeasure('metric:task: solved'), { kind: 'metric', name: 'task: solved' })
  assert.deepEqual(parseFailureMeasure('metadata:reward=0'), { kind: 'metadata', key: 'reward', value: '0' })
  assert.deepEqual(parseFailureMeasure('metadata:a=b=c'), { kind: 'metadata', key: 'a', value: 'b=c' })
  assert.deepEqual(parseFailureMeasure('metadata:note='), { kind: 'metadata', key: 'note', value: '' })
})

test('anything else is none', () => {
  for (const text of [
    '',
    'error',
    'Status',
    'metric:',
    `metric:${'x'.repeat(101)}`,
    'metadata:',
    'metadata:a',
    'metadata:=0',
  ])
    assert.equal(parseFailureMeasure(text), null, text)
})
