import type { OperationRequest } from './operation.ts'

const passed = {
  name: 'solved',
  trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
  passed: true,
  source: 'code',
  idempotency_key: 'run-7-solved',
}

const rated = {
  name: 'tone',
  trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
  step_id: 'st_01h2xcejqtf2nbrexx3vqjhp41',
  value: 'friendly',
  source: 'human',
  comment: 'apologised at once',
  metadata: { reviewer: 'kim' },
}

export const METRIC_EXAMPLES = {
  boolean: { summary: 'Passed or not', value: { name: 'solved', kind: 'boolean', direction: 'higher' } },
  numeric: {
    summary: 'A number within bounds',
    value: { name: 'reward', kind: 'numeric', min: 0, max: 1, direction: 'higher' },
  },
  enum: {
    summary: 'One of several options',
    value: { name: 'tone', kind: 'enum', options: [{ value: 'friendly', label: 'Friendly' }, { value: 'curt' }] },
  },
} as const satisfies OperationRequest['examples']

export const METRIC_PATCH_EXAMPLES = {
  widen: { summary: 'A wider range', value: { max: 5, description: 'points of five' } },
} as const satisfies OperationRequest['examples']

export const METRIC_EVENT_EXAMPLES = {
  one: { summary: 'An event for a trace, safe to retry', value: passed },
  batch: { summary: 'Several at once', value: [passed, rated] },
} as const satisfies OperationRequest['examples']

export const METRIC_LINE_EXAMPLES = {
  lines: { summary: 'One event per line', value: `${JSON.stringify(passed)}\n${JSON.stringify(rated)}\n` },
} as const satisfies OperationRequest['examples']
