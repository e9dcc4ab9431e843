import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import type { StepRecord } from '../ports/traces/step-record.ts'
import { toStep, toStepRow } from './step-to-wire.ts'

const COST = { usd: 0.25, source: 'price' } as const

const step: StepRecord = {
  id: 'st_1' as StepId,
  position: 0,
  name: 'a "quoted" name',
  type: 'llm',
  model: null,
  status: 'ok',
  startedAt: 1,
  endedAt: null,
  receivedAt: 2,
  parentStepId: null,
  parentInferred: true,
  tokenUsage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, more: null },
  idempotencyKey: null,
  body: '{}',
}

test('members of the body are returned byte for byte', () => {
  const body = '{ "metadata" : {"n":1.50, "big":12345678901234567890} ,"messages":[ ] }'
  const text = toStep({ step: { ...step, body }, attachments: [] }, COST, undefined)
  assert.ok(text.includes('"metadata" : {"n":1.50, "big":12345678901234567890} ,"messages":[ ]'))
})

test('a step of a list has the time to its first token, if its metadata says it', () => {
  const rowOf = (metadata: object) => {
    const body = JSON.stringify({ metadata })
    return toStepRow({ traceId: 'tr_1' as TraceId, traceName: 'run', tools: [], step: { ...step, body } }, COST)
  }
  assert.equal(rowOf({ time_to_first_token_ms: 40 }).time_to_first_token_ms, 40)
  assert.equal(rowOf({ other: 40 }).time_to_first_token_ms, null)
})

test('every member that was sent is present, and no other', () => {
  const members = {
    messages: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
    token_usage: fc.constant({ input: 1 }),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
    error: fc.record({ message: fc.string() }),
  }
  fc.assert(
    fc.property(fc.record(members, { requiredKeys: [] }), fc.nat(2), (sent, indent) => {
      const text = toStep(
        { step: { ...step, body: JSON.stringify(sent, null, indent) }, attachments: [] },
        COST,
        undefined,
      )
      const returned: Record<string, unknown> = JSON.parse(text)
      assert.equal(returned['id'], step.id)
      assert.equal(returned['cost_usd'], 0.25)
      const kept = Object.fromEntries(
        Object.keys(members).flatMap((key) => (key in returned ? [[key, returned[key]]] : [])),
      )
      assert.deepEqual(kept, JSON.parse(JSON.stringify(sent)))
    }),
  )
})
