import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'

/** The fields of a logged delivery that tests need. */
export interface LoggedDelivery {
  readonly id: string
  readonly event_id: string
  readonly event: string
  readonly status: string
  readonly reason: string | null
  readonly attempt_count: number
}

export interface LoggedAttempt {
  readonly number: number
  readonly response: { readonly status: number } | null
  readonly error: { readonly code: string } | null
}

/** The webhooks of the first project, over the API. */
export class Subscriptions {
  readonly #client: () => Client
  readonly #projectId: string

  /** `client` returns that of the running service process. */
  private constructor(client: () => Client, projectId: string) {
    this.#client = client
    this.#projectId = projectId
  }

  static async of(client: () => Client): Promise<Subscriptions> {
    const answer = await client().get('/v1/projects')
    const { projects } = answer.json<{ projects: { id: string }[] }>()
    return new Subscriptions(client, projects[0]!.id)
  }

  async create(body: object): Promise<string> {
    return (await this.post<{ id: string }>('', body, 201)).id
  }

  async post<T>(path: string, body: object, status: number): Promise<T> {
    return this.#send('POST', path, body, status)
  }

  async patch<T>(id: string, body: object): Promise<T> {
    return this.#send('PATCH', `/${id}`, body, 200)
  }

  async read<T>(path: string): Promise<T> {
    const answer = await this.#client().get(this.#path(path))
    assert.equal(answer.status, 200, answer.text)
    return answer.json<T>()
  }

  async hasPending(id: string): Promise<boolean> {
    const pending = await this.read<{ deliveries: unknown[] }>(`/${id}/deliveries?status=pending&limit=1`)
    return pending.deliveries.length > 0
  }

  /** The whole log, oldest first. */
  async deliveries(id: string, query = ''): Promise<LoggedDelivery[]> {
    const all: LoggedDelivery[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: { deliveries: LoggedDelivery[]; next_cursor: string | null } = await this.read(
        `/${id}/deliveries?limit=1000${query}${after}`,
      )
      all.push(...page.deliveries)
      cursor = page.next_cursor
    }
    return all.toReversed()
  }

  async attempts(id: string, deliveryId: string): Promise<readonly LoggedAttempt[]> {
    const detail = await this.read<{ attempts: LoggedAttempt[] }>(`/${id}/deliveries/${deliveryId}`)
    return detail.attempts
  }

  async #send<T>(method: string, path: string, body: object, status: number): Promise<T> {
    const answer = await this.#client().call({
      method,
      path: this.#path(path),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, status, answer.text)
    return answer.json<T>()
  }

  #path(path: string): string {
    return `/v1/projects/${this.#projectId}/webhooks${path}`
  }
}
