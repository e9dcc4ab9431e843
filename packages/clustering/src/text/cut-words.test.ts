import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutWords } from './cut-words.ts'
import { stemWord } from './stem-word.ts'

test('inflections of a word have one stem', () => {
  for (const forms of [
    ['change', 'changes', 'changed', 'changing'],
    ['flight', 'flights'],
    ['book', 'booking', 'booked', 'books'],
    ['city', 'cities'],
    ['transfer', 'transferred', 'transferring'],
    ['pass', 'passes', 'passed'],
    ['cancel', 'cancels', 'canceling', 'canceled'],
  ]) {
    assert.equal(new Set(forms.map(stemWord)).size, 1, `${forms.map(stemWord).join(' ')}`)
  }
})

test('words that only look inflected, and those of other alphabets, stay', () => {
  for (const word of ['bus', 'ring', 'this', 'seed', 'gas', 'größen', 'билеты']) assert.equal(stemWord(word), word)
})

test('case is ignored, digits become 0, single letters are left out', () => {
  assert.deepEqual(cutWords("I can't open FILE-17 of user_2305").runs, ['can', 'open', 'file', '0', 'of', 'user', '0'])
  assert.deepEqual(cutWords('Ｆｌｉｇｈｔ ١٢ naïve').words, ['flight', '0', 'naïve'])
})

test('scripts without spaces are cut into pairs and Han characters; n-grams see the whole run', () => {
  assert.deepEqual(cutWords('東京の天気'), {
    words: ['東', '京', '天', '気', '東京', '京の', 'の天', '天気'],
    runs: ['東京の天気'],
  })
  assert.deepEqual(cutWords('iPhone修理').runs, ['iphone', '修理'])
})

test('marks stay with their letters', () => {
  assert.deepEqual(cutWords('नमस्ते दुनिया').words, ['नमस्ते', 'दुनिया'])
})

test('any text is cut, in time that grows with its length, into words of bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const word of cutWords(text).words) assert.ok(word.length > 0 && word.length <= 32)
    }),
  )
  assert.equal(cutWords(`a${'\u0301\u0323'.repeat(100_000)}`).words.length, 1)
  assert.equal(cutWords('x'.repeat(100_000)).runs[0]!.length, 32)
})
