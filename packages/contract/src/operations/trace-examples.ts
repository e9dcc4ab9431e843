import type { OperationRequest } from './operation.ts'

const llmStep = {
  name: 'answer',
  type: 'llm',
  model: 'gpt-4o',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Where is my order?' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'It arrives on Tuesday.' }] },
  ],
  token_usage: { input: 412, output: 58, cache_read: 256 },
  started_at: '2026-01-31T12:00:00.150Z',
  ended_at: '2026-01-31T12:00:01.480Z',
}

const retrievalStep = {
  name: 'search orders',
  type: 'retrieval',
  metadata: { top_k: 5 },
  started_at: '2026-01-31T12:00:00.020Z',
  ended_at: '2026-01-31T12:00:00.140Z',
}

const failedStep = {
  name: 'send mail',
  type: 'tool',
  status: 'error',
  error: { type: 'TimeoutError', message: 'no answer within 5 s' },
  idempotency_key: 'run-7-step-3',
}

export const TRACE_EXAMPLES = {
  small: { summary: 'The smallest trace', value: { name: 'answer a question' } },
  run: {
    summary: 'A run of an agent with two steps',
    value: {
      name: 'support agent',
      run_type: 'agent',
      metadata: { env: 'prod', attempt: 1 },
      session_id: 'conversation-42',
      user_id: 'customer-7',
      steps: [retrievalStep, llmStep],
    },
  },
} as const satisfies OperationRequest['examples']

export const STEP_LINE_EXAMPLES = {
  lines: {
    summary: 'Two steps, one per line; the second is safe to retry',
    value: `${JSON.stringify(llmStep)}\n${JSON.stringify(failedStep)}\n`,
  },
} as const satisfies OperationRequest['examples']

export const PART_EXAMPLES = {
  run: {
    summary: 'A trace of one step that was flagged',
    value: {
      id: 'tr_01kg9vk5a0e2bsvpqm6s4n8r3c',
      from: 0,
      flagged: true,
      flag_reason: 'the answer was made up',
      trace: {
        name: 'support agent',
        run_type: 'agent',
        steps: [{ id: 'st_01kg9vk5a1f3crwqrn7t5p9s4d', ...retrievalStep }],
      },
    },
  },
} as const satisfies OperationRequest['examples']

export const PATCH_EXAMPLES = {
  flag: { summary: 'Flag it for review', value: { flagged: true, reason: 'the answer was made up' } },
  fail: { summary: 'Mark it failed', value: { status: 'error', reason: 'the customer came back' } },
} as const satisfies OperationRequest['examples']
