import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf } from './failure-causes.ts'
import type { StepText } from './trace-text.ts'

function step(own: Partial<StepText>): StepText {
  return {
    name: 'x',
    type: 'tool',
    failed: false,
    errorType: null,
    errorMessage: null,
    tools: [],
    messages: [],
    ...own,
  }
}
const failed = (errorType: string | null, errorMessage: string | null) =>
  step({ failed: true, errorType, errorMessage })
const says = (role: string, ...texts: string[]) => step({ messages: [{ role, texts }] })

test('the causes are the errors of the first and the last failed step, once if they are alike', () => {
  const [one, other, last] = [failed('A', 'one'), failed('B', null), failed(null, 'three')]
  assert.deepEqual(causesOf([step({}), one, other, last, says('assistant', 'sorry')]), ['A: one', 'three'])
  assert.deepEqual(causesOf([failed('A', 'job 17 ended'), failed('A', 'job 18 ended')]), ['A: job ended'])
  assert.deepEqual(causesOf([failed(null, null), other]), ['B'])
})

test('without an error the cause is the last answer', () => {
  assert.deepEqual(causesOf([says('assistant', 'one'), says('AI', 'two', 'three'), says('tool', 'four')]), [
    'two three',
  ])
  assert.deepEqual(causesOf([says('user', 'one'), failed(null, null)]), [])
})

test('a status of HTTP stays at the end of a sentence', () => {
  for (const status of ['429', '503'])
    assert.match(causesOf([failed(null, `Request 17 failed with status code ${status}.`)])[0]!, new RegExp(status))
})

test('numbers, ids, addresses and paths are left out, statuses of HTTP are not', () => {
  const message =
    'GET https://api.test/v1/orders?id=7 of user mia_li_3668 returned 503, see /var/log/app.log or C:\\logs\\a.txt (550e8400-e29b-41d4-a716-446655440000, 1,234.5 ms, 0x7f)'
  const [cause] = causesOf([failed(null, message)])
  assert.equal(
    cause!
      .replaceAll(/[^\w ]/g, '')
      .replaceAll(/ +/g, ' ')
      .trim(),
    'GET of user returned 503 see or ms',
  )
})
