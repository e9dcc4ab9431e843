import type { LookupAddress } from 'node:dns'
import type { Timers } from '../lib/time/timers.ts'
import type { ResolveName } from './guarded-connect.ts'

/** A look-up of the system takes one of the eight threads that all slow work shares, for as long as its server is silent, and cannot be ended. */
const MOST_AT_ONCE = 6
/** Of these, for names that did not resolve the last time or never: however many of them hang, there is room for the others. */
const MOST_UNPROVEN = 3
const FAILURE_KEPT_MS = { least: 2000, most: 30_000 }
/** Of each kind; the oldest is forgotten, which costs no more than a look-up. */
const NAMES_REMEMBERED = 1000

type Tell = Parameters<ResolveName>[1]

interface NameLookup {
  readonly name: string
  /** Null while it waits for room. */
  startedAt: number | null
  /** What tells them, and ends their patience. */
  readonly waiting: Set<(addresses: readonly LookupAddress[] | null) => void>
}

export interface SharedLookupsDependencies {
  readonly resolve: ResolveName
  readonly timers: Timers
  /** Who has waited so long, for room too, is told null. */
  readonly patienceMs: number
}

/**
 * Stands before a resolver that may hang: one look-up of a name at once, whoever waits for it, and few in all. A name that failed is not looked up again for as long as that took (2 to 30 s).
 * No answer is kept: every connection has one that was asked for while it waited or is still under way.
 */
export class SharedLookups {
  readonly #dependencies: SharedLookupsDependencies
  readonly #lookups = new Map<string, NameLookup>()
  readonly #queued = new Set<NameLookup>()
  readonly #running = new Set<NameLookup>()
  /** Names that resolved the last time. */
  readonly #proven = new Map<string, true>()
  /** Until when a name that could not be resolved is answered so. */
  readonly #failedUntil = new Map<string, number>()

  constructor(dependencies: SharedLookupsDependencies) {
    this.#dependencies = dependencies
  }

  resolve(name: string, tell: Tell): void {
    const { timers, patienceMs } = this.#dependencies
    if ((this.#failedUntil.get(name) ?? 0) > timers.now()) return tell([])
    const lookup = this.#lookups.get(name) ?? this.#queue(name)
    if (lookup.startedAt !== null && timers.now() - lookup.startedAt >= patienceMs) return tell(null)
    const told = (addresses: readonly LookupAddress[] | null) => {
      cancel()
      lookup.waiting.delete(told)
      tell(addresses)
    }
    const cancel = timers.after(patienceMs, () => {
      told(null)
      if (lookup.startedAt !== null) this.#proven.delete(name)
      else if (lookup.waiting.size === 0) this.#forget(lookup)
    })
    lookup.waiting.add(told)
    this.#startNext()
  }

  /** Nobody waits any more. What is under way goes on to its end, unheard. */
  close(): void {
    this.#queued.clear()
    for (const lookup of this.#lookups.values()) tellAll(lookup, null)
  }

  #queue(name: string): NameLookup {
    const lookup: NameLookup = { name, startedAt: null, waiting: new Set() }
    this.#lookups.set(name, lookup)
    this.#queued.add(lookup)
    return lookup
  }

  #startNext(): void {
    const { resolve, timers } = this.#dependencies
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const lookup = next
      this.#queued.delete(lookup)
      this.#running.add(lookup)
      const startedAt = timers.now()
      lookup.startedAt = startedAt
      resolve(lookup.name, (addresses) => this.#ended(lookup, timers.now() - startedAt, addresses ?? []))
    }
  }

  /** The first that may start: those whose name is proven before the others. */
  #next(): NameLookup | undefined {
    if (this.#running.size >= MOST_AT_ONCE || this.#queued.size === 0) return undefined
    const isProven = ({ name }: NameLookup) => this.#proven.has(name)
    const proven = [...this.#queued].find(isProven)
    if (proven !== undefined) return proven
    const unproven = [...this.#running].filter((lookup) => !isProven(lookup)).length
    return unproven < MOST_UNPROVEN ? this.#queued.values().next().value : undefined
  }

  #ended(lookup: NameLookup, tookMs: number, addresses: readonly LookupAddress[]): void {
    const { name } = lookup
    this.#forget(lookup)
    this.#proven.delete(name)
    this.#failedUntil.delete(name)
    if (addresses.length > 0) remember(this.#proven, name, true)
    else {
      const keptMs = Math.min(Math.max(tookMs, FAILURE_KEPT_MS.least), FAILURE_KEPT_MS.most)
      remember(this.#failedUntil, name, this.#dependencies.timers.now() + keptMs)
    }
    tellAll(lookup, addresses)
    this.#startNext()
  }

  #forget(lookup: NameLookup): void {
    this.#queued.delete(lookup)
    this.#running.delete(lookup)
    this.#lookups.delete(lookup.name)
  }
}

function tellAll(lookup: NameLookup, addresses: readonly LookupAddress[] | null): void {
  for (const told of lookup.waiting) told(addresses)
}

function remember<Value>(names: Map<string, Value>, name: string, value: Value): void {
  names.set(name, value)
  const [oldest] = names.keys()
  if (names.size > NAMES_REMEMBERED && oldest !== undefined) names.delete(oldest)
}
