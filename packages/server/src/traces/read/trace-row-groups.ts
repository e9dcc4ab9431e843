import type { TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { TraceRowGroups } from '../../ports/traces/trace-row-groups.ts'
import { findingsOf } from '../rules/run-calls.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'

export interface RowGroupPlace {
  /** The last trace when the export began. */
  readonly throughId: TraceId
  readonly after: TraceId
  readonly rows: number
}

export interface TraceRowGroup {
  /** Apache Parquet; null if no trace of this stretch passes. */
  readonly file: Buffer | null
  /** Where the next one begins; null at the end. */
  readonly next: RowGroupPlace | null
}

/**
 * One after the other, the row groups of an export of traces in the order of their creation; null for the first.
 * Everything committed before the first call is in them.
 */
export type ReadTraceRowGroup = (
  request: FilteredRequest & { readonly order: 'asc' | 'desc' },
  from: RowGroupPlace | null,
) => Promise<TraceRowGroup>

interface Dependencies extends FilterDependencies {
  readonly store: TraceRowGroups
  readonly settled: () => Promise<void>
  readonly journal: Pick<Journal, 'deletedAmong'>
  readonly media: Pick<MediaStore, 'countByTrace'>
}

/** A group that is printed is held, by the engine several times over. */
const MOST = { rows: 5000, bytes: 4 * 1024 * 1024 } as const
const FIRST_ROWS = 1000
/** Where few traces pass, the next stretch has at most so many times as many rows, and never more than `WIDEST_ROWS`. */
const WIDENING = 8
const WIDEST_ROWS = 512_000

export function readTraceRowGroupBy(dependencies: Dependencies): ReadTraceRowGroup {
  const { store, settled, journal, media } = dependencies
  return async (request, from) => {
    if (from === null) await settled()
    const query = await lookUpFilters(dependencies, request, from?.throughId ?? null)
    if (query === null) return { file: null, next: null }
    const { projectId, throughId } = query
    const { order } = request
    const rows = from?.rows ?? FIRST_ROWS
    const { ids, repeating, end } = await store.findStretch({ ...query, order, after: from?.after ?? null, rows })
    const [deleted, attachments] = await Promise.all([journal.deletedAmong(ids), media.countByTrace(ids)])
    const left = ids.filter((id) => !deleted.has(id))
    const widened = (by: number) => Math.min(WIDEST_ROWS, Math.ceil(rows * Math.min(by, WIDENING)))
    const behind = (after: TraceId | null, nextRows: number) =>
      after === null ? null : { throughId, after, rows: nextRows }
    if (left.length === 0) return { file: null, next: behind(end, widened(WIDENING)) }
    const kinds = ({ digest }: (typeof repeating)[number]) => [
      ...new Set(findingsOf(digest.calls).map(({ kind }) => kind)),
    ]
    const findingKinds = new Map(repeating.map((trace) => [trace.id, kinds(trace)]))
    const rates = await dependencies.ratesOf(projectId)
    const { file, count } = await store.print({ projectId, ids: left, order, attachments, findingKinds, rates })
    const after = count < left.length ? (left[count - 1] as TraceId) : end
    return { file, next: behind(after, widened(Math.min(MOST.rows / left.length, MOST.bytes / file.length))) }
  }
}
