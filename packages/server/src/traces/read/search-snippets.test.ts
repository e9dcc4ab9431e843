import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, newStep, PROJECT, traceRecord } from '../trace-builders.test-support.ts'
import { searchSnippets } from './search-snippets.ts'

const trace = traceRecord(idAt('tr', 1))

test('a snippet is of the text of the hit that has the words, as it was sent', async () => {
  const hit = { traceId: trace.id, position: 0, stepId: newStep(trace, 0).id }
  const snippetOf = async (...texts: readonly string[]) => {
    const store = { findStepHits: async () => [{ ...hit, texts }] }
    return (await searchSnippets(store, PROJECT, [trace.id], ['refund'])).get(trace.id)
  }
  assert.deepEqual(await snippetOf('n', 'Refund sent'), {
    stepId: hit.stepId,
    text: 'Refund sent',
    ranges: [[0, 6]],
  })
  assert.equal(await snippetOf('n'), undefined)
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
