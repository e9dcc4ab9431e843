import type { TraceId } from '@spoor/contract/ids'
import { stepFilters, traceBounds } from '@spoor/contract/trace-filters'
import type { Journal } from '../../ports/journal/journal.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { type ClusterBounds, memberCandidates } from './cluster-members.ts'
import type { DeletedRuns } from './deleted-runs.ts'
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from './feed-cursor.ts'
import { feedPredicate, feedTerms } from './feed-filter.ts'
import { byEvents, type MatchingDependencies, withWordsAndStep } from './matching-among.ts'
import { toScoredBy } from './score-filter.ts'
import { boundsCost } from '../rules/trace-bounds.ts'
import { SnapshotRows } from './snapshot-rows.ts'
import { searchSnippets } from './search-snippets.ts'
import { searchWords } from './search-words.ts'
import type { SortedWalks } from './sorted-walks.ts'
import type { ModelRates } from '../../ports/prices/price.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  hasConditions,
  type IdBounds,
  type TraceReads,
} from '../../ports/traces/trace-store.ts'
import type { FeedPage, FeedQuery } from '../use-cases.ts'

export interface ListTracesDependencies extends MatchingDependencies {
  readonly store: MatchingDependencies['store'] & Pick<TraceReads, 'findStepHits' | 'findScoredBounds'>
  readonly journal: Pick<Journal, 'supersededAt' | 'deletedAmong' | 'removedEvents'>
  readonly deletedRuns: DeletedRuns
  readonly walks: SortedWalks
  readonly clock: Clock
  /** The smallest trace id of a millisecond. */
  readonly lowestIdAt: (ms: number) => TraceId
}

/** A page ends early when its metadata exceeds this, bytes. A list of huge rows has smaller pages. */
const PAGE_BYTES = 2 * 1024 * 1024
/** Wide rows are read for this many candidates at once. */
const WIDE_ROWS = 256
const MOST_CANDIDATES = 4096
/**
 * A page ends early, with a cursor, after this many candidates. A rare filter over a large archive then takes about a
 * second for each page.
 */
const MOST_EXAMINED = 20_000

/**
 * A page of the list. Candidates come from narrow columns and may be outdated; the latest version of each trace
 * decides.
 *
 * A walk (paging by cursor) returns once each row that existed when it began: by creation time because ids never
 * change, by a changing key because the previous keys of rows are stored while walks are in progress.
 */
export async function listTraces(dependencies: ListTracesDependencies, query: FeedQuery): Promise<FeedPage> {
  const words = searchWords(query.text, dependencies.fullText)
  const page = await findPage(dependencies, query, words)
  if (words === null) return { ...page, snippets: null }
  const ids = page.traces.map(({ id }) => id)
  return { ...page, snippets: await searchSnippets(dependencies.store, query.projectId, ids, words) }
}

async function findPage(
  dependencies: ListTracesDependencies,
  query: FeedQuery,
  words: readonly string[] | null,
): Promise<Omit<FeedPage, 'snippets'>> {
  const { watermark, clock, walks, clusters } = dependencies
  const cursor = query.cursor === null ? null : decodeFeedCursor(query.cursor, query)
  const now = clock.now()
  if (query.sort !== 'created_at') {
    if (cursor !== null && walks.expired(cursor.begunAt, now)) {
      throw new DomainError('cursor_expired', 'A walk by a key that changes ends an hour after it began.')
    }
    walks.begin(now)
  }
  const rates = query.sort === 'cost_usd' || boundsCost(query) ? await dependencies.ratesOf(query.projectId) : null
  const prices = query.sort === 'cost_usd' && rates !== null ? rates.fingerprint : null
  if (cursor !== null && cursor.prices !== prices) {
    throw new DomainError('cursor_expired', 'A walk by cost ends when a price of the project changes.')
  }
  const { version, lastTraceId } = watermark()
  const walk: Walk = { snapshot: cursor?.snapshot ?? version, begunAt: cursor?.begunAt ?? now, prices }
  const cluster = query.cluster === null ? undefined : await clusters.place(query.projectId, query.cluster)
  const metricId =
    query.withoutMetric === null ? null : await dependencies.metricIdOf(query.projectId, query.withoutMetric)
  const scored = await toScoredBy(dependencies.metricIdOf, query.projectId, query)
  if (lastTraceId === null || cluster === null || scored === undefined) return { traces: [], nextCursor: null }
  const isBounded = scored !== null && scored.startTime !== null
  const ofEvents = isBounded ? await dependencies.store.findScoredBounds(query.projectId, scored) : undefined
  if (ofEvents === null) return { traces: [], nextCursor: null }
  const without = await dependencies.journal.removedEvents(query.projectId)
  const found = new PageBuilder(query.limit)
  const matches = feedPredicate(query, rates)
  const snapshotRows = query.sort === 'created_at' ? null : new SnapshotRows(dependencies, query, rates, walk.snapshot)
  const walking = { query, rates, words, walk, cursor, lastTraceId, snapshotRows, cluster, ofEvents }
  for await (const group of candidateGroups(dependencies, walking)) {
    const ids = [...new Set(group.map(({ id }) => id))]
    const members = cluster === undefined ? ids : [...(await clusters.membersAmong(cluster, ids))]
    const passing = new Set(await byEvents(dependencies.store, query.projectId, { scored, metricId, without }, members))
    const newest = await newestVersions(dependencies, query, [...passing], group)
    const mismatched = await mismatches(dependencies.store, { query, words, rates, snapshotRows }, group)
    for (const candidate of group) {
      const trace = newest.get(candidate.id)
      const matching =
        trace !== undefined &&
        !trace.deleted &&
        matches(trace) &&
        passing.has(candidate.id) &&
        !mismatched.has(candidate.id)
      // In a walk by a changing key, use the version that the trace had when the walk began.
      const belongs =
        matching &&
        (snapshotRows === null ||
          trace.version === candidate.version ||
          (await snapshotRows.isSnapshotVersion(candidate)))
      if (belongs && !found.add(trace)) return found.pageWithMore(query, walk)
      found.pass(candidate)
    }
    if (found.examined >= MOST_EXAMINED) return found.pageWithMore(query, walk)
  }
  return { traces: found.traces, nextCursor: null }
}

