import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { SignedWebhook, WebhookDirectory } from './webhook-directory.ts'
import type { DisabledReason, Webhook } from './webhook.ts'

/** Subscriptions in memory, each with its secrets. */
export class MemoryWebhookDirectory implements WebhookDirectory {
  /** Called in front of each method with its name: throws to make it fail. */
  before: (method: string) => void = () => undefined
  readonly #all = new Map<WebhookId, SignedWebhook>()

  put(webhook: SignedWebhook): void {
    this.#all.set(webhook.id, webhook)
  }

  change(id: WebhookId, change: Partial<SignedWebhook>): void {
    const webhook = this.#all.get(id)
    if (webhook !== undefined) this.#all.set(id, { ...webhook, updatedAt: webhook.updatedAt + 1, ...change })
  }

  remove(id: WebhookId): void {
    this.#all.delete(id)
  }

  find(id: WebhookId): Webhook | undefined {
    this.before('find')
    return this.#all.get(id)
  }

  findSigned(id: WebhookId, _now: number): SignedWebhook | undefined {
    this.before('findSigned')
    return this.#all.get(id)
  }

  enabledOf(projectId: ProjectId): readonly Webhook[] {
    this.before('enabledOf')
    const enabled = [...this.#all.values()].filter((one) => one.projectId === projectId && one.enabled)
    return enabled.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  anyEnabled(): boolean {
    this.before('anyEnabled')
    return [...this.#all.values()].some(({ enabled }) => enabled)
  }

  disable(id: WebhookId, updatedAt: number, reason: Exclude<DisabledReason, 'by_request'>, now: number): boolean {
    this.before('disable')
    const webhook = this.#all.get(id)
    if (webhook?.enabled !== true || webhook.updatedAt !== updatedAt) return false
    this.change(id, { enabled: false, disabledReason: reason, disabledAt: now })
    return true
  }
}
