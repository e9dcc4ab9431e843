import { setTimeout as sleep } from 'node:timers/promises'
import type { Workload } from '../../crash/workload.ts'
import type { Client } from '../../lib/client.ts'
import { eventually } from '../../lib/eventually.ts'
import { createProject } from '../../lib/projects.ts'
import { Receiver } from '../../webhooks/receiver.ts'

const METRIC = 'level'
const SECRET = 'a secret of the monitor'
/** Events are this old, so that they are in the window of each node whose clock is wrong by an hour. */
const AGE_MS = 2 * 3600 * 1000
const POLL_MS = 100

/** A monitor that fires and resolves by turns in a project of its own, and what its webhook's receiver got. */
export class ToggledMonitor implements AsyncDisposable {
  readonly #client: Client
  readonly #receiver: Receiver
  #monitorId = ''
  #traceId = ''
  #turns = 0
  /** The event that makes the monitor take its next turn: the same bytes however often it is sent. */
  #next: object | null = null
  #isSent = false

  private constructor(client: Client, receiver: Receiver) {
    this.#client = client
    this.#receiver = receiver
  }

  /** `admin` is the client of the first project. */
  static async create(admin: Client, name: string): Promise<ToggledMonitor> {
    const project = await createProject(admin, name)
    const monitor = new ToggledMonitor(admin.as(project.key), await Receiver.start(SECRET))
    monitor.#traceId = (await monitor.#post<{ id: string }>('/v1/traces', { name: 'measured' })).id
    await monitor.#post('/v1/metrics', { name: METRIC, kind: 'numeric' })
    const definition = {
      name: 'level is high',
      source: { kind: 'metric', metric: METRIC },
      aggregation: 'sum',
      window_seconds: 24 * 3600,
      comparison: 'gt',
      threshold: 0.5,
    }
    monitor.#monitorId = (await monitor.#post<{ id: string }>('/v1/monitors', definition)).id
    const events = ['monitor.fired', 'monitor.resolved']
    const webhook = { url: monitor.#receiver.url, events, secret: SECRET }
    await monitor.#post(`/v1/projects/${project.id}/webhooks`, webhook)
    return monitor
  }

  /** Turns of the monitor that have been seen. */
  get turns(): number {
    return this.#turns
  }

  /** Moves the sum over the threshold and back, and waits for the monitor each time. Repeats requests that fail. */
  async run({ killed, ended = killed }: Workload): Promise<void> {
    while (!ended()) {
      await this.#step().catch(() => undefined)
      await sleep(POLL_MS)
    }
  }

  /** Ends the turn under way. The history and the events that arrived must be exactly the turns, by turns. */
  async verify({ ledger }: Pick<Workload, 'ledger'>): Promise<void> {
    const turns = this.#turns
    await eventually('the monitor turns', async () => {
      await this.#step()
      return this.#turns > turns
    })
    const answer = await this.#client.get(`/v1/monitors/${this.#monitorId}/history`)
    const { history } = answer.json<{ history: { to: string }[] }>()
    const expected = Array.from({ length: this.#turns }, (_, n) => (n % 2 === 0 ? 'fired' : 'normal'))
    const found = history.map(({ to }) => to).toReversed()
    if (found.join() !== expected.slice(-found.length).join() || found.length === 0)
      ledger.violate(`the monitor's history is ${found.join()}, its turns ${expected.join()}`)
    const emitted = () => new Map(this.#receiver.received().map(({ eventId, type }) => [eventId, type]))
    await eventually('the events of the monitor arrive', () => emitted().size >= this.#turns)
    const fired = [...emitted().values()].filter((type) => type === 'monitor.fired').length
    if (emitted().size !== this.#turns || fired !== Math.ceil(this.#turns / 2))
      ledger.violate(
        `${this.#turns} turns of the monitor were emitted as ${emitted().size} events, ${fired} of them fired`,
      )
    for (const { eventId, problem } of this.#receiver.received())
      if (problem !== null) ledger.violate(`webhook: ${eventId} came with a wrong ${problem}`)
  }

  /** Sends what the turn needs, once: with a key, however often. Then takes the turn when the monitor has taken it. */
  async #step(): Promise<void> {
    const target = this.#turns % 2 === 0 ? 'fired' : 'normal'
    this.#next ??= {
      name: METRIC,
      trace_id: this.#traceId,
      value: target === 'fired' ? 1 : -1,
      at: new Date(Date.now() - AGE_MS).toISOString(),
      idempotency_key: `turn ${this.#turns}`,
    }
    if (!this.#isSent) await this.#post('/v1/metrics/events', this.#next)
    this.#isSent = true
    const answer = await this.#client.get(`/v1/monitors/${this.#monitorId}`)
    if (answer.status !== 200 || answer.json<{ state: string }>().state !== target) return
    this.#turns += 1
    this.#next = null
    this.#isSent = false
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    if (answer.status < 200 || answer.status > 202) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.json<T>()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#receiver[Symbol.asyncDispose]()
  }
}
