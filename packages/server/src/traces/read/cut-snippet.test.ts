import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutSnippet } from './cut-snippet.ts'

/** With the words in brackets. */
function cut(texts: readonly string[], ...words: string[]): string | null {
  const found = cutSnippet(texts, words)
  if (found === null) return null
  const { text, ranges } = found
  return ranges.reduceRight(
    (all, [start, end]) => `${all.slice(0, start)}[${all.slice(start, end)}]${all.slice(end)}`,
    text,
  )
}

test('a snippet is the text around the first word, on one line, as it was written', () => {
  assert.equal(cut(['Please\n  Refund my\tflight.'], 'refund'), 'Please [Refund] my flight.')
  const long = `${'before '.repeat(50)}the Refund ${'after '.repeat(50)}`
  const snippet = cut([long], 'refund')
  assert.match(snippet ?? '', /^…before .* the \[Refund\] after .* after…$/)
  assert.ok((snippet ?? '').length <= 165)
  const endless = cut([`${'x'.repeat(500)} refund${'.y'.repeat(500)}`], 'refund') ?? ''
  assert.match(endless, /^…\[refund\]\.y/)
  assert.ok(endless.length <= 165)
})

test('words are whole, a prefix marks the whole word, and all are marked', () => {
  assert.equal(cut(['refunds, unrefund, refund!'], 'refund'), 'refunds, unrefund, [refund]!')
  assert.equal(cut(['refundable unrefund REFUNDED'], 'refun*'), '[refundable] unrefund [REFUNDED]')
  assert.equal(cut(['a refund of the flight, a Refund'], 'flight', 'refund'), 'a [refund] of the [flight], a [Refund]')
  assert.equal(cut(['{"booking":"EHGLN6"}'], 'ehgln6'), '{"booking":"[EHGLN6]"}')
})

test('of several texts it is the first with the most words', () => {
  assert.equal(cut(['refund', 'flight refund', 'refund flight'], 'refund', 'flight'), '[flight] [refund]')
  assert.equal(cut(['none', ''], 'refund'), null)
})

test('words that the index writes in another way are found in its form', () => {
  assert.equal(cut(['Un Café, CAFE'], 'cafe'), 'Un [Café], [CAFE]')
  assert.equal(cut(['cafe\u0301 Noir'], 'café'), '[café] noir')
  assert.equal(cut(['東京タワー'], '京'), '東 [京] タ ワー'.replace('ワー', 'ワ ー'))
  assert.equal(cut(['İ Refund'], 'refund'), 'i̇ [refund]')
})
