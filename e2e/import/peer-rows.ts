/** Rows as the documents of Langfuse and LangSmith describe their exports. */

const START = '2026-11-20 10:00:00'
export const langfuseTrace = (name: string) => ({
  id: `trace of ${name}`,
  timestamp: `${START}.000000`,
  name,
  environment: 'default',
  project_id: 'p',
  metadata: { plan: 'pro' },
  user_id: 'user-7',
  session_id: 'session-7',
  tags: ['beta'],
  input: 'How warm is it?',
  output: 'Sunny.',
  latency: 2,
})
export const langfuseObservations = (name: string) => [
  {
    id: 'call',
    trace_id: `trace of ${name}`,
    type: 'GENERATION',
    parent_observation_id: null,
    start_time: `${START}.100000`,
    end_time: `${START}.600000`,
    name: 'ask-model',
    level: 'DEFAULT',
    provided_model_name: 'gpt-5',
    model_parameters: { temperature: 1 },
    usage_details: { input: 120, output: 30, total: 150 },
    cost_details: {},
    input: [{ role: 'user', content: 'How warm is it?' }],
    output: { role: 'assistant', content: 'Sunny.' },
  },
  {
    id: 'tool',
    trace_id: `trace of ${name}`,
    type: 'TOOL',
    parent_observation_id: 'call',
    start_time: `${START}.700000`,
    end_time: `${START}.900000`,
    name: 'weather',
    level: 'ERROR',
    status_message: 'no such city',
    input: { city: 'Bern' },
  },
]
export const langfuseScores = (name: string) => [
  {
    id: `score of ${name}`,
    timestamp: `${START}.950000`,
    trace_id: `trace of ${name}`,
    name: 'warmth',
    value: 0.5,
    data_type: 'NUMERIC',
    comment: 'mild',
    source: 'API',
  },
]

const ROOT = '01a21a21-3072-71dc-9316-87aed2b4c901'
const CALL = '01a21a21-3072-71dc-9316-87aed2b4c902'

export function langsmithRows(name: string, digit: string) {
  const [root, call] = [ROOT, CALL].map((id) => digit + id.slice(1))
  const order = `20261126T231152434001Z${root}`
  return [
    {
      id: call,
      trace_id: root,
      dotted_order: `${order}.20261126T231152500000Z${call}`,
      is_root: false,
      name: 'ChatOpenAI',
      run_type: 'llm',
      start_time: '2026-11-26T23:11:52.500',
      end_time: '2026-11-26T23:11:53.000',
      status: 'success',
      inputs: { messages: [[{ role: 'user', content: 'How warm is it?' }]] },
      outputs: { generations: [[{ text: 'Sunny.' }]] },
      extra: { invocation_params: { model: 'gpt-5' } },
      prompt_tokens: 120,
      completion_tokens: 30,
      total_tokens: 150,
      tenant_id: 'a1',
    },
    {
      id: root,
      trace_id: root,
      dotted_order: order,
      is_root: true,
      name,
      run_type: 'chain',
      session_name: 'weather',
      start_time: '2026-11-26T23:11:52.434',
      end_time: '2026-11-26T23:11:53.434',
      status: 'error',
      error: 'ValueError("no such city")',
      inputs: { question: 'How warm is it?' },
      outputs: null,
      tags: ['beta'],
      extra: { metadata: { thread_id: 'thread-7', plan: 'pro' } },
      feedback_stats: {},
    },
  ]
}

/** Of a root of `langsmithRows`, as `list_feedback` has it. */
export function langsmithFeedback(digit: string) {
  return {
    id: '01a21a21-3072-71dc-9316-87aed2b4c9fb',
    created_at: '2026-11-26T23:20:00.000',
    modified_at: '2026-11-26T23:20:00.000',
    run_id: digit + ROOT.slice(1),
    key: 'correct',
    score: 1,
    value: null,
    comment: 'as it should be',
    feedback_source: { type: 'app' },
  }
}
