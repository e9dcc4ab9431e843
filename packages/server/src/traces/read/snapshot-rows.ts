import type { TraceId } from '@spoor/contract/ids'
import type { Watermark } from '../../ports/log/log.ts'
import type { Journal, SupersededKeys } from '../../ports/journal/journal.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { type FeedCandidate, type FeedSort, UNKNOWN_DURATION } from '../../ports/traces/trace-store.ts'
import type { ModelRates } from '../../ports/prices/price.ts'
import { costOfTokens } from '../rules/trace-bounds.ts'
import type { FeedQuery } from '../use-cases.ts'

export interface SnapshotRowsDependencies {
  readonly journal: Pick<Journal, 'supersededAt'>
  readonly watermark: () => Watermark
}

/**
 * Rows that changed since a walk began, with the keys they had then. Serves one page; queries the journal again only
 * after a new commit.
 */
export class SnapshotRows {
  readonly #dependencies: SnapshotRowsDependencies
  readonly #query: FeedQuery
  readonly #rates: ModelRates | null
  readonly #snapshot: number
  #rows: ReadonlyMap<TraceId, FeedCandidate> = new Map()
  /** The last commit when the rows were read. */
  #readAt: number | null = null

  /** `rates` for a walk by cost. */
  constructor(dependencies: SnapshotRowsDependencies, query: FeedQuery, rates: ModelRates | null, snapshot: number) {
    this.#dependencies = dependencies
    this.#query = query
    this.#rates = rates
    this.#snapshot = snapshot
  }

  /**
   * Whether this is the version that its trace had when the walk began. An entry stays valid; only a missing one may
   * have been added since.
   */
  async isSnapshotVersion(candidate: FeedCandidate): Promise<boolean> {
    if (!this.#rows.has(candidate.id)) await this.#refresh()
    return this.#rows.get(candidate.id)?.version === candidate.version
  }

  /** Whether the row may come from here. That says nothing about its words: the journal has no text. */
  has(id: TraceId): boolean {
    return this.#rows.has(id)
  }

  /** The candidates, together with those changed rows in `(after, last]` whose old versions the store has lost. */
  async mergeInto(
    candidates: readonly FeedCandidate[],
    after: Position | null,
    last: FeedCandidate | null,
  ): Promise<readonly FeedCandidate[]> {
    await this.#refresh()
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

  async #refresh(): Promise<void> {
    const { journal, watermark } = this.#dependencies
    const { version, idLeadMs } = watermark()
    if (version === this.#readAt) return
    const { projectId, sort, startTime, endTime } = this.#query
    const rows = new Map<TraceId, FeedCandidate>()
    for (const keys of await journal.supersededAt(projectId, this.#snapshot)) {
      // The creation is at most `idLeadMs` before the time of the id; the row itself decides.
      const ofId = timeOfId(keys.traceId)
      if (ofId < (startTime ?? 0) || (endTime !== null && ofId >= endTime + idLeadMs)) continue
      rows.set(keys.traceId, {
        id: keys.traceId,
        version: keys.fromVersion,
        key: supersededKey(keys, sort, this.#rates),
      })
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

function supersededKey(keys: SupersededKeys, sort: FeedSort, rates: ModelRates | null): number {
  if (sort === 'cost_usd') return costOfTokens(keys.usage ?? null, rates)
  if (sort === 'duration_ms') return keys.durationMs ?? UNKNOWN_DURATION
  return sort === 'total_tokens' ? keys.totalTokens : keys.stepCount
}
