import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WEBHOOK_EVENTS } from '@spoor/contract/schemas/webhook-event'
import { Compile } from 'typebox/compile'
import { EVENTS, storedBodies } from './event-bodies.test-support.ts'

const VALIDATORS = new Map(Object.entries(WEBHOOK_EVENTS).map(([type, schema]) => [type, Compile(schema)]))

async function bodiesOf(metadata: string): Promise<readonly { readonly type: string; readonly data: object }[]> {
  return (await storedBodies(metadata)).map((body) => JSON.parse(Buffer.from(body).toString()))
}

for (const [size, metadata] of [
  ['small', '{"env":"prod"}'],
  ['cut', JSON.stringify({ text: 'x'.repeat(30_000) })],
] as const) {
  test(`the body of an event that is ${size} matches its schema in the OpenAPI document`, async () => {
    const bodies = await bodiesOf(metadata)
    assert.deepEqual(
      bodies.map(({ type }) => type),
      EVENTS.map(({ type }) => type),
    )
    for (const body of bodies) {
      const validator = VALIDATORS.get(body.type)!
      assert.deepEqual([body.type, [...validator.Errors(body)]], [body.type, []])
      assert.equal('truncated' in body.data, size === 'cut' && /^(trace|metric.event)/.test(body.type), body.type)
    }
  })
}

test('a body without a field, or of another type, does not match', async () => {
  const [body] = await bodiesOf('{}')
  const validator = VALIDATORS.get('trace.committed')!
  assert.ok(validator.Check(body))
  assert.equal(validator.Check({ ...body, data: {} }), false)
  assert.equal(VALIDATORS.get('trace.flagged')!.Check(body), false)
})
