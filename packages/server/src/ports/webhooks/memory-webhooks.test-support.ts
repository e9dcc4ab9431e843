import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { SignedWebhook, WebhookDirectory } from './webhook-directory.ts'
import type { SecretRotation, WebhookStore } from './webhook-store.ts'
import type { DisabledReason, Webhook } from './webhook.ts'

interface Kept {
  readonly webhook: Webhook
  /** Newest first, with the previous one even if it has ended. */
  readonly secrets: readonly string[]
}

/** Subscriptions in memory; passes webhook-store.conformance.ts. */
export class MemoryWebhooks implements WebhookStore, WebhookDirectory {
  /** Called before each method of the directory with its name; may throw to make it fail. */
  before: (method: string) => void = () => undefined
  readonly #all = new Map<WebhookId, Kept>()

  /** Adds an existing subscription. */
  put({ secrets, ...webhook }: SignedWebhook): void {
    this.#all.set(webhook.id, { webhook, secrets })
  }

  /** Changes it as another client would. */
  edit(id: WebhookId, { secrets, ...fields }: Partial<SignedWebhook>): void {
    const kept = this.#all.get(id)
    if (kept === undefined) return
    const webhook = { ...kept.webhook, updatedAt: kept.webhook.updatedAt + 1, ...fields }
    this.#all.set(id, { webhook, secrets: secrets ?? kept.secrets })
  }

  drop(id: WebhookId): void {
    this.#all.delete(id)
  }

  get(id: WebhookId): Webhook | undefined {
    return this.#all.get(id)?.webhook
  }

  async create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean> {
    if (this.#of(webhook.projectId).length >= mostOfProject) return false
    this.put({ ...webhook, secrets: [secret] })
    return true
  }

  async findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined> {
    return this.#find(projectId, id)
  }

  async listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]> {
    return this.#of(projectId)
      .filter(({ id }) => after === null || id > after)
      .slice(0, limit)
  }

  async change(projectId: ProjectId, id: WebhookId, apply: (webhook: Webhook) => Webhook) {
    const present = this.#find(projectId, id)
    if (present === undefined) return undefined
    const next = apply(present)
    const { createdAt, previousSecretUntil } = present
    this.#set({ ...next, id, projectId, createdAt, previousSecretUntil })
    return next
  }

  async rotate(projectId: ProjectId, id: WebhookId, { secret, now, previousUntil }: SecretRotation) {
    const present = this.#find(projectId, id)
    const [current] = this.#all.get(id)?.secrets ?? []
    if (present === undefined || current === undefined || current === secret) return present
    const updatedAt = now > present.updatedAt ? now : present.updatedAt + 1
    const webhook = { ...present, previousSecretUntil: previousUntil, updatedAt }
    this.put({ ...webhook, secrets: [secret, current] })
    return webhook
  }

  async remove(projectId: ProjectId, id: WebhookId): Promise<boolean> {
    return this.#find(projectId, id) !== undefined && this.#all.delete(id)
  }

  async dropExpiredSecrets(now: number): Promise<number> {
    const expired = [...this.#all.values()].filter(({ webhook: { previousSecretUntil: until } }) => {
      return until !== null && until <= now
    })
    for (const { webhook, secrets } of expired) {
      this.put({ ...webhook, previousSecretUntil: null, secrets: secrets.slice(0, 1) })
    }
    return expired.length
  }

  async find(id: WebhookId): Promise<Webhook | undefined> {
    this.before('find')
    return this.get(id)
  }

  async findSigned(id: WebhookId, now: number): Promise<SignedWebhook | undefined> {
    this.before('findSigned')
    const kept = this.#all.get(id)
    if (kept === undefined) return undefined
    const until = kept.webhook.previousSecretUntil
    const secrets = until !== null && now >= until ? kept.secrets.slice(0, 1) : kept.secrets
    return { ...kept.webhook, secrets }
  }

  async existing(ids: readonly WebhookId[]): Promise<ReadonlySet<WebhookId>> {
    this.before('existing')
    return new Set(ids.filter((id) => this.#all.has(id)))
  }

  async enabledOf(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>> {
    this.before('enabledOf')
    const enabled = projectIds.map((id) => [id, this.#of(id).filter((one) => one.enabled)] as const)
    return new Map(enabled.filter(([, webhooks]) => webhooks.length > 0))
  }

  async anyEnabled(): Promise<boolean> {
    this.before('anyEnabled')
    return [...this.#all.values()].some(({ webhook }) => webhook.enabled)
  }

  async disable(id: WebhookId, updatedAt: number, reason: Exclude<DisabledReason, 'by_request'>, now: number) {
    this.before('disable')
    const webhook = this.get(id)
    if (webhook?.enabled !== true || webhook.updatedAt !== updatedAt) return false
    const moved = now > updatedAt ? now : updatedAt + 1
    this.#set({ ...webhook, enabled: false, disabledReason: reason, disabledAt: now, updatedAt: moved })
    return true
  }

  #set(webhook: Webhook): void {
    this.put({ ...webhook, secrets: this.#all.get(webhook.id)?.secrets ?? [] })
  }

  #find(projectId: ProjectId, id: WebhookId): Webhook | undefined {
    return this.#of(projectId).find((webhook) => webhook.id === id)
  }

  #of(projectId: ProjectId): Webhook[] {
    const webhooks = [...this.#all.values()].map(({ webhook }) => webhook)
    return webhooks.filter((one) => one.projectId === projectId).sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}
