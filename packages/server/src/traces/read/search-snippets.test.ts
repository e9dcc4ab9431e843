import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, newStep, PROJECT, traceRecord } from '../trace-builders.test-support.ts'
import { searchSnippets } from './search-snippets.ts'

const trace = traceRecord(idAt('tr', 1))

test('a snippet is of the first hit: of its messages or error, or of what is left of a long body', async () => {
  const hit = { traceId: trace.id, position: 0, stepId: newStep(trace, 0).id, name: 'n', excerpt: '' }
  const snippetOf = async (fields: { body: string | null; excerpt?: string }) => {
    const store = { findStepHits: async () => [{ ...hit, ...fields }] }
    return (await searchSnippets(store, PROJECT, [trace.id], ['refund'])).get(trace.id)
  }
  const messages = [{ role: 'tool', content: [{ type: 'data', data: { note: 'Refund sent' } }] }]
  assert.deepEqual(await snippetOf({ body: JSON.stringify({ messages }) }), {
    stepId: hit.stepId,
    text: 'Refund sent',
    ranges: [[0, 6]],
  })
  const error = { type: 'Refused', message: 'no refund' }
  assert.equal((await snippetOf({ body: JSON.stringify({ error }) }))?.text, 'no refund')
  assert.equal((await snippetOf({ body: null, excerpt: 'the refund of' }))?.text, 'the refund of')
  assert.equal(await snippetOf({ body: '{}' }), undefined)
})

test('a page of many traces is read in parts', async () => {
  const ids = Array.from({ length: 60 }, (_, n) => idAt('tr', n + 1))
  const asked: number[] = []
  const store = {
    findStepHits: async (_project: unknown, some: readonly unknown[]) => {
      asked.push(some.length)
      return []
    },
  }
  assert.equal((await searchSnippets(store, PROJECT, ids, ['a'])).size, 0)
  assert.deepEqual(asked, [25, 25, 10])
})
