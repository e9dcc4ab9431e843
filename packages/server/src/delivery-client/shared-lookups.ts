import type { LookupAddress } from 'node:dns'
import type { Timers } from '../lib/time/timers.ts'
import type { ResolveName } from './guarded-connector.ts'

/**
 * A lookup occupies one of the eight threads that all slow work shares until its DNS server answers; it cannot be
 * cancelled.
 */
const MOST_AT_ONCE = 6
/** Of these, for names that have not resolved yet or failed last: if they hang, the other names still resolve. */
const MOST_UNPROVEN = 3
const FAILURE_KEPT_MS = { least: 2000, most: 30_000 }
/** Of each kind. Forgetting the oldest costs at most a lookup. */
const NAMES_REMEMBERED = 1000

type Report = Parameters<ResolveName>[1]

interface NameLookup {
  readonly name: string
  /** Null while it is queued. */
  startedAt: number | null
  readonly waiting: Set<Report>
}

export interface SharedLookupsDependencies {
  readonly resolve: ResolveName
  readonly timers: Timers
  /** The longest that a caller waits, time in the queue included; null is reported then. */
  readonly patienceMs: number
}

/**
 * Runs at most one lookup of a name at a time and few in total, since the resolver may hang. A name that failed is not
 * looked up again for as long as the failure took (2 to 30 s). Addresses are not cached: a connection never uses the
 * answer of a lookup that ended before it was requested.
 */
export class SharedLookups {
  readonly #dependencies: SharedLookupsDependencies
  readonly #lookups = new Map<string, NameLookup>()
  readonly #queued = new Set<NameLookup>()
  readonly #running = new Set<NameLookup>()
  /** Names whose last lookup succeeded. */
  readonly #proven = new Map<string, true>()
  /** Until when a failed name is reported as failed. */
  readonly #failedUntil = new Map<string, number>()

  constructor(dependencies: SharedLookupsDependencies) {
    this.#dependencies = dependencies
  }

  resolve(name: string, report: Report): void {
    const { timers, patienceMs } = this.#dependencies
    if ((this.#failedUntil.get(name) ?? 0) > timers.now()) return report([])
    const lookup = this.#lookups.get(name) ?? this.#queue(name)
    if (lookup.startedAt !== null && timers.now() - lookup.startedAt >= patienceMs) return report(null)
    const end: Report = (addresses) => {
      cancel()
      lookup.waiting.delete(end)
      report(addresses)
    }
    const cancel = timers.after(patienceMs, () => {
      end(null)
      if (lookup.startedAt !== null) this.#proven.delete(name)
      else if (lookup.waiting.size === 0) this.#forget(lookup)
    })
    lookup.waiting.add(end)
    this.#startNext()
  }

  /** Reports null to all callers. Lookups under way end by themselves. */
  close(): void {
    this.#queued.clear()
    for (const lookup of this.#lookups.values()) reportAll(lookup, null)
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

  /** The next that may start, proven names first. */
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
    reportAll(lookup, addresses)
    this.#startNext()
  }

  #forget(lookup: NameLookup): void {
    this.#queued.delete(lookup)
    this.#running.delete(lookup)
    this.#lookups.delete(lookup.name)
  }
}

function reportAll(lookup: NameLookup, addresses: readonly LookupAddress[] | null): void {
  for (const report of lookup.waiting) report(addresses)
}

function remember<Value>(names: Map<string, Value>, name: string, value: Value): void {
  names.set(name, value)
  const [oldest] = names.keys()
  if (names.size > NAMES_REMEMBERED && oldest !== undefined) names.delete(oldest)
}
