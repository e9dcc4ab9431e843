import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { Trace } from './trace.ts'
import type { Step } from './step.ts'

const at = '2026-01-31T12:00:00.000Z'

const step: Step = {
  id: 'st_01jv8m0000e00880000000000a',
  position: 0,
  name: 'answer',
  type: 'llm',
  model: null,
  status: 'ok',
  started_at: null,
  ended_at: null,
  received_at: at,
  parent_step_id: null,
  parent_inferred: true,
  idempotency_key: null,
  cost_usd: 0.00161,
  cost_source: 'price',
  usage_counted_on: null,
  attachments: [],
}

const trace: Trace = {
  id: 'tr_01jv8m0000e00880000000000a',
  name: 'support agent',
  run_type: 'agent',
  state: 'committed',
  status: 'ok',
  recovered_errors: 0,
  finding_kinds: [],
  wasted_tokens: 0,
  metadata: { env: 'prod', nested: { deep: [1, null] } },
  growing: false,
  root_seen: true,
  created_at: at,
  updated_at: at,
  duration_ms: null,
  step_count: 1,
  models: [],
  token_usage: { input: 0, output: 0, total: 0, cache_read: 0, cache_write: 0, reasoning: 0 },
  session_id: null,
  user_id: null,
  attachment_count: 0,
  input_preview: 'hello',
  output_preview: null,
  started_at: null,
  ended_at: null,
  flag_reason: null,
  masked: {},
  findings: [],
  steps: [step],
  attachments: [],
  metric_events: [],
  cost_usd: 0.00161,
  unpriced_models: ['house-model'],
}

const schema = Compile(Trace)

test('a whole trace matches its schema; fields that a step was not sent with are absent', () => {
  assert.ok(schema.Check(trace))
})

test('the schema allows extra fields where the request schema is open', () => {
  const message = { role: 'tool', content: [{ type: 'json', data: { any: 'thing' } }], tool_call_id: 'c1' }
  assert.ok(
    schema.Check({
      ...trace,
      steps: [{ ...step, messages: [message], metadata: { k: [1] }, token_usage: { input: 3 } }],
    }),
  )
})

test('refuses an answer with a missing or an undescribed field', () => {
  const { flag_reason: _, ...withoutReason } = trace
  assert.equal(schema.Check(withoutReason), false)
  assert.equal(schema.Check({ ...trace, project_id: 'proj_x' }), false)
  assert.equal(schema.Check({ ...trace, steps: [{ ...step, body: '{}' }] }), false)
  assert.equal(schema.Check({ ...trace, created_at: '2026-01-31T12:00:00Z' }), false)
})
