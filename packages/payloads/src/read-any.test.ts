import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FORMS } from './fixtures/forms.ts'
import { toPart } from './forms/part-forms.ts'
import { readPayload } from './read-payload.ts'
import { firstRequest, lastAnswer } from './said.ts'
import { searchableTexts } from './searchable-texts.ts'

/** Names of members that the forms have, and values of their types and kinds. */
const NAMES = new Set<string>()
const WORDS = new Set<string>(['', '{}', '[1]', 'data: {}', '\u0000'])
collect(FORMS.flatMap(({ fixtures }) => fixtures.map(({ payload }) => payload)))

function collect(value: unknown): void {
  if (typeof value === 'string') WORDS.add(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) NAMES.add(name)
    collect(inner)
  }
}

/** JSON that resembles the forms: their names and words in random combinations. */
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(...WORDS),
    fc.constantFrom(null, true, 0, -1, 1.5),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value

/** A fixture in which one value is another. */
const damaged = fc
  .tuple(fc.constantFrom(...FORMS.flatMap(({ fixtures }) => fixtures)), fc.nat(200), anyJson)
  .map(([{ payload }, at, other]) => {
    let count = 0
    return JSON.parse(JSON.stringify(payload), (_name, value: unknown) => (count++ === at ? other : value)) as unknown
  })

test('any value is read, as messages that the API would take', () => {
  fc.assert(
    fc.property(
      fc.oneof(anyJson, damaged),
      fc.constantFrom('input' as const, 'output' as const),
      fc.constantFrom('model' as const, 'tool' as const, 'retriever' as const),
      (value, side, reader) => {
        const { messages, usage } = readPayload(value, side, reader)
        for (const { role, content = [] } of messages) {
          assert.equal(typeof role, 'string')
          for (const part of content) {
            assert.equal(typeof part.type, 'string')
            assert.ok(part['text'] === undefined || typeof part['text'] === 'string', JSON.stringify(part))
          }
        }
        for (const count of Object.values(usage ?? {})) assert.ok(Number.isSafeInteger(count) && count >= 0)
        assert.ok([firstRequest(messages), lastAnswer(messages)].every((one) => one === null || one.trim() !== ''))
        searchableTexts({ name: 'step', messages })
      },
    ),
    { numRuns: 2000 },
  )
})

test('a stored part stays as it is when it is read again', () => {
  fc.assert(
    fc.property(fc.oneof(anyJson, damaged), (value) => {
      for (const { content = [] } of readPayload(value, 'input', 'model').messages)
        for (const part of content) assert.deepEqual(toPart(part), [part])
    }),
    { numRuns: 2000 },
  )
})
