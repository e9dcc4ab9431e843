import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundIn } from './found-in.ts'

const snippet = { step_id: 'st_1', text: 'Please Refund my flight', ranges: [[7, 13]] }

test('a trace opens at the step that was found, with the phrase or the first word', () => {
  assert.deepEqual(foundIn(snippet, 'refund MY'), { step: 'st_1', q: 'refund MY' })
  assert.deepEqual(foundIn(snippet, 'flight refund'), { step: 'st_1', q: 'Refund' })
  assert.deepEqual(foundIn(snippet, 'refun*'), { step: 'st_1', q: 'refun' })
})

test('without a found step it opens as ever', () => {
  assert.deepEqual(foundIn(null, 'refund'), {})
  assert.deepEqual(foundIn(undefined, undefined), {})
  assert.deepEqual(foundIn({ ...snippet, ranges: [] }, 'refund'), {})
})
