import type { TraceId } from '@spoor/contract/ids'
import type { Journal, SupersededKeys } from '../journal/journal.ts'
import type { Clock } from '../lib/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { timeOfId } from '../lib/ids.ts'
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from './feed-cursor.ts'
import { feedPredicate, feedTerms } from './feed-filter.ts'
import type { Watermark } from './group-committer.ts'
import { toSearchWords } from './search-text.ts'
import type { SortedWalks } from './sorted-walks.ts'
import type { TraceRecord } from './trace-record.ts'
import { type FeedCandidate, type FeedCandidateQuery, type TraceStore, UNKNOWN_DURATION } from './trace-store.ts'
import type { FeedPage, FeedQuery, FeedSort } from './use-cases.ts'

export interface ListTracesDependencies {
  readonly store: Pick<TraceStore, 'findFeedCandidates' | 'findTraces'>
  readonly journal: Pick<Journal, 'supersededAt'>
  readonly watermark: () => Watermark
  readonly walks: SortedWalks
  readonly clock: Clock
  /** The least and the greatest trace id of a millisecond. */
  readonly lowestIdAt: (ms: number) => TraceId
  readonly fullText: boolean
}

/** A page ends early when its metadata has grown past this, bytes: a list of huge rows is walked in smaller steps. */
const PAGE_BYTES = 2 * 1024 * 1024
/** Wide rows are read for this many candidates at a time. */
const WIDE_ROWS = 256
const MOST_CANDIDATES = 4096

/**
 * A page of the feed. Candidates come from narrow columns and may be out of date; the newest version of each decides.
 * A walk sees each row that existed when it began once: by creation time because ids never change, by a changing key because the keys that
 * rows had when the walk began are kept while walks are under way.
 */
export async function listTraces(dependencies: ListTracesDependencies, query: FeedQuery): Promise<FeedPage> {
  const { watermark, clock, walks } = dependencies
  const cursor = query.cursor === null ? null : decodeFeedCursor(query.cursor, query)
  const words = searchWords(query, dependencies.fullText)
  const now = clock.now()
  if (query.sort !== 'created_at') {
    if (cursor !== null && walks.expired(cursor.begunAt, now)) {
      throw new DomainError('cursor_expired', 'A walk by a key that changes ends an hour after it began.')
    }
    walks.begin(now)
  }
  const { version, lastTraceId } = watermark()
  const walk: Walk = { snapshot: cursor?.snapshot ?? version, begunAt: cursor?.begunAt ?? now }
  if (lastTraceId === null) return { traces: [], nextCursor: null }
  const found = new PageBuilder(query.limit)
  const matches = feedPredicate(query)
  for await (const group of candidateGroups(dependencies, query, words, walk, cursor, lastTraceId)) {
    const newest = await newestVersions(dependencies, query, group)
    const moved = new Moved(dependencies.journal, query, walk)
    for (const candidate of group) {
      const trace = newest.get(candidate.id)
      if (trace === undefined || trace.deleted || !matches(trace)) continue
      if (query.sort !== 'created_at' && trace.version !== candidate.version && !moved.held(candidate)) continue
      if (!found.add(trace, candidate)) return found.page(query, walk)
    }
  }
  return found.page(query, walk)
}

interface Walk {
  readonly snapshot: number
  readonly begunAt: number
}

