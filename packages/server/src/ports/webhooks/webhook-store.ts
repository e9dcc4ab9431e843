import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Webhook } from './webhook.ts'

export interface SecretRotation {
  readonly secret: string
  /** When it happens, and until when the secret so far signs too; milliseconds. */
  readonly now: number
  readonly previousUntil: number
}

/**
 * Where subscriptions are kept. Their secrets are read through WebhookDirectory alone. A subscription of another project
 * is treated as one that does not exist.
 *
 * - A write is durable when it resolves, and the next look-up of this process in store or directory sees it.
 * - Each write is one transaction. Two changes of one subscription at once are made one after the other.
 * - Rejects with DomainError `disk_full` or `storage_unavailable`; a write that rejects has usually not happened, but
 *   may have been committed all the same.
 */
export interface WebhookStore {
  /** False, and nothing is written, when the project has `mostOfProject` already. `webhook.id` MUST be new. */
  create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean>
  /** Undefined when it does not exist. */
  findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined>
  /** In the order of ids, those behind `after`, at most `limit`. */
  listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]>
  /**
   * Writes what `apply` makes of the present subscription, and nothing when that is the same object. `apply` may run
   * twice; id, project, creation time and `previousSecretUntil` are kept whatever it returns. What it throws is thrown,
   * and nothing is written. Returns what `apply` returned; undefined when there is no such subscription.
   */
  change(projectId: ProjectId, id: WebhookId, apply: (webhook: Webhook) => Webhook): Promise<Webhook | undefined>
  /**
   * The current secret becomes the previous one, and the one before it is forgotten. When `secret` is the current one
   * already, nothing changes: a retry must not end the previous secret. Moves `updatedAt` to `now`, or by 1 when that
   * is not later. Undefined when there is no such subscription.
   */
  rotate(projectId: ProjectId, id: WebhookId, rotation: SecretRotation): Promise<Webhook | undefined>
  /** Whether there was one. */
  remove(projectId: ProjectId, id: WebhookId): Promise<boolean>
  /** Forgets previous secrets of any project that ended at `now` or before; returns how many. */
  dropExpiredSecrets(now: number): Promise<number>
}
