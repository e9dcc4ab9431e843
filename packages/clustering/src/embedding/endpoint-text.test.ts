import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ENDPOINT_TEXT_LENGTH, endpointText } from './endpoint-text.ts'

test('the text has what was asked, then what was done, each name once and without types', () => {
  const done = ['search', 'type:tool', 'search', 'type:tool', 'error:Timeout']
  assert.equal(
    endpointText({ asked: ['refund\n my order', 'now'], done }),
    'refund my order now\nSteps: search, error:Timeout',
  )
  assert.equal(endpointText({ asked: [' \u0000\n'], done: ['plan', 'type:llm'] }), 'Steps: plan')
  assert.equal(endpointText({ asked: ['', '\t'], done: ['type:llm'] }), '')
  assert.equal(endpointText({ asked: [], done: [] }), '')
})

test('the text of any trace is bounded, well-formed and has no control characters but line ends', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 4000 }), { maxLength: 3 })
  fc.assert(
    fc.property(texts, texts, (asked, done) => {
      const text = endpointText({ asked, done })
      assert.ok(text.length <= ENDPOINT_TEXT_LENGTH && text.isWellFormed() && text === text.trim())
      assert.doesNotMatch(text, /[^\P{Cc}\n]/u)
    }),
  )
})
