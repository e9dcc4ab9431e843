import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { newTrace } from './content.ts'
import { Ledger } from './ledger.ts'
import { defineMetric } from './metric-events.ts'
import { TailFollower } from './tail-follower.ts'
import { verifyAll, type Verified } from './verify.ts'
import { WatchedDeliveries } from './watched-deliveries.ts'
import { retryAnswered, retryUnanswered, sendTrace, work, type Workload } from './workload.ts'

const LONGEST_TEXT = 4000
const WORKERS = 6
const REQUESTS_PER_SECOND = 80
/**
 * Each read of a series makes committed rows settle as a part of their own: some hundred in half a minute keep chDB
 * merging.
 */
const PAUSE_BETWEEN_SERIES_MS = 50

export interface Load {
  /** Call it just before the service is killed or stopped: from then on requests may get no response. */
  expectEnd(): void
  /** Resolves when nothing is being sent any more. */
  readonly ended: Promise<unknown>
}

/** A service on one data directory, with a ledger of everything sent to it, over all its processes. */
export class WatchedStore implements AsyncDisposable {
  readonly service: Service
  readonly ledger = new Ledger(LONGEST_TEXT)
  readonly #random: Random
  readonly #deliveries: WatchedDeliveries
  readonly #tail = new TailFollower()
  /** Where the log of the current process begins. */
  #lifeBegins = 0

  private constructor(service: Service, deliveries: WatchedDeliveries, random: Random) {
    this.service = service
    this.#deliveries = deliveries
    this.#random = random
  }

  static async create(
    dataDir: string,
    random: Random,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<WatchedStore> {
    const service = new Service({ dataDir, environment: { ...WatchedDeliveries.environment, ...environment } })
    return new WatchedStore(service, await WatchedDeliveries.start(service), random)
  }

  async start(): Promise<void> {
    this.#lifeBegins = this.service.log.length
    await this.service.start()
    await this.#tail.connect(this.service)
    await defineMetric(this.service.client, this.ledger)
    await this.#deliveries.subscribe()
  }

  /** Kills it at any moment, also during its start. */
  async kill(): Promise<void> {
    await this.service.kill()
    await this.#tail.disconnect()
  }

  /** `mayFail` on a full disk: unsettled commits then stay in the log. */
  async stop({ mayFail = false } = {}): Promise<void> {
    const { code, signal } = await this.service.stop()
    if (code !== 0 && !mayFail) this.ledger.violate(`stopping ended with ${code ?? signal}`)
    await this.#tail.disconnect()
  }

  /** Errors logged so far are no violations. */
  expectErrorsSoFar(): void {
    this.#lifeBegins = this.service.log.length
  }

  /** Uses every part of the service. `mayRefuse` says which statuses are allowed; after `expectEnd` all errors are. */
  load(mayRefuse: (status: number) => boolean = () => false): Load {
    let ends = false
    const workload: Workload = {
      ...this.#sender(),
      killed: () => ends,
      mayRefuse: (status) => (ends ? status >= 500 : mayRefuse(status)),
      pace: () => sleep(this.#random.below((2 * WORKERS * 1000) / REQUESTS_PER_SECOND)),
    }
    const workers = Array.from({ length: WORKERS }, () => work(workload))
    return { expectEnd: () => (ends = true), ended: Promise.all([...workers, this.#readSeries(workload)]) }
  }

  /** Everything that was acknowledged must exist, and nothing else. Anything else is a violation in the ledger. */
  async verify(): Promise<Verified> {
    const { ledger } = this
    const workload = this.#sender()
    await retryUnanswered(workload)
    const end = newTrace(ledger, this.#random, true)
    await sendTrace(workload, end)
    await this.#attempt(() => this.#tail.until(end.id ?? 'a trace that was not taken'))
    const verified = await this.#attempt(() => verifyAll(this.service.client, ledger, this.#tail))
    // Not earlier: a retry would write again what was lost.
    await retryAnswered(workload, 50)
    await this.#attempt(() => this.#verifyTailFromBeginning(end.id))
    await this.#attempt(() => this.#deliveries.verify(ledger))
    const log = this.service.log.slice(this.#lifeBegins).split('\n')
    for (const line of log) if (/"level":"(error|fatal)"/.test(line)) ledger.violate(line)
    return verified ?? { traces: 0, steps: 0, metricEvents: 0 }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.#tail.disconnect()
    await this.#deliveries[Symbol.asyncDispose]()
  }

  #sender(): Workload {
    return { client: this.service.client, ledger: this.ledger, random: this.#random, killed: () => false }
  }

  async #readSeries({ client, killed, mayRefuse, ledger }: Workload): Promise<void> {
    while (!killed()) {
      try {
        const { status, text } = await client.get('/v1/traces/series?measure=count')
        if (status !== 200 && mayRefuse?.(status) !== true) ledger.violate(`a series: ${status} ${text}`)
      } catch (error) {
        if (!killed()) ledger.violate(`a series: no response although the service runs: ${String(error)}`)
      }
      await sleep(PAUSE_BETWEEN_SERIES_MS)
    }
  }

  /** A new reader must see what a reader saw that was connected all the time. */
  async #verifyTailFromBeginning(lastId: string | null): Promise<void> {
    const fresh = new TailFollower()
    await fresh.connect(this.service)
    await fresh.until(lastId ?? 'a trace that was not taken')
    await fresh.disconnect()
    const deleted = new Set(
      [...this.ledger.traces.values()].flatMap(({ id, deletion }) => (deletion === 'none' ? [] : [id])),
    )
    const positionsIn = (tail: TailFollower) =>
      new Set(tail.seen.filter(({ id }) => !deleted.has(id)).map(({ position, id }) => `${position} ${id}`))
    const [now, before] = [positionsIn(fresh), positionsIn(this.#tail)]
    for (const one of before) if (!now.has(one)) this.ledger.violate(`the tail showed ${one} and does not any more`)
    for (const one of now) if (!before.has(one)) this.ledger.violate(`the tail shows ${one} and did not before`)
  }

  /** An aborted check is a violation; the other checks still run. */
  async #attempt<T>(check: () => Promise<T>): Promise<T | null> {
    try {
      return await check()
    } catch (error) {
      this.ledger.violate(`a check was aborted: ${String(error)}`)
      return null
    }
  }
}
