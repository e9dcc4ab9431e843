import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventFilterOfGroup, filterOfGroup } from './groups.ts'

test('a group becomes the filter that finds its traces or steps', () => {
  const field = (name: string, value: string) => ({ kind: 'field', field: name, value })
  assert.deepEqual(filterOfGroup('traces', 'run_type', 'agent'), field('run_type', 'agent'))
  assert.deepEqual(filterOfGroup('traces', 'status', 'error'), field('status', 'error'))
  assert.deepEqual(filterOfGroup('steps', 'status', 'error'), field('step_status', 'error'))
  assert.deepEqual(filterOfGroup('steps', 'model', 'gpt'), field('step_model', 'gpt'))
  assert.deepEqual(filterOfGroup('traces', 'metadata.a.b', '7'), { kind: 'metadata', key: 'a.b', value: '7' })
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
    ['status', ''],
    ['source', 'llm'],
  ] as const) {
    assert.equal(filterOfGroup('traces', by, group), null)
  }
})
