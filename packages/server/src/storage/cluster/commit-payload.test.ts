import assert from 'node:assert/strict'
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
