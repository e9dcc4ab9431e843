import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { nameWords, traceTerms } from '../../traces/rules/terms.ts'
import { isWithin } from '../../traces/rules/trace-bounds.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  hasConditions,
  type NewStep,
  type StepRange,
  type StoredCommit,
} from '../../ports/traces/trace-store.ts'
import { leastPackedBytes, packSteps, unpackSteps } from './packed-steps.ts'

/** Bytes of steps that are held. Half of a minute of a busy project's traces, and days of a quiet one's. */
const RING_BYTES = 32 * 1024 * 1024
/** Each costs about 1 KB of heap beside its steps. */
const MOST_TRACES = 8000
/** Traces of a project whose terms one page may look at. Making them takes about 10 µs for each, of the event loop. */
const MOST_EXAMINED = 500
/** A trace whose steps take more is not held beyond its row: it would push thousands of others out. */
const MOST_TRACE_BYTES = 1024 * 1024

interface Chunk {
  readonly traceId: TraceId
  readonly start: number
  readonly end: number
}

interface Entry {
  trace: TraceRecord
  /** Null once the steps are too large to be held. */
  chunks: Chunk[] | null
  bytes: number
}

/** A page of the feed as far as memory has it. */
export interface NewestPage {
  readonly candidates: readonly FeedCandidate[]
  /** Older traces that may belong to the page: the query for them. Null when the page is whole. */
  readonly rest: FeedCandidateQuery | null
}

/**
 * The traces that were created last, whole: their newest versions and their steps. Reads of them need no query of the
 * engine, which costs fifty times as much.
 *
 * Traces get their ids in commit order, unless they are imported. All that was ever committed of a trace whose id is
 * above `#floor` is here: evicting a trace raises the floor to its id, and an imported trace below it is not taken.
 * Of projects whose commits did not come here, nothing through a gap is. Nothing is loaded. Steps lie in one ring of
 * fixed size, in commit order; the oldest are overwritten.
 */
export class NewestTraces {
  readonly #entries = new Map<TraceId, Entry>()
  /** The keys of `#entries` and of traces that were purged, sorted; the first `#evicted` have been evicted. */
  #ids: TraceId[] = []
  #evicted = 0
  #floor: TraceId | null
  /** By group of projects: commits did not come here, so nothing through this id is covered. */
  readonly #gaps = new Map<number, TraceId>()
  readonly #ring: Buffer
  readonly #chunks: Chunk[] = []
  #oldestChunk = 0
  #next = 0
  readonly #mostTraces: number
  readonly #mostExamined: number
  readonly #groupOf: (projectId: ProjectId) => number
  /** Search terms of versions that a filter has met. */
  readonly #terms = new WeakMap<TraceRecord, ReadonlySet<string>>()

  /** `lastTraceId`: the last trace that was created before; null when there is none. */
  constructor(
    lastTraceId: TraceId | null,
    {
      ringBytes = RING_BYTES,
      mostTraces = MOST_TRACES,
      mostExamined = MOST_EXAMINED,
      groupOf = ((): number => 0) as (projectId: ProjectId) => number,
    } = {},
  ) {
    this.#groupOf = groupOf
    this.#floor = lastTraceId
    // Pages of it are taken from the system when they are first written.
    this.#ring = Buffer.allocUnsafeSlow(ringBytes)
    this.#mostTraces = mostTraces
    this.#mostExamined = mostExamined
  }

  /** Takes a commit when it becomes readable. */
  add({ traces, steps }: StoredCommit): void {
    for (const trace of traces) this.#put(trace)
    for (const [traceId, ofTrace] of Map.groupBy(steps, (step) => step.traceId)) this.#append(traceId, ofTrace)
    while (this.#ids.length - this.#evicted > this.#mostTraces) this.#evict(this.#ids[this.#evicted] as TraceId)
  }

  /** Commits of projects of these groups did not come here. No trace of them is above `through`. */
  miss(groups: ReadonlySet<number>, through: TraceId): void {
    for (const group of groups) this.#gaps.set(group, through)
  }

  /** Removes traces that are being purged. */
  forget(traceIds: Iterable<TraceId>): void {
    for (const id of traceIds) this.#entries.delete(id)
  }

  /** Whether everything committed of the trace is here, that it does not exist included. */
  covers(projectId: ProjectId, id: TraceId): boolean {
    const floor = this.#floorOf(projectId)
    return floor === null || id > floor
  }

  #floorOf(projectId: ProjectId): TraceId | null {
    const gap = this.#gaps.size === 0 ? undefined : this.#gaps.get(this.#groupOf(projectId))
    return gap !== undefined && this.#isAboveFloor(gap) ? gap : this.#floor
  }

