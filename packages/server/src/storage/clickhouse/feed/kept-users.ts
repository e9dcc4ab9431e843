import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { filterValue, filterValues, stepFilters } from '@spoor/contract/trace-filters'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../../lib/time/time-buckets.ts'
import type { SummaryPageQuery, TraceSummary } from '../../../ports/traces/trace-summaries.ts'
import { integer, text } from '../engine/literal.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { FINAL_SETTINGS, fromRows, metadataHints, traceConditions, traceRows } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { numbersIn, type SeriesCache, type SeriesRead } from '../series/series-cache.ts'
import { costExpression } from './cost-expression.ts'
import { idAfterRows } from './row-windows.ts'
import { sumOfCosts, SUM_EXPRESSIONS } from './summary-figures.ts'
import { pageOfUsers, toUserSums, UserPlaces, type UserRow, type UserSums } from './user-sums.ts'

/**
 * The time of all traces has 13 to 16 buckets, so reading one takes a thirteenth of the time of all. The sums of its
 * users are at most so many numbers; a bucket of 80,000 traces by 5,000 users in as many sessions has 22,000.
 */
const MOST_BUCKETS = 16
const MOST_NUMBERS = 30_000
/** So many are always too large. */
const MOST_USERS = 20_000
/** In place of a bucket with more: then each page is read from the engine. */
const TOO_LARGE = 'too large'
/** In place of the first bucket after one page. To keep all users costs three times as much as the first page. */
const READ_ONCE = 'read once'

type Dependencies = Pick<AggregateDependencies, 'engine' | 'idLeadMs'>

/** The sums of all traces of a bucket. None of them is later than `throughId`. */
interface KeptBucket {
  readonly sums: UserSums
  /** Of all buckets of the query. */
  readonly places: UserPlaces
  readonly throughId: TraceId
}

/** A read of users, during which commits are noted. */
export interface KeptUsers {
  /** One entry for each bucket. */
  readonly cached: SeriesRead<KeptBucket | typeof TOO_LARGE | typeof READ_ONCE>
  readonly buckets: TimeBuckets
  /** Of the query, or the first trace of the project if that is later. */
  readonly startTime: number
}

/**
 * MUST be called before the read waits for settled rows, and `cached.end` after the read. Null if the query depends on
 * more than the traces of a bucket, or has few of them.
 */
export async function beginKeptUsers(
  { engine }: Dependencies,
  cache: SeriesCache,
  { projectId, by, filters, words, among, scored, withoutMetric, rates, prices, ...bounds }: SummaryPageQuery,
): Promise<KeptUsers | null> {
  const others = [words, among, scored, withoutMetric, rates, stepFilters(filters), filterValue(filters, 'session_id')]
  if (by !== 'user_id' || others.some((other) => other !== null)) return null
  const { startTime, endTime, throughId } = bounds
  const firstId = await idAfterRows(engine, { ...rowsOf(projectId, throughId), newestFirst: false }, 0)
  const span = {
    startTime: Math.max(startTime ?? 0, timeOfId(firstId ?? throughId)),
    endTime: Math.min(endTime ?? Infinity, await endOfTraces(engine, projectId, throughId)),
  }
  if (span.startTime >= span.endTime) return null
  const buckets = bucketsOver(span)
  const conditions = conditionsOfUsers(filters)
  return {
    cached: cache.beginRead({ projectId, buckets, conditions, prices: prices.fingerprint }),
    buckets,
    startTime: span.startTime,
  }
}

const rowsOf = (projectId: ProjectId, highest: TraceId) => ({ projectId, lowest: idAtTime('tr', 0), highest })

/** After the last settled trace of the project: `throughId` may be the trace of another one, and much later. */
async function endOfTraces(engine: Dependencies['engine'], projectId: ProjectId, throughId: TraceId): Promise<number> {
  const lastId = await idAfterRows(engine, { ...rowsOf(projectId, throughId), newestFirst: true }, 0)
  return timeOfId(lastId ?? throughId) + 1
}

/** Their length is 4 to 7 times a power of two, so that it stays the same until the span is a quarter longer. */
function bucketsOver({ startTime, endTime }: TimeSpan): TimeBuckets {
  const least = Math.max(SHORTEST_MS, (endTime - startTime) / (MOST_BUCKETS - 1))
  const unit = 2 ** (Math.floor(Math.log2(least)) - 2)
  return { text: '', sizeMs: Math.ceil(least / unit) * unit, originMs: 0 }
}

const SHORTEST_MS = 1024

