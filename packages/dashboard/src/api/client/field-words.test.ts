import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldWords } from './field-words.ts'

test('the problem of a field says what to enter', () => {
  const expected = [
    ['/name', 'too_short', 'It must not be empty.', 'Enter a name.'],
    ['/url', 'too_short', 'It must not be empty.', 'Enter a URL.'],
    ['/description', 'too_short', 'It must not be empty.', 'Enter a value.'],
    ['/secret', 'too_short', 'It must have at least 24 characters.', 'It must have at least 24 characters.'],
    ['/threshold', 'wrong_type', 'It must be a number, not a string.', 'Enter a number.'],
    ['/consecutive', 'wrong_type', 'It must be an integer, not a fraction.', 'Enter a whole number.'],
    ['/k_min', 'out_of_range', 'It must be >= 2.', 'Enter at least 2.'],
    ['/k_max', 'out_of_range', 'It must be <= 50.', 'Enter at most 50.'],
    [
      '/threshold',
      'out_of_range',
      '`gt` never holds: a share lies between 0 and 1.',
      'It would never fire: a share lies between 0 and 1.',
    ],
    ['/name', 'invalid_value', '`events` is reserved.', '`events` is reserved.'],
  ] as const
  for (const [pointer, code, detail, words] of expected) assert.equal(fieldWords({ pointer, code, detail }), words)
})
