import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { searchWords } from './search-words.ts'

test('a text is cut into words and prefixes', () => {
  assert.deepEqual(searchWords('Refun* POLICY', true), ['refun*', 'policy'])
  assert.equal(searchWords(null, false), null)
})

test('a text without a word, a prefix of two letters and a service without search are refused', () => {
  for (const [text, detail] of [
    ['*!', /no word/],
    ['policy re*', /re\* needs at least 3 letters/],
  ] as const) {
    assert.throws(
      () => searchWords(text, true),
      (error) =>
        error instanceof DomainError && error.code === 'validation_failed' && detail.test(JSON.stringify(error)),
    )
  }
  assert.throws(
    () => searchWords('policy', false),
    (error) => error instanceof DomainError && error.code === 'full_text_disabled',
  )
})
