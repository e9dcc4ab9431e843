import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { SignedWebhook, WebhookDirectory } from '../../../ports/webhooks/webhook-directory.ts'
import type { SecretRotation, WebhookStore } from '../../../ports/webhooks/webhook-store.ts'
import type { DisabledReason, Webhook } from '../../../ports/webhooks/webhook.ts'
import { readParts } from '../kit/list-statement.ts'
import { RememberedReads } from '../kit/remembered-reads.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { fromWebhookRow, toChangingColumns } from './webhook-row.ts'
import { webhookStatementsOn } from './webhook-statements.ts'
import type { WebhookRow, WebhookTables } from './webhook-tables.ts'

/** Cached subscriptions, and cached projects. A larger cache is emptied. */
const REMEMBERED = 10_000

/** A subscription with opened secrets. */
interface Opened {
  readonly webhook: Webhook
  readonly secret: string
  readonly previousSecret: string | null
}

/**
 * Stores subscriptions with sealed secrets and URLs. Lookups for batches of events and for attempts are cached until
 * any subscription changes, in this or another process: they rarely change.
 */
export class SqlWebhookStore extends storeOn(webhookStatementsOn) implements WebhookStore, WebhookDirectory {
  readonly #box: SecretBox
  readonly #toWebhook = (row: WebhookRow): Webhook => fromWebhookRow(row, this.#box)
  readonly #opened: RememberedReads<WebhookId, Opened>
  readonly #enabled: RememberedReads<ProjectId, readonly Webhook[]>
  readonly #anyEnabled: RememberedReads<'any', boolean>

  /** `box` MUST have the key that stored secrets are sealed with: see open-secret-box.ts. */
  constructor(database: SqlDatabase<WebhookTables>, box: SecretBox) {
    super(database)
    this.#box = box
    this.#opened = new RememberedReads(database, { most: REMEMBERED })
    this.#enabled = new RememberedReads(database, { weightOf: (list) => 1 + list.length, most: REMEMBERED })
    this.#anyEnabled = new RememberedReads(database, { most: 1 })
  }

