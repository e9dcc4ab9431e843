import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Webhook } from './webhook.ts'

export interface SecretRotation {
  readonly secret: string
  /** The present, and until when the previous secret signs too; milliseconds. */
  readonly now: number
  readonly previousUntil: number
}

/**
 * Stores subscriptions. Their secrets are read through WebhookDirectory only. A subscription of another project does
 * not exist.
 *
 * - A write is durable when it resolves, and the next lookup of this process in store or directory sees it.
 * - Each write is one transaction. Concurrent changes of one subscription are made one after the other.
 * - Rejects with DomainError `disk_full` or `storage_unavailable`; a rejected write is usually not made, but may be
 *   committed.
 */
export interface WebhookStore {
  /** Returns false and writes nothing if the project has `mostOfProject` already. `webhook.id` MUST be new. */
  create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean>
  /** Undefined if it does not exist. */
  findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined>
  /** At most `limit` with an id after `after`, in the order of ids. */
  listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]>
  /**
   * Writes what `apply` returns for the present subscription, unless it is the same object. `apply` may run twice; it
   * cannot change id, project, creation time or `previousSecretUntil`. If it throws, nothing is written. Returns what
   * `apply` returned; undefined if the subscription does not exist.
   */
  change(projectId: ProjectId, id: WebhookId, apply: (webhook: Webhook) => Webhook): Promise<Webhook | undefined>
  /**
   * Makes the current secret the previous one and forgets the one before. Changes nothing if `secret` is the current
   * one: a retry must not end the previous secret. Sets `updatedAt` to `now`, or increases it by 1 if `now` is not
   * later. Undefined if the subscription does not exist.
   */
  rotate(projectId: ProjectId, id: WebhookId, rotation: SecretRotation): Promise<Webhook | undefined>
  /** Returns whether it existed. */
  remove(projectId: ProjectId, id: WebhookId): Promise<boolean>
  /** Forgets previous secrets of all projects that ended at `now` or before; returns how many. */
  dropExpiredSecrets(now: number): Promise<number>
}
