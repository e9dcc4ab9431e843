import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonString, jsonText, objectText } from '../../../lib/json/json-arbitraries.test-support.ts'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { BETWEEN_TEXTS, cutBody, wholeBody } from './cut-body.ts'

const LONG = 'a sentence of more than two dozen letters'
const STRANGE = `“${LONG}” \\ "quoted"\n\u0001\u0002 ’5`

function stored(body: string, texts: readonly string[]) {
  const printed = texts.map((text) => JSON.stringify(text))
  const cut = cutBody(Buffer.from(body), texts, printed)
  if (cut !== null) assert.equal(wholeBody(cut, texts.join(BETWEEN_TEXTS)), body)
  return cut
}

test('long texts are in a body by their number, whether they were printed in ASCII or not', () => {
  const messages = [{ role: 'user', content: LONG }, { content: [{ text: STRANGE }, { text: 'short' }] }]
  const texts = searchableTexts({ name: 'step', messages })
  assert.equal(
    stored(JSON.stringify({ messages }), texts),
    '{"messages":[{"role":"user","content":\u00011\u0001},{"content":[{"text":\u00012\u0001},{"text":"short"}]}]}',
  )
  const ascii = JSON.stringify({ messages }).replace(
    /[\x80-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  )
  assert.equal(stored(ascii, texts)?.split('\u0002').length, 3)
})

test('a body stays whole without a long text, when a text has what stands between them, and when it is large', () => {
  for (const texts of [['short'], [LONG, BETWEEN_TEXTS], [`${LONG}\ud800`], ['x'.repeat(2_000_000)]]) {
    assert.equal(stored(JSON.stringify({ messages: texts }), texts), null)
  }
})

test('many texts that are not in it cost a few searches', () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `${LONG} ${at}`)
  assert.equal(stored(JSON.stringify({ filler: 'x'.repeat(900_000) }), texts), null)
  assert.equal(stored(JSON.stringify({ messages: texts }), texts)?.includes(LONG), false)
})

test('every body is restored byte for byte, whatever its texts are', () => {
  const longText = fc.string({ unit: 'binary', minLength: 20, maxLength: 60 })
  const text = fc.oneof(
    longText,
    fc.constantFrom(LONG, STRANGE),
    jsonString.map((json) => JSON.parse(json) as string),
  )
  fc.assert(
    fc.property(objectText(jsonString, jsonText), fc.array(text), fc.boolean(), (other, texts, doubled) => {
      const messages = doubled ? [...texts, ...texts] : texts
      stored(`{"a":${other},"messages": ${JSON.stringify(messages)} }`, texts)
      stored(JSON.stringify({ nested: JSON.stringify(messages), messages }), texts)
    }),
    { numRuns: 2000 },
  )
})
