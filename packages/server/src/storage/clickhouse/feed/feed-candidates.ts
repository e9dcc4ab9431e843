import type { TraceId } from '@spoor/contract/ids'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import { type FeedCandidate, type FeedCandidateQuery, hasConditions } from '../../../ports/traces/trace-store.ts'
import { compareCandidates } from './candidate-order.ts'
import { createdIn } from '../series/aggregate-rows.ts'
import { integer, text, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { readTraceRow, TRACE_COLUMNS } from '../rows/trace-row.ts'
import { boundConditions } from './bound-conditions.ts'
import { costExpression } from './cost-expression.ts'
import { termConditions } from './term-conditions.ts'
import { hasNameWords, hasWords } from './word-conditions.ts'

/** Candidates of a list page, from narrow columns. */
export async function findFeedCandidates(engine: TelemetryEngine, asked: FeedCandidateQuery): Promise<FeedCandidate[]> {
  const query = { ...asked, cost: asked.rates === null ? null : await costExpression(engine, asked, asked.rates) }
  return query.sort === 'created_at' ? byCreation(engine, query) : byKey(engine, query)
}

interface CandidateQuery extends FeedCandidateQuery {
  /** The sort key `cost_usd`; null for a query without rates. */
  readonly cost: string | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/**
 * Width of the first window of a filtered search, at the newest end: for a common term it contains a page. Words search
 * about ten times as many rows.
 */
const FIRST_WINDOW_MS = { filter: 12 * HOUR_MS, text: HOUR_MS }
/**
 * Width of the next window when the first had no hits. A term that the newest half day does not have is rare: its hits
 * in the whole archive cost less than one more query.
 */
const SECOND_WINDOW_MS = { filter: Infinity, text: 2 * DAY_MS }
/**
 * Safety margin for uneven hits: the next window is wider than the average requires, by this many times the relative
 * standard deviation of the hits so far.
 */
const SPARE_SPREADS = 2
/** A term is rare when hits are fewer than the limit divided by this. */
const RARE_SHARE = 16
/** Instead of a wider window, everything is searched: hits that rare are found at once. */
const WIDEST_WINDOW_MS = 90 * DAY_MS
/**
 * Words are searched among the steps of the passing traces only if these are at most this many. Naming more costs more
 * than it saves.
 */
const FEW_TRACES = 4096

/**
 * The primary key gives the order, and almost the time: ids are never before it. Several rows of one trace are
 * adjacent; removing duplicates here is many times cheaper than `LIMIT 1 BY` or `FINAL` in the engine.
 *
 * With a filter, a page would query the index for the whole archive. So the newest window is searched first, and the
 * width of each next one follows from the hits so far.
 */
async function byCreation(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  if (query.words === null && query.among === null && query.limit <= MOST_WHOLE_ROWS) {
    return !hasConditions(query) ? wholeRows(engine, query) : wholeMatches(engine, query)
  }
  const found = new Set<TraceId>()
  const rowLimit = query.limit * 2
  const filteredText = query.words !== null && hasConditions(query)
  for (const window of windows(query, () => found.size)) {
    const passing = filteredText ? await countPassing(engine, query, window) : Infinity
    if (passing === 0) continue
    const few = passing <= FEW_TRACES
    let after: TraceId | null = null
    for (;;) {
      const page = creationPage(query, window, after, rowLimit, few)
      const rows: readonly (readonly unknown[])[] = await engine.select(page)
      for (const [id] of rows) found.add(id as TraceId)
      if (found.size >= query.limit) return toCandidates(found, query.limit)
      if (rows.length < rowLimit) break
      after = rows.at(-1)?.[0] as TraceId
    }
  }
  return toCandidates(found, query.limit)
}

/** Limit up to which whole rows are read at once: a page. Rows may be large, and longer lists are read in parts. */
const MOST_WHOLE_ROWS = 256
/** Extra rows, for traces of which several versions are still stored. */
const SPARE_ROWS = 8

/** Without filters every trace is a candidate, so its row is returned too, and the page needs no second query. */
async function wholeRows(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  const found: FeedCandidate[] = []
  const rowLimit = query.limit + SPARE_ROWS
  for (const window of windows(query, () => found.length)) {
    for (let after: TraceId | null = null; ;) {
      const conditions = idBounds(query, window, after, 'id').join(' AND ')
      const rows: readonly (readonly unknown[])[] = await engine.select(
        `SELECT ${TRACE_COLUMNS} FROM traces WHERE ${conditions} ORDER BY id ${query.order} LIMIT ${integer(rowLimit)}`,
      )
      const newest = newestByTrace(rows)
      const isEnd = rows.length < rowLimit
      // Other versions of the last trace may be beyond the limit.
      const last = rows.at(-1)?.[0] as TraceId
      for (const [id, row] of newest) {
        const isWhole = isEnd || id !== last
        if (isWhole) found.push({ id, version: 0, key: 0, trace: readTraceRow(row) })
        else if (newest.size === 1) found.push({ id, version: 0, key: 0 })
        if (found.length === query.limit) return found
        if (isWhole || newest.size === 1) after = id
      }
      if (isEnd) break
    }
  }
  return found
}

/**
 * The rows of the matching traces, in the query that finds them: a second query would cost half as much again. A
 * version may match that is not the latest of its trace, so all stored versions of the matching traces are read.
 */
async function wholeMatches(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  const found: FeedCandidate[] = []
  for (const window of windows(query, () => found.length)) {
    const missing = query.limit - found.length
    const settings = window.rare ? ' SETTINGS optimize_read_in_order = 0' : ''
    const matches = `${filtered(query, window, null, 'DISTINCT id')} ORDER BY id ${query.order} LIMIT ${integer(missing)}${settings}`
    const rows = await engine.select(
      `SELECT ${TRACE_COLUMNS} FROM traces PREWHERE project_id = ${text(query.projectId)} AND id IN (${matches})`,
    )
    const inWindow: FeedCandidate[] = []
    for (const [id, row] of newestByTrace(rows)) inWindow.push({ id, version: 0, key: 0, trace: readTraceRow(row) })
    // Each shard of a cluster has a limit of its own.
    found.push(...inWindow.sort((a, b) => compareCandidates(a, b, query)).slice(0, missing))
    if (found.length === query.limit) return found
  }
  return found
}

/** In the order of the rows. */
function newestByTrace(rows: readonly (readonly unknown[])[]): Map<TraceId, readonly unknown[]> {
  const newest = new Map<TraceId, readonly unknown[]>()
  for (const row of rows) {
    const [id, version] = row as readonly [TraceId, number]
    const other = newest.get(id)
    if (other === undefined || version > (other[1] as number)) newest.set(id, row)
  }
  return newest
}

function toCandidates(found: ReadonlySet<TraceId>, limit: number): FeedCandidate[] {
  return [...found].slice(0, limit).map((id) => ({ id, version: 0, key: 0 }))
}

/** Ids in `[lowest, highest]`, without `excluded`. */
interface Window {
  readonly lowest: TraceId
  readonly highest: TraceId
  readonly excluded: TraceId | null
  /** The hits so far are known to be rare. */
  readonly rare: boolean
}

/** Windows that together cover the bounds of the query, in its order, without overlap. */
function* windows(query: CandidateQuery, hits: () => number): Generator<Window> {
  const { order, after, limit, words, among } = query
  const newestFirst = order === 'desc'
  let { lowestId: lowest, highestId: highest } = query
  if (after !== null && newestFirst && after.id < highest) highest = after.id
  if (after !== null && !newestFirst && after.id > lowest) lowest = after.id
  const excluded = after?.id ?? null
  if (among !== null || (words === null && !hasConditions(query))) {
    yield { lowest, highest, excluded, rare: false }
    return
  }
  const kind = words === null ? 'filter' : 'text'
  let width: number = FIRST_WINDOW_MS[kind]
  let searched = 0
  let rare = false
  while (lowest <= highest) {
    const bound = newestFirst ? idAtTime('tr', timeOfId(highest) - width) : idAtTime('tr', timeOfId(lowest) + width)
    if (newestFirst) {
      const from = bound > lowest ? bound : lowest
      yield { lowest: from, highest, excluded, rare }
      if (from === lowest) return
      highest = idBefore(from)
    } else {
      const to = bound < highest ? idBefore(bound) : highest
      yield { lowest, highest: to, excluded, rare }
      if (to === highest) return
      lowest = bound
    }
    searched += width
    rare = hits() > 0 && hits() * RARE_SHARE < limit
    width = nextWidth(searched, hits(), limit, SECOND_WINDOW_MS[kind])
  }
}

/**
 * The width that the hits so far require, with a margin. Infinite when that is very wide or hits are too few for an
 * estimate: few hits cost little to find.
 */
function nextWidth(searchedMs: number, hits: number, limit: number, secondMs: number): number {
  if (hits === 0) return searchedMs < secondMs ? secondMs : Infinity
  if (hits * RARE_SHARE < limit) return Infinity
  const spare = 1 + SPARE_SPREADS / Math.sqrt(hits)
  const needed = searchedMs * Math.max(1, (spare * (limit - hits)) / hits)
  return needed > WIDEST_WINDOW_MS ? Infinity : needed
}

/** The greatest id below the smallest one of a millisecond. */
function idBefore(smallestOfMillisecond: TraceId): TraceId {
  return `${idAtTime('tr', timeOfId(smallestOfMillisecond) - 1).slice(0, 13)}${'z'.repeat(16)}` as TraceId
}

/** Number of rows in the window that pass the filters, counted only up to FEW_TRACES + 1. */
async function countPassing(engine: TelemetryEngine, query: CandidateQuery, window: Window): Promise<number> {
  const [row] = await engine.select(
    `SELECT count() FROM (${filtered(query, window, null)} LIMIT ${integer(FEW_TRACES + 1)})`,
  )
  return row?.[0] as number
}

function filtered(query: CandidateQuery, window: Window, after: TraceId | null, columns = 'id'): string {
  const conditions = [...idBounds(query, window, after, 'id'), ...rowConditions(query)]
  return `SELECT ${columns} FROM traces WHERE ${conditions.join(' AND ')}`
}

function rowConditions({ termGroups, bounds, cost }: CandidateQuery): string[] {
  return [...boundConditions(bounds, cost), ...termConditions(termGroups)]
}

function creationPage(
  query: CandidateQuery,
  window: Window,
  after: TraceId | null,
  rowLimit: number,
  fewPass: boolean,
): string {
  const { order, words } = query
  const page = `ORDER BY id ${order} LIMIT ${integer(rowLimit)}`
  const traces = filtered(query, window, after)
  // Reading in key order ends early when there are many hits, and costs half as much again when there are few.
  if (words === null) return `${traces} ${page}${window.rare ? ' SETTINGS optimize_read_in_order = 0' : ''}`
  const named = `${traces} AND ${hasNameWords(words)} ${page}`
  const stepConditions = [
    ...idBounds(query, window, after, 'trace_id'),
    ...(fewPass ? [`trace_id IN (${traces})`] : []),
    hasWords(words),
  ].join(' AND ')
  // Thousands of steps of one trace may match: one row for each trace is enough.
  const inSteps = `SELECT DISTINCT trace_id AS id FROM steps WHERE ${stepConditions} ${page}`
  return `SELECT id FROM (SELECT * FROM (${named}) UNION ALL SELECT * FROM (${inSteps})) ${page}`
}

/**
 * Bounds on ids, which are the key. A bound on the creation time would skip partitions, but reads one more column for
 * every match. It is added only when ids do not imply it.
 */
function idBounds(
  { projectId, order, among, created }: CandidateQuery,
  { lowest, highest, excluded }: Window,
  after: TraceId | null,
  id: 'id' | 'trace_id',
): string[] {
  const conditions = [`project_id = ${text(projectId)}`, `${id} >= ${text(lowest)}`, `${id} <= ${text(highest)}`]
  if (created !== null) conditions.push(...createdIn(id, created))
  if (among !== null) conditions.push(`${id} IN (${texts(among)})`)
  if (excluded !== null) conditions.push(`${id} != ${text(excluded)}`)
  if (after !== null) conditions.push(`${id} ${order === 'asc' ? '>' : '<'} ${text(after)}`)
  return conditions
}

/** The rows include the latest version of each trace at `atVersion`, and older ones; the caller validates them. */
async function byKey(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  const rows = await engine.select(keyPage(query))
  return rows.map(([id, version, key]) => ({ id: id as TraceId, version: version as number, key: key as number }))
}

function keyPage(query: CandidateQuery): string {
  const { lowestId, highestId, atVersion, sort, order, after, limit, words } = query
  const key = sort === 'cost_usd' ? query.cost : sort
  if (key === null || key === 'created_at') throw new TypeError(`there is no key column for ${sort}`)
  const window = { lowest: lowestId, highest: highestId, excluded: null, rare: false }
  const conditions = [...idBounds(query, window, null, 'id'), ...rowConditions(query)]
  if (atVersion !== null) conditions.push(`ver <= ${integer(atVersion)}`)
  if (after !== null) {
    const beyond = order === 'asc' ? '>' : '<'
    const [at, id] = [integer(after.key), text(after.id)]
    conditions.push(`(sort_key ${beyond} ${at} OR (sort_key = ${at} AND id ${beyond} ${id}))`)
  }
  if (words !== null) {
    const steps = [...idBounds(query, window, null, 'trace_id'), hasWords(words)].join(' AND ')
    conditions.push(`(${hasNameWords(words)} OR id IN (SELECT trace_id FROM steps WHERE ${steps}))`)
  }
  return (
    `SELECT id, ver, ${key} AS sort_key FROM traces WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY sort_key ${order}, id ${order}, ver DESC LIMIT ${integer(limit)}`
  )
}
