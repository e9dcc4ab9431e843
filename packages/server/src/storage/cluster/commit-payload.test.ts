import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { decodePlan, encodePlan } from './commit-payload.ts'

const trace = traceRecord(idAt('tr', BEGIN_MS), { metadata: Buffer.from('{"env":1.0}') })
const { said, ...others } = preparedStep({ body: Buffer.from('{"metadata":{}}') })
const prepared = { ...others, said: { errorType: said.errorType } }
const plan = {
  version: 1,
  traces: [trace],
  steps: [newStep(trace, 0, { prepared })],
  metricEvents: [],
  committedAt: BEGIN_MS,
  lastTraceId: trace.id,
  projects: [],
  traceKeys: [],
  stepKeys: [],
  metricEventKeys: [],
  superseded: [],
  attachments: [],
  deleted: [],
  removedEvents: [],
  monitorTransitions: [],
  onceEvents: [],
  quietWaits: [],
}

test('a plan is read as it was written, without what its steps say', async () => {
  const steps = plan.steps.map((step) => ({ ...step, prepared: { ...step.prepared, said } }))
  assert.deepEqual(await decodePlan(await encodePlan({ ...plan, steps })), plan)
})

test('a large plan, which a thread compresses, is read as it was written too', async () => {
  const body = Buffer.from(JSON.stringify({ text: randomBytes(100_000).toString('hex') }))
  const steps = [newStep(trace, 0, { prepared: { ...prepared, said, body } })]
  const read = await decodePlan(await encodePlan({ ...plan, steps }))
  assert.deepEqual(read.steps[0]?.prepared.body, body)
})