type Walk = Pick<FeedCursor, 'snapshot' | 'begunAt' | 'prices'>

class PageBuilder {
  readonly #limit: number
  readonly traces: TraceRecord[] = []
  #bytes = 0
  #examined = 0
  #last: FeedCandidate | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page is full; the row belongs to the next page. */
  add(trace: TraceRecord): boolean {
    const { traces } = this
    if (traces.length === this.#limit) return false
    if (traces.length > 0 && this.#bytes + trace.metadata.length > PAGE_BYTES) return false
    traces.push(trace)
    this.#bytes += trace.metadata.length
    return true
  }

  /** The candidate is finished, whether it was added or does not belong to the list. */
  pass(candidate: FeedCandidate): void {
    this.#last = candidate
    this.#examined += 1
  }

  get examined(): number {
    return this.#examined
  }

  /** The cursor points after the last passed candidate, so the next page examines none of them again. */
  pageWithMore(query: FeedQuery, walk: Walk): Omit<FeedPage, 'snippets'> {
    if (this.#last === null) throw new Error('a page without passed candidates has no cursor')
    const { id, key } = this.#last
    return { traces: this.traces, nextCursor: encodeFeedCursor({ id, key, ...walk }, query) }
  }
}

/** The inputs of one page. */
interface Walking {
  readonly query: FeedQuery
  readonly rates: ModelRates | null
  readonly words: readonly string[] | null
  readonly walk: Walk
  readonly cursor: FeedCursor | null
  readonly lastTraceId: TraceId
  readonly snapshotRows: SnapshotRows | null
  readonly cluster: ClusterBounds | undefined
  /** Of traces with the wanted event, where its time is bounded. */
  readonly ofEvents: IdBounds | undefined
}

/** Candidates in order, in groups that grow while nothing matches. */
async function* candidateGroups(
  dependencies: ListTracesDependencies,
  { query, rates, words, walk, cursor, lastTraceId, snapshotRows, cluster, ofEvents }: Walking,
): AsyncGenerator<readonly FeedCandidate[]> {
  const { store, lowestIdAt } = dependencies
  const { idLeadMs } = dependencies.watermark()
  const { startTime, endTime } = query
  const isBounded = startTime !== null || endTime !== null
  const base: Omit<FeedCandidateQuery, 'after' | 'limit'> = {
    projectId: query.projectId,
    termGroups: feedTerms(query).groups,
    bounds: traceBounds(query),
    steps: stepFilters(query),
    rates,
    words,
    ...within(lowestIdAt(startTime ?? 0), highestId(lowestIdAt, endTime, idLeadMs, lastTraceId), cluster, ofEvents),
    created: idLeadMs > 0 && isBounded ? { startTime, endTime } : null,
    sort: query.sort,
    order: query.order,
    atVersion: snapshotRows === null ? null : walk.snapshot,
    among: null,
  }
  if (base.lowestId > base.highestId) return
  // Start with enough to fill the page and detect a next one. More are needed only if some of these do not match.
  const most = Math.min(query.limit + 1, WIDE_ROWS)
  if (cluster !== undefined && snapshotRows === null) {
    for await (const group of memberCandidates(dependencies, cluster, base, cursor?.id ?? null)) {
      yield* inParts(withoutDeleted(group, await deletedAmong(dependencies, group)), most)
    }
    return
  }
  const { deletedRuns, journal } = dependencies
  const byCreation = query.sort === 'created_at'
  // Without filters, consecutive candidates are all traces between them.
  const seesAll = byCreation && !hasConditions(base) && words === null
  let after = cursor === null ? null : { key: cursor.key, id: cursor.id }
  if (byCreation) after = skipRun(deletedRuns, base, after)
  const kind = `${query.order} ${seesAll}`
  const needed = Math.ceil((query.limit + 1) / deletedRuns.liveShare(base.projectId, kind))
  let limit = Math.min(Math.max(query.limit + Math.max(8, query.limit >> 2), needed), MOST_CANDIDATES)
  for (;;) {
    const { imports } = deletedRuns
    const candidates = await store.findFeedCandidates({ ...base, after, limit })
    const last = candidates.at(-1)
    const ended = candidates.length < limit || last === undefined
    // Read after the store's rows, so that a row which changed meanwhile is found here.
    const group =
      snapshotRows === null ? candidates : await snapshotRows.mergeInto(candidates, after, ended ? null : last)
    const deleted = await deletedAmong(dependencies, group)
    if (seesAll && deleted.size > 0) {
      const forGood = await journal.deletedAmong([...deleted], true)
      if (deletedRuns.imports === imports) noteRuns(deletedRuns, base, after, candidates, forGood)
    }
    if (after === null) deletedRuns.noteShare(base.projectId, kind, group, deleted)
    yield* inParts(withoutDeleted(group, deleted), most)
    if (ended) return
    after = { key: last.key, id: last.id }
    if (byCreation) after = skipRun(deletedRuns, base, after)
    limit = Math.min(limit * 2, MOST_CANDIDATES)
  }
}

/** Deletions take effect with their commit. This look-up costs a fraction of reading a wide row. */
async function deletedAmong(
  { journal }: Pick<ListTracesDependencies, 'journal'>,
  group: readonly FeedCandidate[],
): Promise<ReadonlySet<TraceId>> {
  const unknown = new Set(group.flatMap(({ id, trace }) => (trace === undefined ? [id] : [])))
  const known = group.flatMap(({ id, trace }) => ((trace?.deleted ?? false) ? [id] : []))
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

function skipRun(runs: DeletedRuns, stretch: Stretch, after: FeedCandidateQuery['after']): FeedCandidateQuery['after'] {
  const id = runs.beyond(stretch.projectId, startOf(stretch, after), stretch.order)
  return id === null ? after : { key: 0, id }
}

/** `candidates` MUST be all traces after `after`, without gaps. */
function noteRuns(
  runs: DeletedRuns,
  stretch: Stretch,
  after: FeedCandidateQuery['after'],
  candidates: readonly FeedCandidate[],
  deleted: ReadonlySet<TraceId>,
): void {
  const { projectId, order } = stretch
  const start = startOf(stretch, after)
  // Nothing lies between the start and the first candidate. The start itself is not a candidate, or is inside a run.
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

function within(lowest: TraceId, highest: TraceId, ...bounds: readonly (IdBounds | undefined)[]): IdBounds {
  const all = bounds.filter((one) => one !== undefined)
  return {
    lowestId: [lowest, ...all.map(({ lowestId }) => lowestId)].reduce((a, b) => (a > b ? a : b)),
    highestId: [highest, ...all.map(({ highestId: id }) => id)].reduce((a, b) => (a < b ? a : b)),
  }
}

function highestId(
  lowestIdAt: ListTracesDependencies['lowestIdAt'],
  endTime: number | null,
  idLeadMs: number,
  lastTraceId: TraceId,
): TraceId {
  if (endTime === null) return lastTraceId
  // End times are exclusive: everything below the first id of that millisecond, which is never assigned (its random
  // bits are all 0).
  const bound = lowestIdAt(endTime + idLeadMs)
  return bound < lastTraceId ? bound : lastTraceId
}

/**
 * The traces of a group whose words or steps do not match. Candidates from the store match already; those from the
 * journal, which has neither, are queried.
 */
async function mismatches(
  store: ListTracesDependencies['store'],
  { query, words, rates, snapshotRows }: Pick<Walking, 'query' | 'words' | 'rates' | 'snapshotRows'>,
  group: readonly FeedCandidate[],
): Promise<ReadonlySet<TraceId>> {
  if ((words === null && stepFilters(query) === null) || snapshotRows === null) return NONE
  const unsure = new Set(group.map(({ id }) => id).filter((id) => snapshotRows.has(id)))
  if (unsure.size === 0) return NONE
  const matching = await withWordsAndStep(store, { query, words, rates }, [...unsure])
  for (const { id } of matching) unsure.delete(id)
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
