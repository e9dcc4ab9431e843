import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DisabledReason, Webhook } from './webhook.ts'

/** A subscription as the sender needs it. */
export interface SignedWebhook extends Webhook {
  /** The secrets that sign at the moment, as text, the newest first: one, or two within 24 hours of a rotation. */
  readonly secrets: readonly string[]
}

/**
 * Subscriptions of all projects, as the dispatcher and the sender see them. Read for every batch of events and every
 * attempt, so an adapter may cache.
 *
 * Staleness: a look-up that begins after a write of this process resolved sees that write. A write of another process is
 * seen as soon as the database reports that somebody wrote, which is checked at each look-up (SQLite: at once;
 * PostgreSQL: within the interval at which a node polls `control_version`).
 *
 * Reads reject with DomainError `storage_unavailable` when the store cannot be read.
 */
export interface WebhookDirectory {
  /** As stored now, never cached. Undefined when it was deleted. */
  find(id: WebhookId): Promise<Webhook | undefined>
  /**
   * With the secrets that sign at `now`. Undefined when it was deleted. Rejects with another error when a secret cannot
   * be opened.
   */
  findSigned(id: WebhookId, now: number): Promise<SignedWebhook | undefined>
  /** Those of these that exist now, enabled or not; never cached. Any number of ids. */
  existing(ids: readonly WebhookId[]): Promise<ReadonlySet<WebhookId>>
  /** Enabled subscriptions by project, each in the order of ids. Projects without any are left out. */
  enabledOf(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>>
  /** Whether any subscription of any project is enabled. */
  anyEnabled(): Promise<boolean>
  /**
   * Disables it, unless it was deleted, disabled, or changed in any way since it was seen with this `updatedAt`: then it
   * returns false. Durable when it resolves. Moves `updatedAt` to `now`, or by 1 when that is not later.
   */
  disable(
    id: WebhookId,
    updatedAt: number,
    reason: Exclude<DisabledReason, 'by_request'>,
    now: number,
  ): Promise<boolean>
}
