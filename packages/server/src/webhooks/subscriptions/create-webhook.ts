import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { Clock } from '../../lib/time/clock.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { RandomBytes } from '../../lib/ids/random.ts'
import { checkWebhook, inOrder, requireKey, type RefuseAddress } from './check-webhook.ts'
import { newSigningSecret } from '../signing/signing-secret.ts'
import type { ShownOnce } from './use-cases.ts'
import type { WebhookDraft } from './webhook-draft.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface CreateWebhookDependencies {
  readonly store: Pick<WebhookStore, 'create'>
  readonly clock: Clock
  readonly newId: () => WebhookId
  readonly randomBytes: RandomBytes
  readonly headPosition: () => number
  readonly refuseAddress: RefuseAddress
  readonly limits: Limits
}

/** A new webhook gets the events that are committed after this call. */
export async function createWebhook(
  dependencies: CreateWebhookDependencies,
  projectId: ProjectId,
  draft: WebhookDraft,
): Promise<ShownOnce> {
  const { store, clock, newId, randomBytes, limits } = dependencies
  const { url, events, format, description, enabled } = draft
  checkWebhook(draft, dependencies.refuseAddress)
  requireKey(format, draft.secret)
  const now = clock.now()
  const webhook: Webhook = {
    id: newId(),
    projectId,
    url,
    events: inOrder(events),
    format,
    description,
    enabled,
    disabledReason: enabled ? null : 'by_request',
    disabledAt: enabled ? null : now,
    sincePosition: dependencies.headPosition(),
    previousSecretUntil: null,
    createdAt: now,
    updatedAt: now,
  }
  const secret = draft.secret ?? newSigningSecret(randomBytes)
  if (await store.create(webhook, secret, limits.webhooksPerProject))
    return { webhook, secret: draft.secret === null ? secret : null }
  const detail = `A project has at most ${limits.webhooksPerProject} webhooks.`
  throw invalid({ pointer: '', code: 'too_many', detail })
}
