import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DisabledReason, Webhook } from './webhook.ts'

export interface SignedWebhook extends Webhook {
  /** The secrets that sign now, newest first: one, or two within 24 hours of a rotation. */
  readonly secrets: readonly string[]
}

/**
 * Subscriptions of all projects, for the dispatcher and the sender. Read for every batch of events and every attempt,
 * so an adapter may cache.
 *
 * Staleness: a lookup that begins after a write of this process resolved sees that write. A write of another process is
 * seen as soon as the database reports a change, which each lookup checks (SQLite: at once; PostgreSQL: within the
 * interval at which a node polls `control_version`).
 *
 * Reads reject with DomainError `storage_unavailable` if the store cannot be read.
 */
export interface WebhookDirectory {
  /** The stored subscription, never cached. Undefined if it was deleted. */
  find(id: WebhookId): Promise<Webhook | undefined>
  /**
   * With the secrets that sign at `now`. Undefined if it was deleted. Rejects with another error if a secret cannot be
   * opened.
   */
  findSigned(id: WebhookId, now: number): Promise<SignedWebhook | undefined>
  /** Which of these exist, enabled or not; never cached. Any number of ids. */
  existing(ids: readonly WebhookId[]): Promise<ReadonlySet<WebhookId>>
  /** Enabled subscriptions by project, in the order of ids. Without projects that have none. */
  enabledOf(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>>
  /** Whether any subscription of any project is enabled. */
  anyEnabled(): Promise<boolean>
  /**
   * Disables it and returns true, unless it was deleted, disabled or changed since it had this `updatedAt`. Durable
   * when it resolves. Sets `updatedAt` to `now`, or increases it by 1 if `now` is not later.
   */
  disable(
    id: WebhookId,
    updatedAt: number,
    reason: Exclude<DisabledReason, 'by_request'>,
    now: number,
  ): Promise<boolean>
}
