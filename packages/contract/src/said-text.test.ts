import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { failureText, firstRequest, lastAnswer, mayAnswer, PREVIEW_LENGTH, toPreview } from './said-text.ts'

const said = (role: string, ...texts: string[]) => ({ role, content: texts.map((text) => ({ type: 'text', text })) })

test('the request is the first text of a user, the answer the last of a model', () => {
  const messages = [
    said('system', 'be kind'),
    said('user', ' '),
    said('Human', 'first', 'and more '),
    said('assistant', 'hm'),
    said('user', 'then?'),
    { role: 'assistant', content: [{ type: 'output_text', text: 'last' }] },
    { role: 'assistant', content: [] },
    said('tool', 'done'),
  ]
  assert.equal(firstRequest(messages), 'first\n\nand more')
  assert.equal(lastAnswer(messages), 'last')
  assert.deepEqual([firstRequest([said('system', 'x')]), lastAnswer([said('user', 'x')])], [null, null])
})

test('messages of any shape are accepted; calls written as text are no answers', () => {
  for (const value of [
    undefined,
    null,
    7,
    'x',
    {},
    [null, 7, [], {}, { role: 7 }, { role: 'user', content: [null, 7, {}] }],
  ]) {
    assert.deepEqual([firstRequest(value), lastAnswer(value)], [null, null])
  }
  assert.equal(firstRequest([{ role: 'user', content: 'plain' }]), 'plain')
  assert.equal(firstRequest([{ role: 'user', content: ['a', { type: 'image', text: 'b' }] }]), 'a')
  const call = '{"tool_call": "search", "arguments": "{}"}'
  assert.equal(lastAnswer([said('assistant', 'before'), said('assistant', call)]), 'before')
  assert.equal(lastAnswer([said('assistant', 'a "tool_call" of {')]), 'a "tool_call" of {')
  assert.deepEqual(
    [mayAnswer('llm'), mayAnswer('agent'), mayAnswer('tool'), mayAnswer('evaluator')],
    [true, true, false, false],
  )
})

test('a failure says its type and its message', () => {
  assert.equal(failureText({ type: 'TimeoutError', message: 'It took too long.' }), 'TimeoutError: It took too long.')
  assert.equal(failureText({ message: 'Only this.' }), 'Only this.')
  for (const nothing of [undefined, null, {}, { type: ' ' }, 'text']) assert.equal(failureText(nothing), null)
})

test('a preview is one line of at most 240 characters', () => {
  assert.equal(toPreview('  one\n\n two\t three '), 'one two three')
  assert.equal(toPreview('\u001b[1;31mred\u001b[0m\0 alert\u0007'), 'red alert')
  assert.equal(toPreview('x'.repeat(PREVIEW_LENGTH)), 'x'.repeat(PREVIEW_LENGTH))
  assert.equal(toPreview('x'.repeat(PREVIEW_LENGTH + 1)), `${'x'.repeat(PREVIEW_LENGTH - 3)}...`)
  const far = `${' '.repeat(5000)}here`
  assert.equal(toPreview(far), 'here')
  // The last character would be cut in two.
  const cut = toPreview(`${'x'.repeat(PREVIEW_LENGTH - 4)}🜁🜁🜁`)
  assert.equal(cut, `${'x'.repeat(PREVIEW_LENGTH - 4)}...`)
})

test('every preview is valid Unicode within its length, and equal to its own preview', () => {
  const text = fc.string({
    unit: fc.constantFrom(' ', '\n', 'a', '🜁', '\ud83d', '\u00a0', '\u001b', '[', 'm', '東'),
    maxLength: 1200,
  })
  fc.assert(
    fc.property(text, (value) => {
      const preview = toPreview(value)
      assert.ok(preview.length <= PREVIEW_LENGTH)
      assert.ok(preview.isWellFormed())
      assert.doesNotMatch(preview, /^\s|\s$|\s\s|[\n\t]/)
      assert.equal(toPreview(preview), preview)
    }),
  )
})
