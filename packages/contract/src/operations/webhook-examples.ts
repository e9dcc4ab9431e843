import type { OperationRequest } from './operation.ts'

export const WEBHOOK_EXAMPLES = {
  made: {
    summary: 'With a secret that the service generates',
    value: { url: 'https://example.com/hooks/spoor', events: ['trace.flagged', 'monitor.fired', 'monitor.resolved'] },
  },
  given: {
    summary: 'With your own secret',
    value: {
      url: 'https://example.com/hooks/spoor',
      events: ['trace.committed'],
      description: 'feeds the review queue',
      secret: 'a long secret of your own',
    },
  },
} as const satisfies OperationRequest['examples']

export const WEBHOOK_PATCH_EXAMPLES = {
  events: { summary: 'Other events', value: { events: ['trace.committed', 'trace.flagged'] } },
  enable: { summary: 'Enable it again', value: { enabled: true } },
} as const satisfies OperationRequest['examples']

export const WEBHOOK_ROTATE_EXAMPLES = {
  made: { summary: 'To a secret that the service generates', value: {} },
  given: { summary: 'To your own secret', value: { secret: 'another long secret of your own' } },
} as const satisfies OperationRequest['examples']
