import { DomainError } from '../domain-error.ts'
import { Lanes } from './lanes.ts'
import { laneOf, type Requester, signalOf } from './requester.ts'

export interface Waiting<Demand> {
  readonly requester: Requester
  readonly demand: Demand
}

interface Entry<Demand, Result> extends Waiting<Demand> {
  readonly resolve: (result: Result) => void
}

/** `pass` MUST be called before any other call of the queue. */
export interface Turn<Demand, Result> extends Waiting<Demand> {
  /** Resolves the wait. */
  readonly pass: (result: Result) => void
}

/** Waiting requests of one project. A page of the dashboard sends about ten. */
const MOST_WAITING = 64

/**
 * A queue for a shared resource. The three kinds of requesters take turns, and so do projects: however many requests
 * one project sends, a request of another project comes right after the current one. Requests of one project keep their
 * order.
 */
export class FairQueue<Demand, Result> {
  readonly #mostWaiting: number
  readonly #refusal: (waiting: number) => DomainError
  /** The last one is the one that had its turn last. */
  readonly #kinds = new Map<Requester['kind'], Lanes<Entry<Demand, Result>>>()
  /** Requesters that have had a turn. */
  readonly #begun = new WeakSet<Requester>()

  /**
   * @param mostWaiting per project
   * @param refusal of one more
   */
  constructor(mostWaiting = MOST_WAITING, refusal = tooManyReads) {
    this.#mostWaiting = mostWaiting
    this.#refusal = refusal
    for (const kind of ['commit', 'service', 'project'] as const) this.#kinds.set(kind, new Lanes())
  }

  /**
   * Resolves with the result that it gets at its turn. Rejects with the reason of the requester's signal if that aborts
   * before, and with the refusal (DomainError `too_many_reads` by default) if the queue of the project is full and this
   * requester has not had a turn.
   */
  async wait(requester: Requester, demand: Demand): Promise<Result> {
    const signal = signalOf(requester)
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const entry = { requester, demand, resolve }
    this.#add(entry)
    const leave = () => {
      this.#lanesOf(requester).remove(laneOf(requester), entry)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', leave)
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /**
   * The next request that `mayPass`, which is called for the first request of each project. Undefined if there is none.
   */
  next(mayPass: (waiting: Waiting<Demand>) => boolean): Turn<Demand, Result> | undefined {
    for (const lanes of this.#kinds.values()) {
      for (const [, head] of lanes.heads()) {
        if (mayPass(head)) return { ...head, pass: (result) => this.#pass(head, result) }
      }
    }
    return undefined
  }

  /** Moves its kind and its project to the end. */
  #pass(entry: Entry<Demand, Result>, result: Result): void {
    const { requester, resolve } = entry
    this.#begun.add(requester)
    const lanes = this.#lanesOf(requester)
    lanes.take(laneOf(requester))
    this.#kinds.delete(requester.kind)
    this.#kinds.set(requester.kind, lanes)
    resolve(result)
  }

  /** A request that has had a turn is never refused half-way. */
  #add(entry: Entry<Demand, Result>): void {
    const { requester } = entry
    const lanes = this.#lanesOf(requester)
    const waiting = lanes.lengthOf(laneOf(requester))
    const isBounded = requester.kind === 'project' && !this.#begun.has(requester)
    if (isBounded && waiting >= this.#mostWaiting) throw this.#refusal(waiting)
    lanes.add(laneOf(requester), entry)
  }

  #lanesOf({ kind }: Requester): Lanes<Entry<Demand, Result>> {
    return this.#kinds.get(kind) as Lanes<Entry<Demand, Result>>
  }
}

function tooManyReads(waiting: number): DomainError {
  const detail = `${waiting} reads of this project are already waiting. Send fewer at a time and try again.`
  return new DomainError('too_many_reads', detail, { retryAfterSeconds: 2 })
}
