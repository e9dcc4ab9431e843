import type { TraceId } from '@spoor/contract/ids'
import type { Journal, SupersededKeys } from '../../ports/journal/journal.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { type FeedCandidate, type FeedSort, UNKNOWN_DURATION } from '../../ports/traces/trace-store.ts'
import type { FeedQuery } from '../use-cases.ts'

/** Rows changed since a walk began, with the keys they had then. Serves one page; the journal is asked again only when it has gone on. */
export class MovedRows {
  readonly #journal: Pick<Journal, 'supersededAt' | 'last' | 'idLeadMs'>
  readonly #query: FeedQuery
  readonly #snapshot: number
  #rows: ReadonlyMap<TraceId, FeedCandidate> = new Map()
  /** The last commit when the rows were read. */
  #readAt: number | null = null

  constructor(journal: Pick<Journal, 'supersededAt' | 'last' | 'idLeadMs'>, query: FeedQuery, snapshot: number) {
    this.#journal = journal
    this.#query = query
    this.#snapshot = snapshot
  }

  /** Whether this is the version its trace had when the walk began. What was found once stays: only one that is not there may have come since. */
  held(candidate: FeedCandidate): boolean {
    if (!this.#rows.has(candidate.id)) this.#refresh()
    return this.#rows.get(candidate.id)?.version === candidate.version
  }

  /** Whether its row may come from here, which says nothing about its words: the journal has no text. */
  has(id: TraceId): boolean {
    return this.#rows.has(id)
  }

  /** The candidates with those rows in `(after, last]` that the store no longer has as they were. */
  mergeInto(
    candidates: readonly FeedCandidate[],
    after: Position | null,
    last: FeedCandidate | null,
  ): readonly FeedCandidate[] {
    this.#refresh()
    const rows = this.#rows
    if (rows.size === 0) return candidates
    const within = [...rows.values()].filter(
      (row) =>
        (after === null || compare(row, after, this.#query) > 0) &&
        (last === null || compare(row, last, this.#query) <= 0),
    )
    const stored = candidates.filter(({ id }) => !rows.has(id))
    return [...stored, ...within].sort((a, b) => compare(a, b, this.#query))
  }

  #refresh(): void {
    const { version } = this.#journal.last()
    if (version === this.#readAt) return
    const { projectId, sort, startTime, endTime } = this.#query
    const idLeadMs = this.#journal.idLeadMs()
    const rows = new Map<TraceId, FeedCandidate>()
    for (const keys of this.#journal.supersededAt(projectId, this.#snapshot)) {
      // The creation is at most that much before: the row itself decides.
      const ofId = timeOfId(keys.traceId)
      if (ofId < (startTime ?? 0) || (endTime !== null && ofId >= endTime + idLeadMs)) continue
      rows.set(keys.traceId, { id: keys.traceId, version: keys.fromVersion, key: supersededKey(keys, sort) })
    }
    this.#rows = rows
    this.#readAt = version
  }
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
