import type { DatabaseSync } from 'node:sqlite'
import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { SignedWebhook, WebhookDirectory } from '../../../ports/webhooks/webhook-directory.ts'
import type { SecretRotation, WebhookStore } from '../../../ports/webhooks/webhook-store.ts'
import type { DisabledReason, Webhook } from '../../../ports/webhooks/webhook.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { changingValues, toWebhook, type WebhookRow } from './webhook-rows.ts'
import { prepareWebhooks, type WebhookStatements } from './webhook-statements.ts'

/** Webhooks held in memory, and projects; past this the memory starts anew rather than growing. */
const REMEMBERED = 10_000

/** With its secrets opened. */
interface Remembered {
  readonly webhook: Webhook
  readonly secret: string
  readonly previousSecret: string | null
}

/**
 * Webhooks in SQLite, their secrets sealed. The directory is asked for every commit and every attempt, so what it was asked for is remembered until it changes: by a write
 * of this store, the only one there is. The command line, which may have the database open too, writes no webhooks.
 */
export class SqliteWebhookStore implements WebhookStore, WebhookDirectory {
  readonly #database: DatabaseSync
  readonly #sql: WebhookStatements
  readonly #box: SecretBox
  readonly #onReadError: OnReadError
  readonly #byId = new Map<WebhookId, Remembered>()
  readonly #enabledByProject = new Map<ProjectId, readonly Webhook[]>()
  #anyEnabled: boolean | null = null

  /** `box` MUST have the key that stored secrets are sealed with: see open-webhook-store.ts. */
  constructor(database: DatabaseSync, box: SecretBox, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#sql = prepareWebhooks(database)
    this.#box = box
    this.#onReadError = onReadError
  }

  async create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean> {
    const { id, projectId, createdAt } = webhook
    return this.#write(webhook, () => {
      if (Number(this.#sql.countOfProject.get(projectId)?.['count']) >= mostOfProject) return false
      const sealed = [this.#box.seal(secret, id), this.#box.keyId]
      this.#sql.insert.run(...changingValues(webhook), id, projectId, createdAt, ...sealed)
      return true
    })
  }

  async findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined> {
    const row = this.#read(() => this.#sql.findOf.get(id, projectId))
    return row === undefined ? undefined : toWebhook(row)
  }

  async listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]> {
    return this.#read(() => this.#sql.listOf.all(projectId, after ?? '', limit)).map(toWebhook)
  }

  async change(
    projectId: ProjectId,
    id: WebhookId,
    apply: (webhook: Webhook) => Webhook,
  ): Promise<Webhook | undefined> {
    return this.#write({ projectId, id }, () => {
      const row = this.#sql.findOf.get(id, projectId)
      if (row === undefined) return undefined
      const present = toWebhook(row)
      const next = apply(present)
      if (next !== present) this.#sql.change.run(...changingValues(next), id)
      return next
    })
  }

  async rotate(projectId: ProjectId, id: WebhookId, rotation: SecretRotation): Promise<Webhook | undefined> {
    const { secret, now, previousUntil } = rotation
    return this.#write({ projectId, id }, () => {
      const row = this.#sql.findOf.get(id, projectId)
      if (row === undefined) return undefined
      const present = toWebhook(row)
      if (this.#box.open(row['secret'] as Uint8Array, id) === secret) return present
      const updatedAt = Math.max(now, present.updatedAt + 1)
      this.#sql.rotate.run(previousUntil, this.#box.seal(secret, id), updatedAt, id)
      return { ...present, previousSecretUntil: previousUntil, updatedAt }
    })
  }

  async remove(projectId: ProjectId, id: WebhookId): Promise<boolean> {
    return this.#write({ projectId, id }, () => this.#sql.remove.run(id, projectId).changes === 1)
  }

  async dropExpiredSecrets(now: number): Promise<number> {
    if (this.#read(() => this.#sql.withExpired.get(now)) === undefined) return 0
    try {
      return Number(runAtomically(this.#database, () => this.#sql.dropExpired.run(now)).changes)
    } finally {
      this.#forgetAll()
    }
  }

  find(id: WebhookId): Webhook | undefined {
    return this.#remembered(id)?.webhook
  }

  findSigned(id: WebhookId, now: number): SignedWebhook | undefined {
    const found = this.#remembered(id)
    if (found === undefined) return undefined
    const { webhook, secret, previousSecret } = found
    const isOverlapping = previousSecret !== null && now < (webhook.previousSecretUntil ?? 0)
    return { ...webhook, secrets: isOverlapping ? [secret, previousSecret] : [secret] }
  }

  enabledOf(projectId: ProjectId): readonly Webhook[] {
    const remembered = this.#enabledByProject.get(projectId)
    if (remembered !== undefined) return remembered
    const enabled = this.#read(() => this.#sql.enabledOf.all(projectId)).map(toWebhook)
    if (this.#enabledByProject.size >= REMEMBERED) this.#enabledByProject.clear()
    this.#enabledByProject.set(projectId, enabled)
    return enabled
  }

  anyEnabled(): boolean {
    this.#anyEnabled ??= this.#read(() => this.#sql.anyEnabled.get())?.['found'] === 1
    return this.#anyEnabled
  }

  disable(id: WebhookId, updatedAt: number, reason: Exclude<DisabledReason, 'by_request'>, now: number): boolean {
    const webhook = this.find(id)
    if (webhook === undefined) return false
    const found = [id, updatedAt]
    return this.#write(webhook, () => {
      return this.#sql.disable.run(reason, now, Math.max(now, updatedAt + 1), ...found).changes === 1
    })
  }

  #remembered(id: WebhookId): Remembered | undefined {
    const remembered = this.#byId.get(id)
    if (remembered !== undefined) return remembered
    const row = this.#read(() => this.#sql.find.get(id))
    if (row === undefined) return undefined
    const opened = this.#open(row, id)
    if (this.#byId.size >= REMEMBERED) this.#byId.clear()
    this.#byId.set(id, opened)
    return opened
  }

  #open(row: WebhookRow, id: WebhookId): Remembered {
    const previous = row['previous_secret'] as Uint8Array | null
    return {
      webhook: toWebhook(row),
      secret: this.#box.open(row['secret'] as Uint8Array, id),
      previousSecret: previous === null ? null : this.#box.open(previous, id),
    }
  }

  /** A change that failed while it was flushed may have been made after all: what is remembered goes in any case. */
  #write<T>({ id, projectId }: Pick<Webhook, 'id' | 'projectId'>, work: () => T): T {
    try {
      return runAtomically(this.#database, work)
    } finally {
      this.#byId.delete(id)
      this.#enabledByProject.delete(projectId)
      this.#anyEnabled = null
    }
  }

  #forgetAll(): void {
    this.#byId.clear()
    this.#enabledByProject.clear()
    this.#anyEnabled = null
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }
}
