import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hasQueryWords,
  searchedWords,
  toFoundWords,
  toOtherWords,
  toQueryWords,
  toSearchText,
  toSearchWords,
} from './search-text.ts'

/** As the index: capitals of ASCII become small, and all else of ASCII that is no letter or digit is a boundary. */
function indexTokens(text: string): string[] {
  const small = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  // oxlint-disable-next-line no-control-regex -- the ASCII range begins there
  return small.split(/[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/).filter((token) => token !== '')
}

const words = fc.constantFrom(
  'Hello',
  'naïve',
  'nai\u0308ve',
  'ΟΔΟΣ',
  'ΣΟΦΟΣ',
  'İstanbul',
  '東京タワー',
  'สวัสดี',
  'it’s',
  'foo—bar',
  'x_y',
  'K',
  '\ud800',
  '😀',
  '42',
  'Straße',
  '한국어',
)

test('text is normalised into words', () => {
  for (const [query, expected] of [
    ['Refund NOT allowed!', ['refund', 'not', 'allowed']],
    ['tool_call(x-1) x', ['tool', 'call', 'x', '1']],
    ['Café “naïve”…', ['café', 'naïve']],
    ['cafe\u0301', ['café']],
    ['東京 tower', ['東', '京', 'tower']],
    ['сделано в Москве', ['сделано', 'в', 'москве']],
    ['ΟΔΟΣ', ['οδοσ']],
    ['!? — …', []],
    ['', []],
    ['😀 ok', ['😀', 'ok']],
    ['❤\ufe0f👍🏽🇩🇪', ['❤', '👍', '🇩🇪']],
    ['Foo™ © 2026', ['foo', '2026']],
  ] as const) {
    assert.deepEqual(toSearchWords(query), expected, query)
  }
})

test('a query keeps the mark of its prefixes', () => {
  for (const [query, expected] of [
    ['Refun* policy', ['refun*', 'policy']],
    ['refun*d re *fun', ['refun*', 'd', 're', 'fun']],
    ['東* *', ['東']],
    ['Straß*', ['straß*']],
    ['a* a a*', ['a*', 'a']],
  ] as const) {
    assert.deepEqual(toQueryWords(query), expected, query)
  }
  const found = new Set(['refunded', 'policy'])
  assert.ok(hasQueryWords(found, ['refun*', 'policy']))
  assert.ok(!hasQueryWords(found, ['fund*']))
  assert.ok(!hasQueryWords(found, ['refun']))
})

test('every word of a text finds it, whatever surrounds the word', () => {
  const separator = fc.constantFrom(' ', '\n', ', ', '。', '\u00a0', '—', '_')
  fc.assert(
    fc.property(fc.array(fc.tuple(words, separator), { minLength: 1 }), fc.nat(), (pieces, pick) => {
      const text = pieces.flat().join('')
      const tokens = new Set(indexTokens(`${text} ${toOtherWords([text])}`))
      const inMemory = searchedWords({ texts: [text], otherWords: toOtherWords([text]) })
      const [word] = pieces[pick % pieces.length]!
      for (const queried of toSearchWords(word)) {
        assert.ok(tokens.has(queried), `${word} → ${queried}`)
        assert.ok(inMemory.has(queried), `${word} → ${queried}, in memory`)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a query is split into words as the index splits text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const searchText = toSearchText(text)
      assert.ok(searchText.isWellFormed())
      assert.deepEqual(toSearchWords(text), [...new Set(indexTokens(searchText))])
    }),
  )
})

test('a text adds only the words that the index does not see in it', () => {
  for (const [text, added] of [
    ['Refund NOT allowed', ''],
    ['Café naïve', 'cafe naive'],
    ['ÉCOLE “Books” cafe\u0301', 'école books café ecole cafe'],
    ['東京', '東 京'],
    ['한국어', ''],
    ['क्षेत्र', ''],
    ['Ελλάδα', 'ελλάδα ελλαδα'],
    ['paid 1,234.56 of 12,345,678', '1234 12345678'],
    ['1,23 12,3456 1234,567 1,234,', ''],
    ['[100,200,300,400,500,600,700]', ''],
    ['done🎉', 'done 🎉'],
    ['🎉 and ❤\ufe0f', '❤'],
  ] as const) {
    assert.equal(toOtherWords([text]), added)
  }
})

test('words without accents find those with them, and those with them only themselves', () => {
  const found = (text: string, query: string) =>
    hasQueryWords(searchedWords({ texts: [text], otherWords: toOtherWords([text]) }), toQueryWords(query))
  assert.deepEqual(
    ['cafe', 'CAFÉ', 'cafe\u0301', 'caf*', 'cafè'].map((query) => found('Un café!', query)),
    [true, true, true, true, false],
  )
  assert.deepEqual([found('cafe', 'café'), found('Müller', 'muller'), found('ёлка', 'елка')], [false, true, true])
  assert.deepEqual([found('cost 1,234.56', '1234.56'), found('cost 1,234.56', '1,234.56')], [true, true])
  assert.deepEqual([found('done 🎉', '🎉'), found('done🎉', '🎉'), found('done', '🎉')], [true, true, false])
  assert.deepEqual(toFoundWords('Café 1,000'), ['café', '1', '000', 'cafe', '1000'])
})

test('adjacent texts are not joined into one word', () => {
  assert.deepEqual([...searchedWords({ texts: ['plan', 'Book'], otherWords: '' })], ['plan', 'book'])
})

test('a long run of combining marks is cut in texts and queries alike, so that normalising stays linear', () => {
  const hostile = `a${'\u0301\u0316'.repeat(500_000)} b`
  const found = toSearchWords(hostile)
  assert.deepEqual(
    found.map((word) => word.length <= 31),
    [true, true],
  )
  assert.deepEqual(toOtherWords([hostile]).split(' '), [found[0], 'a'])
  assert.equal(toOtherWords([`${'a'.repeat(5_000_000)} é`]), 'e')
})
