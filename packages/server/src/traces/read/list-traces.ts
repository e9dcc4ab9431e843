import type { TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { type ClusterMembers, type ClusterBounds, memberCandidates } from './cluster-members.ts'
import type { DeletedRuns } from './deleted-runs.ts'
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from './feed-cursor.ts'
import { feedPredicate, feedTerms } from './feed-filter.ts'
import type { Watermark } from '../../ports/log/log.ts'
import { MovedRows } from './moved-rows.ts'
import { searchWords } from './search-words.ts'
import type { SortedWalks } from './sorted-walks.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedCandidate, FeedCandidateQuery, TraceReads } from '../../ports/traces/trace-store.ts'
import type { FeedPage, FeedQuery } from '../use-cases.ts'

export interface ListTracesDependencies {
  readonly store: Pick<TraceReads, 'findFeedCandidates' | 'findTraces'>
  readonly journal: Pick<Journal, 'supersededAt' | 'deletedAmong'>
  readonly deletedRuns: DeletedRuns
  readonly watermark: () => Watermark
  readonly walks: SortedWalks
  readonly clusters: ClusterMembers
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
 * A page ends early, with a cursor, when this many candidates were looked at: a rare filter over a large archive is
 * walked in steps of about a second.
 */
const MOST_EXAMINED = 20_000

/**
 * A page of the feed. Candidates come from narrow columns and may be out of date; the newest version of each decides.
 * A walk sees each row that existed when it began once: by creation time because ids never change, by a changing key
 * because the keys that rows had when the walk began are kept while walks are under way.
 */
export async function listTraces(dependencies: ListTracesDependencies, query: FeedQuery): Promise<FeedPage> {
  const { watermark, clock, walks, clusters } = dependencies
  const cursor = query.cursor === null ? null : decodeFeedCursor(query.cursor, query)
  const words = searchWords(query.text, dependencies.fullText)
  const now = clock.now()
  if (query.sort !== 'created_at') {
    if (cursor !== null && walks.expired(cursor.begunAt, now)) {
      throw new DomainError('cursor_expired', 'A walk by a key that changes ends an hour after it began.')
    }
    walks.begin(now)
  }
  const { version, lastTraceId } = watermark()
  const walk: Walk = { snapshot: cursor?.snapshot ?? version, begunAt: cursor?.begunAt ?? now }
  const cluster = query.cluster === null ? undefined : await clusters.place(query.projectId, query.cluster)
  if (lastTraceId === null || cluster === null) return { traces: [], nextCursor: null }
  const found = new PageBuilder(query.limit)
  const matches = feedPredicate(query)
  const moved = query.sort === 'created_at' ? null : new MovedRows(dependencies, query, walk.snapshot)
  const walking = { query, words, walk, cursor, lastTraceId, moved, cluster }
  for await (const group of candidateGroups(dependencies, walking)) {
    const ids = [...new Set(group.map(({ id }) => id))]
    const members = cluster === undefined ? ids : [...(await clusters.membersAmong(cluster, ids))]
    const newest = await newestVersions(dependencies, query, members, group)
    const wordless = await withoutWords(dependencies.store, query, words, moved, group)
    for (const candidate of group) {
      const trace = newest.get(candidate.id)
      const matching = trace !== undefined && !trace.deleted && matches(trace) && !wordless.has(candidate.id)
      // Of a walk by a changing key, the version that the trace had when the walk began.
      const there = matching && (moved === null || trace.version === candidate.version || (await moved.held(candidate)))
      if (there && !found.add(trace)) return found.pageWithMore(query, walk)
      found.pass(candidate)
    }
    if (found.examined >= MOST_EXAMINED) return found.pageWithMore(query, walk)
  }
  return { traces: found.traces, nextCursor: null }
}

interface Walk {
  readonly snapshot: number
  readonly begunAt: number
}

class PageBuilder {
  readonly #limit: number
  readonly traces: TraceRecord[] = []
  #bytes = 0
  #examined = 0
  #last: FeedCandidate | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page is full: the row is there, but belongs to the next page. */
  add(trace: TraceRecord): boolean {
    const { traces } = this
    if (traces.length === this.#limit) return false
    if (traces.length > 0 && this.#bytes + trace.metadata.length > PAGE_BYTES) return false
    traces.push(trace)
    this.#bytes += trace.metadata.length
    return true
  }

  /** Done with this candidate, whether it was added or does not belong to the list. */
  pass(candidate: FeedCandidate): void {
    this.#last = candidate
    this.#examined += 1
  }

  get examined(): number {
    return this.#examined
  }

  /** With a cursor behind the last candidate passed: the next page looks at none of them again. */
  pageWithMore(query: FeedQuery, walk: Walk): FeedPage {
    if (this.#last === null) throw new Error('a page that passed nothing has nothing behind it')
    const { id, key } = this.#last
    return { traces: this.traces, nextCursor: encodeFeedCursor({ id, key, ...walk }, query) }
  }
}

/** What a page is walked by. */
interface Walking {
  readonly query: FeedQuery
  readonly words: readonly string[] | null
  readonly walk: Walk
  readonly cursor: FeedCursor | null
  readonly lastTraceId: TraceId
  readonly moved: MovedRows | null
  readonly cluster: ClusterBounds | undefined
}

/** Candidates in order, in groups that grow while nothing matches. */
async function* candidateGroups(
  dependencies: ListTracesDependencies,
  { query, words, walk, cursor, lastTraceId, moved, cluster }: Walking,
): AsyncGenerator<readonly FeedCandidate[]> {
  const { store, lowestIdAt } = dependencies
  const { idLeadMs } = dependencies.watermark()
  const { startTime, endTime } = query
  const isBounded = startTime !== null || endTime !== null
  const base: Omit<FeedCandidateQuery, 'after' | 'limit'> = {
    projectId: query.projectId,
    termGroups: feedTerms(query),
    words,
    ...within(cluster, lowestIdAt(startTime ?? 0), highestId(lowestIdAt, endTime, idLeadMs, lastTraceId)),
    created: idLeadMs > 0 && isBounded ? { startTime, endTime } : null,
    sort: query.sort,
    order: query.order,
    atVersion: moved === null ? null : walk.snapshot,
    among: null,
  }
  if (base.lowestId > base.highestId) return
  // As many first as make the page and show that there is more: the others are only needed when some of these do not
  // belong to it.
  const most = Math.min(query.limit + 1, WIDE_ROWS)
  if (cluster !== undefined && moved === null) {
    for await (const group of memberCandidates(dependencies, cluster, base, cursor?.id ?? null)) {
      yield* inParts(withoutDeleted(group, await deletedAmong(dependencies, group)), most)
    }
    return
  }
  const { deletedRuns } = dependencies
  const byCreation = query.sort === 'created_at'
  // Where every trace is a candidate, those that follow one another are all there are.
  const seesAll = byCreation && base.termGroups.length === 0 && words === null
  let after = cursor === null ? null : { key: cursor.key, id: cursor.id }
  if (byCreation) after = behindRun(deletedRuns, base, after)
  let limit = query.limit + Math.max(8, query.limit >> 2)
  for (;;) {
    const candidates = await store.findFeedCandidates({ ...base, after, limit })
    const last = candidates.at(-1)
    const ended = candidates.length < limit || last === undefined
    // Asked after the store, so that a row which moved away meanwhile is found here.
    const group = moved === null ? candidates : await moved.mergeInto(candidates, after, ended ? null : last)
    const deleted = await deletedAmong(dependencies, group)
    if (seesAll && deleted.size > 0) noteRuns(deletedRuns, base, after, candidates, deleted)
    yield* inParts(withoutDeleted(group, deleted), most)
    if (ended) return
    after = { key: last.key, id: last.id }
    if (byCreation) after = behindRun(deletedRuns, base, after)
    limit = Math.min(limit * 2, MOST_CANDIDATES)
  }
}

/** Deletions count from their commit on, and are looked up for a fraction of what it takes to read a wide row. */
async function deletedAmong(
  { journal }: Pick<ListTracesDependencies, 'journal'>,
  group: readonly FeedCandidate[],
): Promise<ReadonlySet<TraceId>> {
  const unknown = new Set(group.flatMap(({ id, trace }) => (trace === undefined ? [id] : [])))
  const known = group.flatMap(({ id, trace }) => (trace?.deleted === true ? [id] : []))
  if (unknown.size === 0) return new Set(known)
  return new Set([...known, ...(await journal.deletedAmong([...unknown]))])
}

function withoutDeleted(group: readonly FeedCandidate[], deleted: ReadonlySet<TraceId>): readonly FeedCandidate[] {
  return deleted.size === 0 ? group : group.filter(({ id }) => !deleted.has(id))
}

type Stretch = Pick<FeedCandidateQuery, 'projectId' | 'order' | 'lowestId' | 'highestId'>

function startOf(stretch: Stretch, after: FeedCandidateQuery['after']): TraceId {
  return after?.id ?? (stretch.order === 'desc' ? stretch.highestId : stretch.lowestId)
}

function behindRun(
  runs: DeletedRuns,
  stretch: Stretch,
  after: FeedCandidateQuery['after'],
): FeedCandidateQuery['after'] {
  const id = runs.beyond(stretch.projectId, startOf(stretch, after), stretch.order)
  return id === null ? after : { key: 0, id }
}

/** `candidates` are all traces behind `after`, one following the other. */
function noteRuns(
  runs: DeletedRuns,
  stretch: Stretch,
  after: FeedCandidateQuery['after'],
  candidates: readonly FeedCandidate[],
  deleted: ReadonlySet<TraceId>,
): void {
  const { projectId, order } = stretch
  const start = startOf(stretch, after)
  // Between the start and the first candidate there is nothing, and the start itself is no candidate, or in a run.
  const isOpen = after === null || runs.beyond(projectId, start, order) !== null
  let from: TraceId | null = isOpen ? start : null
  let count = 0
  const end = (to: TraceId | null) => {
    if (from !== null && to !== null) runs.note(projectId, from < to ? from : to, from < to ? to : from, count)
    count = 0
  }
  let previous: TraceId | null = null
  for (const { id } of candidates) {
    if (deleted.has(id)) {
      if (count === 0) from = previous === null && isOpen ? start : id
      count += 1
    } else end(previous)
    previous = id
  }
  end(previous)
}

function* inParts(group: readonly FeedCandidate[], first: number): Generator<readonly FeedCandidate[]> {
  let wide = first
  for (let from = 0; from < group.length; from += wide, wide = WIDE_ROWS) yield group.slice(from, from + wide)
}

function within(cluster: ClusterBounds | undefined, lowest: TraceId, highest: TraceId) {
  if (cluster === undefined) return { lowestId: lowest, highestId: highest }
  return {
    lowestId: cluster.lowestId > lowest ? cluster.lowestId : lowest,
    highestId: cluster.highestId < highest ? cluster.highestId : highest,
  }
}

function highestId(
  lowestIdAt: ListTracesDependencies['lowestIdAt'],
  endTime: number | null,
  idLeadMs: number,
  lastTraceId: TraceId,
): TraceId {
  if (endTime === null) return lastTraceId
  // End times are exclusive: everything below the first id of that millisecond, which itself is never given (its random
  // bits are all 0).
  const bound = lowestIdAt(endTime + idLeadMs)
  return bound < lastTraceId ? bound : lastTraceId
}

/**
 * Those of a group whose words do not match: the store found the others by their words, but the journal knows nothing
 * of text.
 */
async function withoutWords(
  store: ListTracesDependencies['store'],
  query: FeedQuery,
  words: readonly string[] | null,
  moved: MovedRows | null,
  group: readonly FeedCandidate[],
): Promise<ReadonlySet<TraceId>> {
  if (words === null || moved === null) return NONE
  const unsure = new Set(group.map(({ id }) => id).filter((id) => moved.has(id)))
  if (unsure.size === 0) return NONE
  const among = [...unsure].sort()
  const told = await store.findFeedCandidates({
    projectId: query.projectId,
    termGroups: [],
    words,
    created: null,
    lowestId: among[0] as TraceId,
    highestId: among.at(-1) as TraceId,
    sort: 'created_at',
    order: 'asc',
    atVersion: null,
    among,
    after: null,
    limit: among.length,
  })
  for (const { id } of told) unsure.delete(id)
  return unsure
}

const NONE: ReadonlySet<TraceId> = new Set()

async function newestVersions(
  { store, watermark }: ListTracesDependencies,
  query: FeedQuery,
  ids: readonly TraceId[],
  group: readonly FeedCandidate[],
): Promise<Map<TraceId, TraceRecord>> {
  const newest = new Map(group.flatMap(({ id, trace }) => (trace === undefined ? [] : [[id, trace] as const])))
  const missing = ids.filter((id) => !newest.has(id))
  if (missing.length === 0) return newest
  for (const trace of await store.findTraces(query.projectId, missing, watermark().version)) newest.set(trace.id, trace)
  return newest
}
