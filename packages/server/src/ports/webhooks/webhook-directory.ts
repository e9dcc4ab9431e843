import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DisabledReason, Webhook } from './webhook.ts'

/** A subscription as the sender needs it. */
export interface SignedWebhook extends Webhook {
  /** The secrets that sign at the moment, as text, the newest first: one, or two within 24 hours of a rotation. */
  readonly secrets: readonly string[]
}

/**
 * Subscriptions as dispatcher and sender see them. Synchronous, and always what was written last: a subscription that was changed or deleted is so for the next look.
 * Reads throw DomainError `storage_unavailable` when the store cannot be read.
 */
export interface WebhookDirectory {
  /** Of any project; undefined when it was deleted. */
  find(id: WebhookId): Webhook | undefined
  /** As `find`, with its secrets opened as of `now`. */
  findSigned(id: WebhookId, now: number): SignedWebhook | undefined
  /** Those that are enabled, in the order of their ids. Cheap for projects without any: it is asked for each commit. */
  enabledOf(projectId: ProjectId): readonly Webhook[]
  /** Whether any subscription of any project is enabled. */
  anyEnabled(): boolean
  /** Disables it, unless it was deleted, disabled, or changed in any way since it was seen with this `updatedAt`. Durable when it returns true. */
  disable(id: WebhookId, updatedAt: number, reason: Exclude<DisabledReason, 'by_request'>, now: number): boolean
}