  #isAboveFloor(id: TraceId): boolean {
    return this.#floor === null || id > this.#floor
  }

  /** Whether it is held, whatever its project is. */
  has(id: TraceId): boolean {
    return this.#entries.has(id)
  }

  /** The newest version of a trace that is covered. */
  find(projectId: ProjectId, id: TraceId): TraceRecord | undefined {
    const trace = this.#entries.get(id)?.trace
    return trace?.projectId === projectId ? trace : undefined
  }

  /** Null when they are not held here. */
  steps({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): readonly StepRecord[] | null {
    if (!this.covers(projectId, traceId)) return null
    const entry = this.#entries.get(traceId)
    if (entry?.trace.projectId !== projectId) return []
    if (entry.chunks === null) return null
    const found = entry.chunks
      .flatMap(({ start, end }) => unpackSteps(this.#ring.subarray(start, end)))
      .filter(({ version, step: { position } }) => version <= maxVersion && position >= fromPosition)
      .map(({ step }) => step)
      .sort((a, b) => a.position - b.position)
    // The chunks are in commit order, and the sort keeps it: the last of a position is its newest version.
    return found.filter(({ position }, at) => found[at + 1]?.position !== position).slice(0, limit)
  }

  /** Null for a query that memory does not answer: words, and orders in which the newest traces are not the first. */
  page(query: FeedCandidateQuery): NewestPage | null {
    const { projectId, order, after, limit, words, among, created } = query
    if (query.sort !== 'created_at' || words !== null || among !== null || created !== null) return null
    let { lowestId: lowest, highestId: highest } = query
    if (after !== null && order === 'desc' && after.id < highest) highest = after.id
    if (after !== null && order === 'asc' && after.id > lowest) lowest = after.id
    const isWhole = this.covers(projectId, lowest)
    if (!isWhole && (order === 'asc' || !this.covers(projectId, highest))) return null
    const candidates: FeedCandidate[] = []
    const isFiltered = hasConditions(query)
    let examined = 0
    const floor = this.#floorOf(projectId)
    if (floor !== null && floor > lowest) lowest = floor
    for (const id of this.#idsWithin(lowest, highest, order)) {
      if (id === after?.id || id === floor) continue
      const trace = this.find(projectId, id)
      if (trace === undefined) continue
      if (isWithin(trace, query) && this.#hasTerms(trace, query.termGroups))
        candidates.push({ id, version: 0, key: 0, trace })
      if (candidates.length === limit) return { candidates, rest: null }
      examined += 1
      // The index of the engine finds such rare values.
      if (isFiltered && examined === this.#mostExamined) {
        return { candidates, rest: { ...query, after: { key: 0, id }, limit: limit - candidates.length } }
      }
    }
    if (isWhole) return { candidates, rest: null }
    return { candidates, rest: { ...query, highestId: floor as TraceId, limit: limit - candidates.length } }
  }

  #put(trace: TraceRecord): void {
    if (!this.covers(trace.projectId, trace.id)) return
    const entry = this.#entries.get(trace.id)
    // A slice of a request's body would keep the whole body alive.
    const held = { ...trace, metadata: Buffer.from(trace.metadata) }
    if (entry === undefined) {
      this.#entries.set(trace.id, { trace: held, chunks: [], bytes: 0 })
      const at = this.#firstAtLeast(trace.id)
      if (this.#ids[at] !== trace.id) this.#ids.splice(at, 0, trace.id)
      return
    }
    entry.trace = held
    if (trace.deleted) entry.chunks = null
  }

  #append(traceId: TraceId, steps: readonly NewStep[]): void {
    const entry = this.#entries.get(traceId)
    if (entry === undefined || entry.chunks === null) return
    const room = Math.min(MOST_TRACE_BYTES, this.#ring.length / 2) - entry.bytes
    // Packing the steps of a huge trace would block the event loop for nothing.
    const bytes = leastPackedBytes(steps) > room ? null : packSteps(steps)
    if (bytes === null || bytes.length > room) {
      entry.chunks = null
      return
    }
    entry.bytes += bytes.length
    const chunk = this.#write(traceId, bytes)
    // Making room may have evicted this very trace.
    if (this.#entries.has(traceId)) entry.chunks.push(chunk)
  }

  #write(traceId: TraceId, bytes: Buffer): Chunk {
    if (this.#next + bytes.length > this.#ring.length) {
      this.#makeRoom(this.#next, this.#ring.length)
      this.#next = 0
    }
    const chunk = { traceId, start: this.#next, end: this.#next + bytes.length }
    this.#makeRoom(chunk.start, chunk.end)
    bytes.copy(this.#ring, chunk.start)
    this.#next = chunk.end
    this.#chunks.push(chunk)
    return chunk
  }

  /** Evicts the traces whose chunks lie there: the oldest ones. */
  #makeRoom(start: number, end: number): void {
    for (;;) {
      const oldest = this.#chunks[this.#oldestChunk]
      if (oldest === undefined || oldest.start >= end || oldest.end <= start) break
      this.#evict(oldest.traceId)
      this.#oldestChunk += 1
    }
    if (this.#oldestChunk < 4096) return
    this.#chunks.splice(0, this.#oldestChunk)
    this.#oldestChunk = 0
  }

  /** With all that were created before it. */
  #evict(id: TraceId): void {
    if (!this.#isAboveFloor(id)) return
    this.#floor = id
    while (this.#evicted < this.#ids.length && (this.#ids[this.#evicted] as TraceId) <= id) {
      this.#entries.delete(this.#ids[this.#evicted] as TraceId)
      this.#evicted += 1
    }
    if (this.#evicted < 4096) return
    this.#ids = this.#ids.slice(this.#evicted)
    this.#evicted = 0
  }

  *#idsWithin(lowest: TraceId, highest: TraceId, order: 'asc' | 'desc'): Generator<TraceId> {
    const first = this.#firstAtLeast(lowest)
    let behind = this.#firstAtLeast(highest)
    if (this.#ids[behind] === highest) behind += 1
    if (order === 'asc') for (let at = first; at < behind; at++) yield this.#ids[at] as TraceId
    else for (let at = behind - 1; at >= first; at--) yield this.#ids[at] as TraceId
  }

  /** The place of the first id that is not less. */
  #firstAtLeast(id: TraceId): number {
    let [low, high] = [this.#evicted, this.#ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ids[middle] as TraceId) < id) low = middle + 1
      else high = middle
    }
    return low
  }

  #hasTerms(trace: TraceRecord, groups: readonly (readonly string[])[]): boolean {
    if (groups.length === 0) return true
    let terms = this.#terms.get(trace)
    if (terms === undefined) {
      terms = new Set([...traceTerms(trace), ...nameWords(trace.name)])
      this.#terms.set(trace, terms)
    }
    const held = terms
    return groups.every((group) => group.some((term) => held.has(term)))
  }
}
