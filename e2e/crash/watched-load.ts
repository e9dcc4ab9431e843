import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../lib/client.ts'
import type { Random } from '../lib/random.ts'
import { newTrace } from './content.ts'
import { Ledger } from './ledger.ts'
import { defineMetric } from './metric-events.ts'
import { TailFollower } from './tail-follower.ts'
import { verifyAll, type Verified } from './verify.ts'
import type { WatchedDeliveries } from './watched-deliveries.ts'
import { retryAnswered, retryUnanswered, sendTrace, work, type Workload } from './workload.ts'

const LONGEST_TEXT = 4000
const WORKERS = 6
const REQUESTS_PER_SECOND = 80
/**
 * Each read of a series makes committed rows settle as a part of their own: some hundred in half a minute keep chDB
 * merging.
 */
const PAUSE_BETWEEN_SERIES_MS = 50

/** A service as clients reach it: one process, or nodes of which each request takes any. */
export interface Reach {
  readonly client: Client
  readonly url: string
  readonly key: string
}

/** What the load must put up with at the moment. */
export interface Bearing {
  /** Whether requests may get no response. */
  readonly loses: () => boolean
  /** Whether a request may get this status. */
  readonly mayRefuse: (status: number) => boolean
  /** The same for new traces. */
  readonly mayRefuseTraces: (status: number) => boolean
}

export interface Load {
  readonly workload: Workload
  /** Call it just before the service is killed or stopped: from then on requests may get no response. */
  expectEnd(): void
  /** Resolves when nothing is being sent any more. */
  readonly ended: Promise<unknown>
}

/** A ledger of everything sent to a service, over all its processes, with a reader of its tail and a receiver. */
export class WatchedLoad {
  readonly reach: Reach
  readonly ledger = new Ledger(LONGEST_TEXT)
  readonly tail = new TailFollower()
  readonly #random: Random
  readonly #deliveries: WatchedDeliveries

  constructor(reach: Reach, deliveries: WatchedDeliveries, random: Random) {
    this.reach = reach
    this.#deliveries = deliveries
    this.#random = random
  }

  /** Call it for each process of the service before anything is sent. */
  async begin(): Promise<void> {
    await defineMetric(this.reach.client, this.ledger)
    await this.#deliveries.subscribe()
  }

  /** Uses every part of the service until `expectEnd` and the end of the process; after it all errors are allowed. */
  load(mayRefuse: (status: number) => boolean): Load {
    let ends = false
    return this.#start(
      { killed: () => ends, mayRefuse: (status) => (ends ? status >= 500 : mayRefuse(status)) },
      () => (ends = true),
    )
  }

  /** Uses every part of a service that stays, whatever of it fails meanwhile. `expectEnd` ends the load. */
  loadThrough({ loses, ...allowed }: Bearing): Load {
    let ends = false
    const rules = { killed: loses, ...allowed, mayRefuseReads: allowed.mayRefuse, ended: () => ends }
    return this.#start(rules, () => (ends = true))
  }

  /** Everything that was acknowledged must exist, and nothing else. Anything else is a violation in the ledger. */
  async verify(): Promise<Verified> {
    const { ledger, reach } = this
    const workload = this.#sender()
    await retryUnanswered(workload)
    const end = newTrace(ledger, this.#random, true)
    await sendTrace(workload, end)
    await this.attempt(() => this.tail.until(end.id ?? 'a trace that was not taken'))
    const verified = await this.attempt(() => verifyAll(reach.client, ledger, this.tail))
    // Not earlier: a retry would write again what was lost.
    await retryAnswered(workload, 50)
    await this.attempt(() => this.#verifyTailFromBeginning(end.id))
    await this.attempt(() => this.#deliveries.verify(ledger))
    return verified ?? { traces: 0, steps: 0, metricEvents: 0 }
  }

  /** An aborted check is a violation; the other checks still run. */
  async attempt<T>(check: () => Promise<T>): Promise<T | null> {
    try {
      return await check()
    } catch (error) {
      this.ledger.violate(`a check was aborted: ${String(error)}`)
      return null
    }
  }

  #sender(): Workload {
    return { client: this.reach.client, ledger: this.ledger, random: this.#random, killed: () => false }
  }

  #start(rules: Partial<Workload>, expectEnd: () => void): Load {
    const pace = () => sleep(this.#random.below((2 * WORKERS * 1000) / REQUESTS_PER_SECOND))
    const workload: Workload = { ...this.#sender(), ...rules, pace }
    const workers = Array.from({ length: WORKERS }, () => work(workload))
    return { workload, expectEnd, ended: Promise.all([...workers, readSeries(workload)]) }
  }

  /** A new reader must see what a reader saw that was connected all the time. */
  async #verifyTailFromBeginning(lastId: string | null): Promise<void> {
    const fresh = new TailFollower()
    await fresh.connect(this.reach)
    await fresh.until(lastId ?? 'a trace that was not taken')
    await fresh.disconnect()
    const deleted = new Set(
      [...this.ledger.traces.values()].flatMap(({ id, deletion }) => (deletion === 'none' ? [] : [id])),
    )
    const positionsIn = (tail: TailFollower) =>
      new Set(tail.seen.filter(({ id }) => !deleted.has(id)).map(({ position, id }) => `${position} ${id}`))
    const [now, before] = [positionsIn(fresh), positionsIn(this.tail)]
    for (const one of before) if (!now.has(one)) this.ledger.violate(`the tail showed ${one} and does not any more`)
    for (const one of now) if (!before.has(one)) this.ledger.violate(`the tail shows ${one} and did not before`)
  }
}

async function readSeries(workload: Workload): Promise<void> {
  const { client, killed, mayRefuse, mayRefuseReads = mayRefuse, ledger, ended = killed } = workload
  while (!ended()) {
    try {
      const { status, text } = await client.get('/v1/traces/series?measure=count')
      if (status !== 200 && mayRefuseReads?.(status) !== true) ledger.violate(`a series: ${status} ${text}`)
    } catch (error) {
      if (!killed()) ledger.violate(`a series: no response although the service runs: ${String(error)}`)
    }
    await sleep(PAUSE_BETWEEN_SERIES_MS)
  }
}
