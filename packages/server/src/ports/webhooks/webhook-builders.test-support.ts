import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Webhook } from './webhook.ts'

export const OWN_PROJECT = 'proj_01h2xcejqtf2nbrexx3vqjhp41' as ProjectId
export const FOREIGN_PROJECT = 'proj_01h2xcejqtf2nbrexx3vqjhp42' as ProjectId

/** `number`: 0 to 9, in the order of ids. */
export function webhookId(number: number): WebhookId {
  return `wh_01h2xcejqtf2nbrexx3vqjhp4${number}` as WebhookId
}

export function aWebhook(fields: Partial<Webhook> = {}): Webhook {
  return {
    id: webhookId(0),
    projectId: OWN_PROJECT,
    url: 'https://example.com/a',
    events: ['trace.committed', 'monitor.fired'],
    description: 'what — for',
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    sincePosition: 7,
    format: 'json',
    previousSecretUntil: null,
    createdAt: 1000,
    updatedAt: 1000,
    ...fields,
  }
}
