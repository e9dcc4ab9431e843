import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterOfGroup, filtersOfGroups } from './groups.ts'

test('a group becomes the filter that finds its traces or steps', () => {
  const field = (name: string, value: string) => ({ kind: 'field', field: name, value })
  assert.deepEqual(filterOfGroup('traces', 'run_type', 'agent'), field('run_type', 'agent'))
  assert.deepEqual(filterOfGroup('traces', 'status', 'error'), field('status', 'error'))
  assert.deepEqual(filterOfGroup('steps', 'status', 'error'), field('step_status', 'error'))
  assert.deepEqual(filterOfGroup('steps', 'model', 'gpt'), field('step_model', 'gpt'))
  assert.deepEqual(filterOfGroup('traces', 'metadata.a.b', '7'), { kind: 'metadata', key: 'a.b', value: '7' })
})

test('a group of two fields becomes two filters, and one of a metric those of its value', () => {
  const field = (name: string, value: string) => ({ kind: 'field', field: name, value })
  assert.deepEqual(filtersOfGroups('traces', ['model', 'status'], ['gpt', 'error']), [
    field('model', 'gpt'),
    field('status', 'error'),
  ])
  assert.equal(filtersOfGroups('traces', ['model', 'status'], ['gpt', null]), null)
  assert.deepEqual(filtersOfGroups('traces', ['metric.tone'], ['rude']), [
    field('metric', 'tone'),
    field('option', 'rude'),
  ])
  assert.deepEqual(filtersOfGroups('traces', ['metric.ok'], ['false']), [
    field('metric', 'ok'),
    field('passed', 'false'),
  ])
  assert.deepEqual(filtersOfGroups('traces', [], []), [])
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
