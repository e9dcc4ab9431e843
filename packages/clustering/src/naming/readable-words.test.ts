import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readableWords as readableWordsBut } from './readable-words.ts'

const readableWords = (text: string) => readableWordsBut(text, () => false)

test('a phrase continues across stop words, not across punctuation', () => {
  assert.deepEqual(readableWords('Please change my flight, basic economy!'), [
    'change',
    'flight',
    null,
    'basic',
    'economy',
    null,
  ])
  assert.deepEqual(readableWords("I don't know what's wrong"), ['wrong'])
  assert.deepEqual(readableWords('the mother-in-law'), ['mother', 'law'])
})

test('words that requests and dates are full of are left out in each supported language', () => {
  assert.deepEqual(readableWords('Hello, could you please help me rent a car on Monday, three days from January?'), [
    'rent',
    'car',
    null,
    'days',
    null,
  ])
  assert.deepEqual(readableWords('ich möchte bitte am Montag einen Termin'), ['termin'])
  assert.deepEqual(readableWords('quiero cancelar mi vuelo del lunes'), ['cancelar', 'vuelo'])
  assert.deepEqual(readableWords('أين هو الطلب'), ['الطلب'])
})

test('anything that identifies single traces is no word and ends a phrase', () => {
  const codes = [
    'sara@example.org',
    'https://example.org/a/b',
    'www.example.org',
    'example.org/help',
    '2024-05-15',
    '15:30',
    '#4711',
    'mia_li_3668',
    'ZFA04Y',
    'HXDUBJ',
    'deadbeef',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    'aGVsbG8gV29ybGQ=',
    '/usr/share/dict',
    'C:\\Temp\\new',
    'xkcdqrt',
    'aaaaargh',
    'a'.repeat(80),
  ]
  for (const code of codes) assert.deepEqual(readableWords(`book ${code} seat`), ['book', null, 'seat'], code)
})

test('capitals are no code where the whole text is in capitals', () => {
  assert.deepEqual(readableWords('CANCEL RESERVATION'), ['cancel', 'reservation'])
})

test('scripts without spaces are cut into words, others kept with their marks', () => {
  assert.deepEqual(readableWords('我想取消订单'), ['取消', '订单'])
  assert.deepEqual(readableWords('отменить бронирование'), ['отменить', 'бронирование'])
  assert.deepEqual(readableWords('إلغاء الحجز'), ['إلغاء', 'الحجز'])
  assert.deepEqual(readableWords('उड़ान रद्द'), ['उड़ान', 'रद्द'])
})

test('the words of any text have only letters and their marks', () => {
  const hostile = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('‮', '​', '', '\ud800', '<script>', '‏', '️', 'Ć̷̛̳̹́', '\r\n', 'change'),
    ),
  )
  fc.assert(
    fc.property(hostile, (parts) => {
      for (const word of readableWords(parts.join(''))) {
        if (word !== null) assert.match(word, /^[\p{L}\p{M}]{1,24}$/u)
      }
    }),
  )
})

test('only the beginning of a text of four megabytes is read', () => {
  assert.ok(readableWords('refund '.repeat(600_000)).length <= 301)
  assert.deepEqual(readableWords('\u0301'.repeat(4_000_000)), [])
})
