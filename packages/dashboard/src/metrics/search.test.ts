import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricSearch } from './search.ts'

test('valid parameters of a metric screen are parsed', () => {
  const search = {
    range: '7d',
    draw: 'bars',
    log: true,
    stat: 'p95',
    group_by: 'metadata.task',
    bucket: '6h',
    show: ['is:a', 'none'],
    source: 'llm',
    at: '2026-01-01T00:00:00.000Z',
    group: 'is:a',
  }
  assert.deepEqual(metricSearch(search), search)
  assert.deepEqual(metricSearch({ value: 5, q: '' }), { value: '5' })
})

test('invalid parameters are dropped', () => {
  assert.deepEqual(
    metricSearch({ draw: 'x', log: 'yes', bucket: '5y', show: [1], source: 'me', at: 'soon', range: '3y' }),
    {},
  )
})
