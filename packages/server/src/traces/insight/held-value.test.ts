import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsValue, SearchedText } from './held-value.ts'

const holds = (value: unknown, text: string) => holdsValue(value)?.(new SearchedText(text))

for (const [value, text] of [
  ['Mia Li', 'the user mia_li_3668'],
  ['one_way', 'a one way trip'],
  ['zürich', 'from Z\\u00fcrich'],
  ['Rome', 'to\\nRome, please'],
  ['北京市', '到北京市的航班'],
  [1234.5, 'it costs $1,234.50.'],
  ['$1,234.50', '{"amount": 1234.5}'],
  [375, 'costs 375, not more'],
  ['12345678901234567890', 'order 12345678901234567890'],
  ['2024-05-09', 'on May 9'],
  ['2024-05-09', 'on the 9th of May, 2024.'],
  ['2024-05-09', 'at 2024-05-09T10:00:00Z'],
  ['05/09/2024', '{"date": "2024-05-09"}'],
  ['Sept 9, 2024', 'on 9 September 2024'],
  ['May 9', '2024-05-09'],
  ['555-123-4567', 'call (555) 123 4567'],
  ['ABC-123', 'code abc123'],
] as const) {
  test(`${value} is held by: ${text}`, () => assert.equal(holds(value, text), true))
}

for (const [value, text] of [
  ['Rome', 'Romeo'],
  [375, 'costs 3750, or 1375, or 375.5'],
  ['one way', 'the one and only way'],
  ['2024-05-09', 'on May 9, 2023'],
  ['2024-05-09', 'on May 19'],
  ['2024-05-09', '5 9'],
  ['ABC-123', 'code abc 124'],
] as const) {
  test(`${value} is not held by: ${text}`, () => assert.equal(holds(value, text), false))
}

test('short values, long texts and other values are not searched', () => {
  for (const value of [
    'ab',
    12,
    '---',
    true,
    null,
    'a long text that a model wrote by itself has more than twelve words',
  ]) {
    assert.equal(holdsValue(value), null)
  }
})
