import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventFilterOfGroup, filterOfGroup } from './trace-group.ts'

test('a group becomes the trace filter that finds its traces', () => {
  assert.deepEqual(filterOfGroup('run_type', 'agent'), { run_type: 'agent' })
  assert.deepEqual(filterOfGroup('status', 'error'), { status: 'error' })
  assert.deepEqual(filterOfGroup('metadata.a.b', '7'), { meta_key: ['a.b'], meta_value: ['7'] })
})

test('a group of a metric becomes the filter that finds its events', () => {
  assert.deepEqual(eventFilterOfGroup('source', 'llm'), { source: 'llm' })
  assert.deepEqual(eventFilterOfGroup('model', 'gpt'), { model: 'gpt' })
  assert.deepEqual(eventFilterOfGroup('metadata.task', '"7"'), { meta_key: ['task'], meta_value: ['"7"'] })
  assert.equal(eventFilterOfGroup('source', null), null)
  assert.equal(eventFilterOfGroup('run_type', null), null)
})

test('a group that the filter does not support is null', () => {
  for (const [by, group] of [
    ['model', null],
    ['name', 'sha256:x'],
    ['status', 'other'],
    ['source', 'llm'],
  ] as const) {
    assert.equal(filterOfGroup(by, group), null)
  }
})