class PageBuilder {
  readonly #limit: number
  readonly #traces: TraceRecord[] = []
  #bytes = 0
  #last: FeedCandidate | null = null
  #more = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page is full: the row is there, but belongs to the next page. */
  add(trace: TraceRecord, candidate: FeedCandidate): boolean {
    const full =
      this.#traces.length === this.#limit ||
      (this.#traces.length > 0 && this.#bytes + trace.metadata.length > PAGE_BYTES)
    if (full) {
      this.#more = true
      return false
    }
    this.#traces.push(trace)
    this.#bytes += trace.metadata.length
    this.#last = candidate
    return true
  }

  page(query: FeedQuery, walk: Walk): FeedPage {
    if (!this.#more || this.#last === null) return { traces: this.#traces, nextCursor: null }
    const { id, key } = this.#last
    return { traces: this.#traces, nextCursor: encodeFeedCursor({ id, key, ...walk }, query) }
  }
}

function searchWords(query: FeedQuery, fullText: boolean): readonly string[] | null {
  if (query.text === null) return null
  if (!fullText) throw new DomainError('full_text_disabled', 'Set SPOOR_FULL_TEXT=on to search in text.')
  const words = toSearchWords(query.text)
  if (words.length > 0) return words
  const detail = 'q holds no word to search for.'
  throw new DomainError('validation_failed', detail, { errors: [{ pointer: '?q', code: 'invalid_value', detail }] })
}

/** Candidates in order, in groups that grow while nothing matches. */
async function* candidateGroups(
  dependencies: ListTracesDependencies,
  query: FeedQuery,
  words: readonly string[] | null,
  walk: Walk,
  cursor: FeedCursor | null,
  lastTraceId: TraceId,
): AsyncGenerator<readonly FeedCandidate[]> {
  const { store, journal, lowestIdAt } = dependencies
  const sorted = query.sort !== 'created_at'
  const base: Omit<FeedCandidateQuery, 'after' | 'limit'> = {
    projectId: query.projectId,
    termGroups: feedTerms(query),
    words,
    lowestId: lowestIdAt(query.startTime ?? 0),
    highestId: highestId(dependencies, query, lastTraceId),
    sort: query.sort,
    order: query.order,
    atVersion: sorted ? walk.snapshot : null,
  }
  if (base.lowestId > base.highestId) return
  let after = cursor === null ? null : { key: cursor.key, id: cursor.id }
  let limit = query.limit + Math.max(8, query.limit >> 2)
  for (;;) {
    const candidates = await store.findFeedCandidates({ ...base, after, limit })
    const last = candidates.at(-1)
    const ended = candidates.length < limit || last === undefined
    // Asked after the store, so that a row which moved away meanwhile is found here.
    const group = sorted
      ? new Moved(journal, query, walk).mergeInto(candidates, after, ended ? null : last)
      : candidates
    for (let from = 0; from < group.length; from += WIDE_ROWS) yield group.slice(from, from + WIDE_ROWS)
    if (ended) return
    after = { key: last.key, id: last.id }
    limit = Math.min(limit * 2, MOST_CANDIDATES)
  }
}

/** Rows changed since the walk began, with the keys they had then. */
class Moved {
  readonly #journal: Pick<Journal, 'supersededAt'>
  readonly #query: FeedQuery
  readonly #walk: Walk
  #rows: Map<TraceId, FeedCandidate> | null = null

  constructor(journal: Pick<Journal, 'supersededAt'>, query: FeedQuery, walk: Walk) {
    this.#journal = journal
    this.#query = query
    this.#walk = walk
  }

  /** Whether this is the version its trace had when the walk began. */
  held(candidate: FeedCandidate): boolean {
    return this.#load().get(candidate.id)?.version === candidate.version
  }

  /** The candidates with those rows in `(after, last]` that the store no longer has as they were. */
  mergeInto(
    candidates: readonly FeedCandidate[],
    after: { readonly key: number; readonly id: TraceId } | null,
    last: FeedCandidate | null,
  ): readonly FeedCandidate[] {
    const rows = this.#load()
    if (rows.size === 0) return candidates
    const within = [...rows.values()].filter(
      (row) =>
        (after === null || compare(row, after, this.#query) > 0) &&
        (last === null || compare(row, last, this.#query) <= 0),
    )
    const stored = candidates.filter(({ id }) => !rows.has(id))
    return [...stored, ...within].sort((a, b) => compare(a, b, this.#query))
  }

  #load(): Map<TraceId, FeedCandidate> {
    if (this.#rows !== null) return this.#rows
    const { projectId, sort, startTime, endTime } = this.#query
    this.#rows = new Map()
    const until = new Map<TraceId, number>()
    for (const keys of this.#journal.supersededAt(projectId, this.#walk.snapshot)) {
      const createdAt = timeOfId(keys.traceId)
      if (createdAt < (startTime ?? 0) || (endTime !== null && createdAt >= endTime)) continue
      const other = until.get(keys.traceId)
      if (other !== undefined && other < keys.untilVersion) continue
      until.set(keys.traceId, keys.untilVersion)
      this.#rows.set(keys.traceId, { id: keys.traceId, version: keys.fromVersion, key: supersededKey(keys, sort) })
    }
    return this.#rows
  }
}

function highestId({ lowestIdAt }: ListTracesDependencies, query: FeedQuery, lastTraceId: TraceId): TraceId {
  if (query.endTime === null) return lastTraceId
  // End times are exclusive: everything below the first id of that millisecond, which itself is never given (its random bits are all 0).
  const bound = lowestIdAt(query.endTime)
  return bound < lastTraceId ? bound : lastTraceId
}

async function newestVersions(
  { store, watermark }: ListTracesDependencies,
  query: FeedQuery,
  group: readonly FeedCandidate[],
): Promise<Map<TraceId, TraceRecord>> {
  const ids = [...new Set(group.map(({ id }) => id))]
  const traces = await store.findTraces(query.projectId, ids, watermark().version)
  return new Map(traces.map((trace) => [trace.id, trace]))
}

interface Position {
  readonly key: number
  readonly id: TraceId
}

function compare(a: Position, b: Position, query: FeedQuery): number {
  const ascending = a.key - b.key || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  return query.order === 'asc' ? ascending : -ascending
}

function supersededKey(keys: SupersededKeys, sort: FeedSort): number {
  if (sort === 'duration_ms') return keys.durationMs ?? UNKNOWN_DURATION
  return sort === 'total_tokens' ? keys.totalTokens : keys.stepCount
}
