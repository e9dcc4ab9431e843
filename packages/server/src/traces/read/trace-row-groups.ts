import type { TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { FoundStretch, TraceRowGroups, TraceStretch } from '../../ports/traces/trace-row-groups.ts'
import { findingKindsOf } from '../rules/run-calls.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'

/** How long a stretch is, and how many traces it has at most. */
type Plan = Pick<TraceStretch, 'spanMs' | 'limit'>

export interface RowGroupPlace extends Plan {
  /** The last trace when the export began. */
  readonly throughId: TraceId
  readonly after: TraceId
  /** Its search, if it has begun already, and the plan of the stretch behind it. */
  readonly begun?: { readonly found: Promise<FoundStretch>; readonly behind: Plan }
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
    const begun = from?.begun
    const find = (after: TraceId | null, { spanMs, limit }: Plan) =>
      store.findStretch({ ...query, order, after, spanMs, limit })
    const search = () => find(place.after, place)
    const found = await (begun?.found.catch(search) ?? search())
    const { ids, end, isWhole } = found
    const planOf = (widened: number, limit: number): Plan => ({
      spanMs: Math.max(1, Math.round(place.spanMs * widened)),
      limit,
    })
    const behind = (after: TraceId | null, plan: Omit<RowGroupPlace, 'throughId' | 'after'>) =>
      after === null ? null : { throughId, after, ...plan }
    if (ids.length === 0) return { file: null, next: behind(end, planOf(WIDENING, place.limit)) }
    // The next stretch is found while this one is printed, except the first one, which shows the size of the rows.
    const ahead = begun?.behind ?? place
    const foundAhead = place.limit === FIRST.limit || end === null ? null : find(end, ahead)
    // The next call reports it.
    foundAhead?.catch(() => undefined)
    const [deleted, attachments, { models, withFindings }] = await Promise.all([
      journal.deletedAmong(ids),
      media.countByTrace(ids),
      store.detailsOf({ projectId, ids, isWhole }),
    ])
    const findingKinds = new Map(withFindings.map(({ id, digest }) => [id, findingKindsOf(digest.calls)]))
    const rates = await dependencies.ratesOf(projectId)
    const traces = { projectId, ids, isWhole, models, deleted, order, attachments, findingKinds, rates }
    const { file, count } = await store.print({ ...traces, mostBytes: MOST.bytes })
    const limit = Math.ceil(Math.min(MOST.rows, (count * PLANNED_BYTES) / file.length))
    const widened = Math.min(WIDENING, ((ids.length === place.limit ? 0.5 : 0.9) * limit) / ids.length)
    const plan = planOf(widened, limit)
    if (count < ids.length) return { file, next: behind(ids[count - 1] as TraceId, plan) }
    if (foundAhead === null) return { file, next: behind(end, plan) }
    const { spanMs } = ahead
    return { file, next: behind(end, { spanMs, limit: ahead.limit, begun: { found: foundAhead, behind: plan } }) }
  }
}
