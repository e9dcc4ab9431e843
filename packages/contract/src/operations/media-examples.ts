import type { OperationRequest } from './operation.ts'

export const UPLOAD_EXAMPLES = {
  screenshot: {
    summary: 'A screenshot of a step',
    value: {
      trace_id: 'tr_01jv8m0000e00880000000000a',
      step_id: 'st_01jv8m0000e00880000000000a',
      kind: 'image',
      file: '(the bytes of screenshot.png)',
    },
  },
  log: {
    summary: 'A log of the whole trace',
    value: { trace_id: 'tr_01jv8m0000e00880000000000a', kind: 'file', file: '(the bytes of agent.log)' },
  },
} as const satisfies OperationRequest['examples']

export const DIRECT_UPLOAD_EXAMPLES = {
  artifact: { summary: 'The artifact', value: '(its bytes)' },
} as const satisfies OperationRequest['examples']
