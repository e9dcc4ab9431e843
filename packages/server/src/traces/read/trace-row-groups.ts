import type { TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { TraceRowGroups } from '../../ports/traces/trace-row-groups.ts'
import { findingKindsOf } from '../rules/run-calls.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'

export interface RowGroupPlace {
  /** The last trace when the export began. */
  readonly throughId: TraceId
  readonly after: TraceId
  readonly spanMs: number
  readonly limit: number
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
const MOST = { rows: 8000, bytes: 4 * 1024 * 1024 } as const
/** Groups are planned for so many bytes: if rows grow, most still have no more than they may. */
const PLANNED_BYTES = 0.75 * MOST.bytes
/** The size of the first rows is unknown. */
const FIRST = { spanMs: 1000, limit: 500 } as const
/** Where few traces pass, the next stretch is at most so many times as long. */
const WIDENING = 8

export function readTraceRowGroupBy(dependencies: Dependencies): ReadTraceRowGroup {
  const { store, settled, journal, media } = dependencies
  return async (request, from) => {
    if (from === null) await settled()
    const query = await lookUpFilters(dependencies, request, from?.throughId ?? null)
    if (query === null) return { file: null, next: null }
    const { projectId, throughId } = query
    const { order } = request
    const place = from ?? { after: null, ...FIRST }
    const found = await store.findStretch({ ...query, order, ...place })
    const { ids, end, withFindings } = found
    const behind = (after: TraceId | null, widened: number, limit: number) =>
      after === null ? null : { throughId, after, spanMs: Math.max(1, Math.round(place.spanMs * widened)), limit }
    if (ids.length === 0) return { file: null, next: behind(end, WIDENING, place.limit) }
    const [deleted, attachments] = await Promise.all([journal.deletedAmong(ids), media.countByTrace(ids)])
    const findingKinds = new Map(withFindings.map(({ id, digest }) => [id, findingKindsOf(digest.calls)]))
    const rates = await dependencies.ratesOf(projectId)
    const printed = { ...found, projectId, deleted, order, attachments, findingKinds, rates, mostBytes: MOST.bytes }
    const { file, count } = await store.print(printed)
    const limit = Math.ceil(Math.min(MOST.rows, (count * PLANNED_BYTES) / file.length))
    const widened = Math.min(WIDENING, ((ids.length === place.limit ? 0.5 : 0.9) * limit) / ids.length)
    return { file, next: behind(count < ids.length ? (ids[count - 1] as TraceId) : end, widened, limit) }
  }
}
