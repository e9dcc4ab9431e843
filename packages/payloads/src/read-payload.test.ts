import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FORMS } from './fixtures/forms.ts'
import type { Message } from './forms/message-forms.ts'
import { printMessage } from './print-message.ts'
import { readPayload } from './read-payload.ts'

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

for (const { form, by, payload, side, reader = 'model', says, rest = [], usage } of FORMS.flatMap(
  ({ fixtures }) => fixtures,
)) {
  test(`${form} (${by})`, () => {
    // Attributes have a payload as a text of JSON or as a value.
    for (const sent of [payload, typeof payload === 'string' ? payload : JSON.stringify(payload)]) {
      const read = readPayload(sent, side, reader)
      assert.deepEqual(read.messages.map(printMessage), says)
      assert.deepEqual(Object.keys(read.rest ?? {}), rest)
      assert.deepEqual(read.usage, usage === undefined ? null : { ...NO_TOKENS, ...usage })
    }
  })

  test(`${form} (${by}): reading what is stored changes nothing`, () => {
    const { messages } = readPayload(payload, side, reader)
    const stored = JSON.parse(JSON.stringify(messages)) as readonly Message[]
    assert.deepEqual(stored.map(printMessage), says)
    if (reader !== 'model' || messages.length === 0) return
    assert.deepEqual(readPayload(stored, side, 'model').messages.map(printMessage), says)
  })
}
