import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { failureText, mayAnswer, PREVIEW_LENGTH, toPreview } from './said-text.ts'

test('a model and an agent answer, a tool and an evaluator do not', () => {
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
