import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterRunList, DiscoveryAccepted } from '@spoor/contract/schemas/cluster'
import { jobEnd } from '../../clusters/discoveries.ts'
import { TOPIC_COUNT, topicTrace } from '../../clusters/topic-traces.ts'
import type { Workload } from '../../crash/workload.ts'
import type { Client } from '../../lib/client.ts'
import { eventually } from '../../lib/eventually.ts'
import { createProject } from '../../lib/projects.ts'
import type { Random } from '../../lib/random.ts'
import { Receiver } from '../../webhooks/receiver.ts'

const SECRET = 'a secret of the discoveries'
const TRACES_AT_FIRST = 24
/** Of a topic that was not there before, so that there are events. */
const TRACES_OF_A_TOPIC = 8
const PAUSE_MS = 1000

/** Discoveries in a project of its own, one after another, and what its webhook's receiver got. */
export class RepeatedDiscoveries implements AsyncDisposable {
  readonly #client: Client
  readonly #receiver: Receiver
  readonly #random: Random
  /** How many each run has, by its job. The service lists the newest 100 runs. */
  readonly #events = new Map<string, number>()
  #topics = 2
  #jobId: string | null = null

  private constructor(client: Client, receiver: Receiver, random: Random) {
    this.#client = client
    this.#receiver = receiver
    this.#random = random
  }

  /** `admin` is the client of the first project. */
  static async create(admin: Client, name: string, random: Random): Promise<RepeatedDiscoveries> {
    const project = await createProject(admin, name)
    const discoveries = new RepeatedDiscoveries(admin.as(project.key), await Receiver.start(SECRET), random)
    const { url } = discoveries.#receiver
    const webhook = { url, events: ['cluster.created', 'cluster.shifted'], secret: SECRET }
    await discoveries.#post(`/v1/projects/${project.id}/webhooks`, webhook)
    await discoveries.#send(TRACES_AT_FIRST)
    return discoveries
  }

  /** Discoveries that have been compared. */
  get count(): number {
    return this.#events.size
  }

  /** Each begins when the one before has ended, in whatever way. Repeats requests that fail. */
  async run({ killed, ended = killed }: Workload): Promise<void> {
    while (!ended()) {
      await this.#step().catch(() => undefined)
      await sleep(PAUSE_MS)
    }
  }

  /** Ends the one under way, and runs one more, which must succeed. Each event of all runs must have come once. */
  async verify({ ledger }: Pick<Workload, 'ledger'>): Promise<void> {
    if (this.#jobId !== null) await jobEnd(() => this.#client, this.#jobId)
    this.#jobId = null
    await this.#step()
    const last = await jobEnd(() => this.#client, this.#jobId ?? '')
    if (last.status !== 'succeeded') ledger.violate(`the last discovery ${last.status}: ${last.error}`)
    const { runs } = (await this.#client.get('/v1/clusters/runs?limit=100')).json<ClusterRunList>()
    for (const { id, created, shifted } of runs) this.#events.set(id, created + shifted)
    const expected = [...this.#events.values()].reduce((sum, count) => sum + count, 0)
    const emitted = () => Map.groupBy(this.#receiver.received(), ({ eventId }) => eventId)
    await eventually('the events of discoveries arrive', () => emitted().size >= expected)
    if (emitted().size !== expected)
      ledger.violate(`${this.count} discoveries have ${expected} events, ${emitted().size} were emitted`)
    const created = new Map<string, string>()
    for (const [eventId, [first]] of emitted()) {
      if (first?.type !== 'cluster.created') continue
      const { id } = first.data['cluster'] as { id: string }
      if (created.has(id)) ledger.violate(`${id} was emitted as new by ${created.get(id)} and ${eventId}`)
      created.set(id, eventId)
    }
  }

  async #step(): Promise<void> {
    if (this.#jobId !== null) {
      const answer = await this.#client.get(`/v1/clusters/discover/${this.#jobId}`)
      if (answer.status !== 200 || answer.json<{ finished_at: string | null }>().finished_at === null) return
      this.#jobId = null
      this.#topics = 1 + (this.#topics % TOPIC_COUNT)
      await this.#send(TRACES_OF_A_TOPIC)
    }
    const { job_id: id } = await this.#post<DiscoveryAccepted>('/v1/clusters/discover', { k_min: 2, k_max: 6 })
    this.#jobId = id
  }

  async #send(count: number): Promise<void> {
    const at = this.#topics - 1
    for (let n = 0; n < count; n++) await this.#client.postTrace(topicTrace(at + (n % 2), this.#random))
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