/**
 * A page of users from kept sums of whole buckets; the others are read, and kept if they are whole. Null if a bucket is
 * too large, by its numbers or for the memory of a read, and for the first page. MUST be called after all rows have
 * settled, and `cached` MUST be begun before.
 */
export async function findKeptUsers(
  dependencies: Dependencies,
  query: SummaryPageQuery,
  { cached, buckets, startTime: start }: KeptUsers,
): Promise<readonly TraceSummary[] | null> {
  const { projectId, throughId } = query
  const leadMs = dependencies.idLeadMs()
  const from = start === query.startTime ? start : 0
  const to = query.endTime ?? Infinity
  const first = bucketOf(buckets, Math.max(from, start - leadMs))
  const end = Math.min(to, await endOfTraces(dependencies.engine, projectId, throughId))
  const all = Array.from({ length: bucketOf(buckets, end - 1) - first + 1 }, (_, at) => first + at)
  const among = filterValues(query.filters, 'user_id').map(String)
  const known = all.flatMap((bucket) => cached.find(bucket) ?? [])
  if (known.includes(TOO_LARGE)) return null
  const kept = known.filter((each) => typeof each === 'object')
  // Without any sums, the engine finds the traces of a few users by its index.
  if (kept.length === 0 && (among.length > 0 || known.length === 0)) {
    if (among.length === 0) cached.store(first, [READ_ONCE])
    return null
  }
  const places = kept[0]?.places ?? new UserPlaces()
  const found: UserSums[] = []
  for (const bucket of all) {
    const [startTime, endTime] = [bucketStart(buckets, bucket), bucketStart(buckets, bucket + 1)]
    const isWithin = startTime >= from && endTime <= to
    const isClosed = endTime + leadMs <= timeOfId(throughId)
    const own = cached.find(bucket)?.[0]
    if (typeof own === 'object' && own.places === places && isWithin && (isClosed || own.throughId <= throughId)) {
      found.push(own.sums)
      continue
    }
    const sums = await readUsers(dependencies, query, { startTime, endTime }, places).catch((error: unknown) => {
      if (isOutOfMemory(error)) return null
      throw error
    })
    if (sums === null || numbersIn([sums]) > MOST_NUMBERS) {
      cached.store(bucket, [TOO_LARGE])
      return null
    }
    found.push(sums)
    if (isWithin && (isClosed || !(await hasLater(dependencies, query))))
      cached.store(bucket, [{ sums, places, throughId }])
  }
  return pageOfUsers(found, places, among.length === 0 ? null : among, query)
}

/** Whether there were traces after the last one that counts when the read began. Those that came since were noted. */
async function hasLater({ engine }: Dependencies, { projectId, throughId }: SummaryPageQuery): Promise<boolean> {
  const later = `project_id = ${text(projectId)} AND id > ${text(throughId)}`
  return (await engine.select(`SELECT id FROM traces WHERE ${later} LIMIT 1`)).length > 0
}

/** Of the traces that were created within one bucket. */
async function readUsers(
  { engine, idLeadMs }: Dependencies,
  query: SummaryPageQuery,
  bucket: TimeSpan,
  places: UserPlaces,
): Promise<UserSums> {
  const { projectId, throughId, prices, filters } = query
  const span = {
    startTime: Math.max(bucket.startTime, query.startTime ?? 0),
    endTime: Math.min(bucket.endTime, query.endTime ?? Infinity),
  }
  const end = span.endTime + idLeadMs()
  const rows = traceRows(projectId, [span], idLeadMs())
  const ids = { projectId, lowestId: idAtTime('tr', span.startTime), highestId: idAtTime('tr', end) }
  const cost = sumOfCosts(await costExpression(engine, ids, prices))
  const conditions = [
    ...rows.conditions,
    ...(timeOfId(throughId) < end ? [`id <= ${text(throughId)}`] : []),
    `user_id != ''`,
    ...conditionsOfUsers(filters),
  ]
  const found = await engine.select(
    `SELECT user_id, ${SUM_EXPRESSIONS.join(', ')}, ${cost}, ` +
      `groupUniqArrayIf(bitShiftRight(sipHash64(session_id), 12), session_id != '') ` +
      `FROM ${fromRows({ ...rows, conditions })} GROUP BY user_id LIMIT ${integer(MOST_USERS)} SETTINGS ${FINAL_SETTINGS}`,
  )
  return toUserSums(found as unknown as readonly UserRow[], places)
}

/** Those of the filters on the traces of all users. */
function conditionsOfUsers(filters: SummaryPageQuery['filters']): readonly string[] {
  return [...traceConditions({ ...filters, userId: null }), ...metadataHints(filters)]
}
