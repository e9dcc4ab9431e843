import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findWords } from './find-words.ts'

const marked = (text: string, query: string) =>
  findWords(text, query)
    .map(({ text: part, found }) => (found ? `[${part}]` : part))
    .join('')

test('whole words are found in any letter case and any order', () => {
  assert.equal(marked('Refund request: refund', 'REQUEST refund'), '[Refund] [request]: [refund]')
  assert.equal(marked('refunds', 'refund'), 'refunds')
  assert.equal(marked('order-4711/b', '4711'), 'order-[4711]/b')
  assert.equal(marked('Café au lait', 'cafe\u0301'), '[Café] au lait')
  assert.equal(marked('退款請求', '款'), '退[款]請求')
  assert.equal(marked('refunds unrefund Refund', 'refun*'), '[refunds] unrefund [Refund]')
})

test('an empty query finds nothing, and no part is empty', () => {
  assert.deepEqual(findWords('', 'x'), [])
  assert.deepEqual(findWords('a.b', '.'), [{ text: 'a.b', found: false }])
  assert.deepEqual(findWords('a', 'a'), [{ text: 'a', found: true }])
})
