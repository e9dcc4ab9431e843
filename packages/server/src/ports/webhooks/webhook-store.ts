import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Webhook } from './webhook.ts'

export interface SecretRotation {
  readonly secret: string
  /** When it happens, and until when the secret so far signs too; milliseconds. */
  readonly now: number
  readonly previousUntil: number
}

/**
 * Where webhooks are kept, with their secrets, which come out through WebhookDirectory alone. A webhook of another project is as one that does not exist. What a method wrote is
 * durable when it resolves, and the directory knows it from then on. Rejects with DomainError `disk_full` or `storage_unavailable`: nothing is written then.
 */
export interface WebhookStore {
  /** False when the project has `mostOfProject` already. */
  create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean>
  findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined>
  /** In the order of ids, those behind `after`. */
  listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]>
  /** Writes what `apply` makes of the webhook as it is, and nothing when that is the very same object. */
  change(projectId: ProjectId, id: WebhookId, apply: (webhook: Webhook) => Webhook): Promise<Webhook | undefined>
  /** The secret so far becomes the previous one, and the one before it is forgotten. Nothing changes when it is the current secret already: a retry must not end the one before. */
  rotate(projectId: ProjectId, id: WebhookId, rotation: SecretRotation): Promise<Webhook | undefined>
  /** Whether there was one. */
  remove(projectId: ProjectId, id: WebhookId): Promise<boolean>
  /** Forgets previous secrets that do not sign any more; returns how many. */
  dropExpiredSecrets(now: number): Promise<number>
}
