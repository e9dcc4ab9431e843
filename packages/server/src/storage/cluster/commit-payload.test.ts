import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { decodePlan, encodePlan } from './commit-payload.ts'

const trace = traceRecord(idAt('tr', BEGIN_MS), { metadata: Buffer.from('{"env":1.0}') })
const { said: _said, ...prepared } = preparedStep({ body: Buffer.from('{"metadata":{}}') })
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
  monitorTransitions: [],
  clusterRuns: [],
  quietWaits: [],
}

test('a plan is read as it was written', async () => {
  assert.deepEqual(await decodePlan(await encodePlan(plan)), plan)
})

test('traces by a node of an earlier version have no digest, and so are filled in', async () => {
  const bytes = zstdDecompressSync(await encodePlan(plan))
  const end = 5 + bytes.readUInt32LE(1)
  const description = JSON.parse(bytes.toString('utf8', 5, end)) as { traces: { digest?: unknown }[] }
  delete description.traces[0]!.digest
  const text = Buffer.from(JSON.stringify(description))
  const header = Buffer.from(bytes.subarray(0, 5))
  header.writeUInt32LE(text.length, 1)
  const older = zstdCompressSync(Buffer.concat([header, text, bytes.subarray(end)]))
  assert.equal((await decodePlan(older)).traces[0]?.digest, null)
})