  create(webhook: Webhook, secret: string, mostOfProject: number): Promise<boolean> {
    const { id, projectId, format, createdAt } = webhook
    const sql = this.sql
    const row = {
      ...toChangingColumns(webhook, this.#box),
      id,
      project_id: projectId,
      format,
      secret: this.#box.seal(secret, id),
      secret_key_id: this.#box.keyId,
      created_at: createdAt,
    }
    return this.#write(function* (): Work<boolean> {
      const known = yield* first(sql.countOfProject({ projectId }))
      if (Number(known?.count) >= mostOfProject) return false
      yield* run(sql.insert(row))
      return true
    })
  }

  async findOf(projectId: ProjectId, id: WebhookId): Promise<Webhook | undefined> {
    return (await this.database.read(this.sql.ofProject({ projectId, id }))).map(this.#toWebhook)[0]
  }

  async listOf(projectId: ProjectId, after: WebhookId | null, limit: number): Promise<readonly Webhook[]> {
    return (await this.database.read(this.sql.page({ projectId, after: after ?? '', limit }))).map(this.#toWebhook)
  }

  change(projectId: ProjectId, id: WebhookId, apply: (webhook: Webhook) => Webhook): Promise<Webhook | undefined> {
    const sql = this.sql
    const box = this.#box
    return this.#write(function* (): Work<Webhook | undefined> {
      const row = yield* first(sql.ofProject({ projectId, id }))
      if (row === undefined) return undefined
      const present = fromWebhookRow(row, box)
      const next = apply(present)
      if (next !== present) yield* run(sql.change({ ...toChangingColumns(next, box), id }))
      return next
    })
  }

  rotate(projectId: ProjectId, id: WebhookId, rotation: SecretRotation): Promise<Webhook | undefined> {
    const { secret, now, previousUntil } = rotation
    const sql = this.sql
    const box = this.#box
    return this.#write(function* (): Work<Webhook | undefined> {
      const row = yield* first(sql.ofProject({ projectId, id }))
      if (row === undefined) return undefined
      const present = fromWebhookRow(row, box)
      if (box.open(row.secret, id) === secret) return present
      const updatedAt = Math.max(now, present.updatedAt + 1)
      yield* run(sql.rotate({ id, secret: box.seal(secret, id), previousUntil, updatedAt }))
      return { ...present, previousSecretUntil: previousUntil, updatedAt }
    })
  }

  async remove(projectId: ProjectId, id: WebhookId): Promise<boolean> {
    return (await this.#write(() => run(this.sql.remove({ projectId, id })))) === 1
  }

  async dropExpiredSecrets(now: number): Promise<number> {
    const sql = this.sql
    // Called every half minute, and there is rarely one: usually no transaction.
    if ((await this.database.read(sql.anyExpired({ now }))).length === 0) return 0
    return this.#write(() => run(sql.dropExpired({ now })))
  }

  async find(id: WebhookId): Promise<Webhook | undefined> {
    return (await this.database.read(this.sql.byId({ id }))).map(this.#toWebhook)[0]
  }

  async findSigned(id: WebhookId, now: number): Promise<SignedWebhook | undefined> {
    const opened = await this.#opened.get(id, async () => {
      const [row] = await this.database.read(this.sql.byId({ id }))
      return row === undefined ? undefined : this.#open(row, id)
    })
    if (opened === undefined) return undefined
    const { webhook, secret, previousSecret } = opened
    const isOverlapping = previousSecret !== null && now < (webhook.previousSecretUntil ?? 0)
    return { ...webhook, secrets: isOverlapping ? [secret, previousSecret] : [secret] }
  }

  async existing(ids: readonly WebhookId[]): Promise<ReadonlySet<WebhookId>> {
    return new Set((await readParts(this.database, this.sql.existing(ids, {}))).map(({ id }) => id as WebhookId))
  }

  async enabledOf(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>> {
    const found = await this.#enabled.getMany(projectIds, (missing) => this.#readEnabled(missing))
    return new Map([...found].filter(([, webhooks]) => webhooks.length > 0))
  }

  anyEnabled(): Promise<boolean> {
    return this.#anyEnabled.get('any', async () => {
      return (await this.database.read(this.sql.anyEnabled({}))).length > 0
    })
  }

  async disable(
    id: WebhookId,
    seenUpdatedAt: number,
    reason: Exclude<DisabledReason, 'by_request'>,
    disabledAt: number,
  ) {
    const updatedAt = Math.max(disabledAt, seenUpdatedAt + 1)
    return (await this.#write(() => run(this.sql.disable({ id, seenUpdatedAt, reason, disabledAt, updatedAt })))) === 1
  }

  /** Returns all these projects, including those without subscriptions, which are cached too. */
  async #readEnabled(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>> {
    const enabled = new Map<ProjectId, Webhook[]>(projectIds.map((id) => [id, []]))
    const rows = await readParts(this.database, this.sql.enabledOf(projectIds, {}))
    for (const webhook of rows.map(this.#toWebhook)) enabled.get(webhook.projectId)?.push(webhook)
    return enabled
  }

  #open(row: WebhookRow, id: WebhookId): Opened {
    return {
      webhook: this.#toWebhook(row),
      secret: this.#box.open(row.secret, id),
      previousSecret: row.previous_secret === null ? null : this.#box.open(row.previous_secret, id),
    }
  }

  /** Empties the cache even on errors: a change whose flush failed may have been made. */
  async #write<T>(work: () => Work<T>): Promise<T> {
    try {
      return await this.database.write(work)
    } finally {
      this.#opened.forgetAll()
      this.#enabled.forgetAll()
      this.#anyEnabled.forgetAll()
    }
  }
}
