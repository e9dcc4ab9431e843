import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { greatestId, timeOfId } from '../../lib/ids/ids.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  hasConditions,
  type ProjectFilter,
  type StoredCommit,
} from '../../ports/traces/trace-store.ts'
import { comparePositions, sortKey } from '../../traces/rules/candidate-order.ts'

/** The first traces of an order that are kept: the pages that people turn to. 0.1 MB. */
const MOST_KEPT = 1000
/** Orders of all projects. Each commit is compared with those of its project, 1 µs for each trace. */
const MOST_ORDERS = 32

type Read = (query: FeedCandidateQuery) => Promise<FeedCandidate[]>

/**
 * The first traces by cost of each project that is listed so. The engine would have to price all traces for each page.
 * It does so once; afterwards each commit takes its traces out of the order or puts them in their new place. Prices
 * that change make another order.
 */
export class LeadingTraces {
  /** Ordered by last use, the latest last. */
  readonly #orders = new Map<string, LeadingOrder>()
  readonly #mostKept: number

  constructor(mostKept = MOST_KEPT) {
    this.#mostKept = mostKept
  }

  /** Takes a commit when it becomes readable. */
  add({ traces }: StoredCommit): void {
    for (const order of this.#orders.values()) for (const trace of traces) order.put(trace)
  }

  forget(isOf: ProjectFilter): void {
    for (const [name, { projectId }] of this.#orders) if (isOf(projectId)) this.#orders.delete(name)
  }

  /** `read` finds candidates in what was committed before it is called. */
  async find(query: FeedCandidateQuery, read: Read): Promise<FeedCandidate[]> {
    const { projectId, sort, order, rates, words, among, created, limit } = query
    const isPlain = !hasConditions(query) && words === null && among === null && created === null
    if (sort !== 'cost_usd' || !isPlain || limit > this.#mostKept) return read(query)
    const name = `${projectId} ${order} ${rates?.fingerprint}`
    const known = this.#orders.get(name)
    const page = known?.page(query) ?? null
    if (known !== undefined) this.#use(name, known)
    if (page !== null) return [...page]
    const isFirst = query.after === null && timeOfId(query.lowestId) === 0
    if (!isFirst || known?.isRead === false) return read(query)
    const kept = new LeadingOrder(query, this.#mostKept)
    this.#use(name, kept)
    try {
      const all = { ...query, highestId: greatestId('tr'), atVersion: null, limit: this.#mostKept }
      kept.fill(await read(all))
    } catch (error) {
      this.#orders.delete(name)
      throw error
    }
    return [...(kept.page(query) ?? (await read(query)))]
  }

  #use(name: string, order: LeadingOrder): void {
    this.#orders.delete(name)
    this.#orders.set(name, order)
    const [oldest] = this.#orders.keys()
    if (this.#orders.size > MOST_ORDERS && oldest !== undefined) this.#orders.delete(oldest)
  }
}

/** The newest versions of the first traces of one order. */
class LeadingOrder {
  readonly #query: FeedCandidateQuery
  readonly #mostKept: number
  #rows = new Map<TraceId, FeedCandidate>()
  /** Traces after it are not kept; null when all are. */
  #end: FeedCandidate | null = null
  #isSorted = false
  #isRead = false

  constructor(query: FeedCandidateQuery, mostKept: number) {
    this.#query = query
    this.#mostKept = mostKept
  }

  get projectId(): ProjectId {
    return this.#query.projectId
  }

  get isRead(): boolean {
    return this.#isRead
  }

  /** Versions of a trace come in their order. Until the rows are read, all are kept. */
  put(trace: TraceRecord): void {
    if (trace.projectId !== this.#query.projectId) return
    this.#rows.delete(trace.id)
    const row = { id: trace.id, version: trace.version, key: sortKey(trace, this.#query) }
    if (trace.deleted || this.#isAfterEnd(row)) return
    this.#rows.set(trace.id, row)
    this.#isSorted = false
    if (this.#isRead && this.#rows.size > 2 * this.#mostKept) this.#cut()
  }

  /** `found`: the first candidates, read since this exists. */
  fill(found: readonly FeedCandidate[]): void {
    for (const row of found) if (row.version >= (this.#rows.get(row.id)?.version ?? 0)) this.#rows.set(row.id, row)
    this.#end = found.length < this.#mostKept ? null : (found.at(-1) as FeedCandidate)
    for (const row of this.#rows.values()) if (this.#isAfterEnd(row)) this.#rows.delete(row.id)
    this.#isSorted = false
    this.#isRead = true
  }

  /** Null when it may continue beyond what is kept. */
  page({ lowestId, highestId, atVersion, after, limit }: FeedCandidateQuery): readonly FeedCandidate[] | null {
    if (!this.#isRead) return null
    if (!this.#isSorted) this.#sort()
    const found: FeedCandidate[] = []
    for (const row of this.#rows.values()) {
      if (row.id < lowestId || row.id > highestId || row.version > (atVersion ?? Infinity)) continue
      if (after !== null && comparePositions(row, after, this.#query) <= 0) continue
      if (found.push(row) === limit) return found
    }
    return this.#end === null ? found : null
  }

  #isAfterEnd(row: FeedCandidate): boolean {
    return this.#end !== null && comparePositions(row, this.#end, this.#query) > 0
  }

  #sort(): void {
    const rows = [...this.#rows.values()].sort((a, b) => comparePositions(a, b, this.#query))
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    this.#isSorted = true
  }

  #cut(): void {
    this.#sort()
    const rows = [...this.#rows].slice(0, this.#mostKept)
    this.#rows = new Map(rows)
    this.#end = rows.at(-1)?.[1] as FeedCandidate
  }
}
