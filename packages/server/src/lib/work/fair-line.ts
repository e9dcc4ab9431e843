import { DomainError } from '../domain-error.ts'
import { laneOf, type Requester, signalOf } from './requester.ts'

/** One that waits, and what it asks for. */
export interface Waiting<Asked> {
  readonly requester: Requester
  readonly asked: Asked
}

interface Entry<Asked, Given> extends Waiting<Asked> {
  readonly resolve: (given: Given) => void
}

/** MUST be passed before anything else is asked of the line. */
export interface Turn<Asked, Given> extends Waiting<Asked> {
  /** Ends its waiting. */
  readonly pass: (given: Given) => void
}

/** Waiting at once for one project. A page of the dashboard sends about ten requests. */
const MOST_WAITING = 64

type Lanes<Asked, Given> = Map<string, Entry<Asked, Given>[]>

/**
 * Those who wait for something that all share. The three kinds of requesters take turns, and so do projects among themselves: however many
 * requests one project sends, the next one of another project comes right behind the one whose turn it is. A project's own come in order.
 */
export class FairLine<Asked, Given> {
  readonly #mostWaiting: number
  /** By kind, then by project. The one that had its turn last is the last of its map. */
  readonly #kinds = new Map<Requester['kind'], Lanes<Asked, Given>>()
  /** They had a turn. */
  readonly #begun = new WeakSet<Requester>()

  /** @param mostWaiting for one project */
  constructor(mostWaiting = MOST_WAITING) {
    this.#mostWaiting = mostWaiting
    for (const kind of ['commit', 'service', 'project'] as const) this.#kinds.set(kind, new Map())
  }

  /**
   * Resolves with what it is given at its turn. Rejects with the reason of the requester's signal when that aborts before, and with DomainError
   * `too_many_reads` when as many of the project wait as may, unless this requester had a turn before.
   */
  async wait(requester: Requester, asked: Asked): Promise<Given> {
    const signal = signalOf(requester)
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Given>()
    const entry = { requester, asked, resolve }
    this.#add(entry)
    const leave = () => {
      this.#remove(entry)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', leave)
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** The one whose turn it is among those that `mayPass`, of which each project's first is asked. Undefined when there is none. */
  next(mayPass: (waiting: Waiting<Asked>) => boolean): Turn<Asked, Given> | undefined {
    for (const lanes of this.#kinds.values()) {
      for (const [head] of lanes.values()) {
        if (head !== undefined && mayPass(head)) return { ...head, pass: (given) => this.#pass(head, given) }
      }
    }
    return undefined
  }

  /** Its kind, and its project among the projects, comes last now. */
  #pass(entry: Entry<Asked, Given>, given: Given): void {
    const { requester, resolve } = entry
    this.#begun.add(requester)
    const lanes = this.#lanesOf(requester)
    const name = laneOf(requester)
    const rest = (lanes.get(name) ?? []).slice(1)
    lanes.delete(name)
    if (rest.length > 0) lanes.set(name, rest)
    this.#kinds.delete(requester.kind)
    this.#kinds.set(requester.kind, lanes)
    resolve(given)
  }

  /** A request that has begun is not refused half-way: it is one of those that were let in. */
  #add(entry: Entry<Asked, Given>): void {
    const { requester } = entry
    const lanes = this.#lanesOf(requester)
    const lane = lanes.get(laneOf(requester)) ?? []
    const isBounded = requester.kind === 'project' && !this.#begun.has(requester)
    if (isBounded && lane.length >= this.#mostWaiting) throw tooManyReads(lane.length)
    lane.push(entry)
    lanes.set(laneOf(requester), lane)
  }

  /** Nothing when it had its turn. */
  #remove(entry: Entry<Asked, Given>): void {
    const lanes = this.#lanesOf(entry.requester)
    const name = laneOf(entry.requester)
    const rest = (lanes.get(name) ?? []).filter((other) => other !== entry)
    if (rest.length > 0) lanes.set(name, rest)
    else lanes.delete(name)
  }

  #lanesOf({ kind }: Requester): Lanes<Asked, Given> {
    return this.#kinds.get(kind) as Lanes<Asked, Given>
  }
}

function tooManyReads(waiting: number): DomainError {
  const detail = `${waiting} reads of this project are waiting already. Send fewer at a time, and try again.`
  return new DomainError('too_many_reads', detail, { retryAfterSeconds: 2 })
}
