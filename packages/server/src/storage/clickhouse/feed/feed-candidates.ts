import type { TraceId } from '@spoor/contract/ids'
import { type FeedCandidate, type FeedCandidateQuery, hasConditions } from '../../../ports/traces/trace-store.ts'
import { compareCandidates } from '../../../traces/rules/candidate-order.ts'
import { createdIn } from '../series/aggregate-rows.ts'
import { integer, text, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { readTraceRow, TRACE_COLUMNS } from '../rows/trace-row.ts'
import { prefixOf } from '../../../traces/rules/search-text.ts'
import { boundConditions } from './bound-conditions.ts'
import { costExpression } from './cost-expression.ts'
import { nextRows, readInHalves, readInWindows, WIDENING } from './row-windows.ts'
import { withStep } from './step-conditions.ts'
import { indexedTermConditions, termConditions } from './term-conditions.ts'
import { hasNameWords, hasWords, hasWordsAnywhere } from './word-conditions.ts'

/** Candidates of a list page, from narrow columns. */
export async function findFeedCandidates(engine: TelemetryEngine, asked: FeedCandidateQuery): Promise<FeedCandidate[]> {
  const { rates, steps } = asked
  const cost = rates === null ? null : await costExpression(engine, asked, rates)
  const stepCost = rates === null || steps === null ? null : await costExpression(engine, asked, rates, 'steps')
  const query = { ...asked, cost, stepCost }
  return query.sort === 'created_at' ? byCreation(engine, query) : byKey(engine, query)
}

interface CandidateQuery extends FeedCandidateQuery {
  /** The sort key `cost_usd`; null for a query without rates. */
  readonly cost: string | null
  /** The cost of a step; null without rates. */
  readonly stepCost: string | null
}

/**
 * Words are searched among the steps of the passing traces only if these are at most this many. Naming more costs more
 * than it saves.
 */
const FEW_TRACES = 4096

/**
 * The primary key gives the order, and almost the time: ids are never before it. Several rows of one trace are
 * adjacent; removing duplicates here is many times cheaper than `LIMIT 1 BY` or `FINAL` in the engine.
 *
 * With a filter, a page would query the index for the whole archive. So the newest rows are searched first, and how
 * many come next follows from the hits so far.
 */
async function byCreation(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  if (query.words === null && query.among === null && query.limit <= MOST_WHOLE_ROWS) {
    return !hasConditions(query) ? wholeRows(engine, query) : wholeMatches(engine, query)
  }
  const found = new Set<TraceId>()
  const rowLimit = query.limit * 2
  const filteredText = query.words !== null && hasConditions(query)
  await inWindows(engine, query, async (window) => {
    const passing = filteredText ? await countPassing(engine, query, window) : Infinity
    if (passing === 0) return found.size
    const few = passing <= FEW_TRACES
    let after: TraceId | null = null
    for (;;) {
      const page = creationPage(query, window, after, rowLimit, few)
      const rows: readonly (readonly unknown[])[] = await engine.select(page)
      for (const [id] of rows) found.add(id as TraceId)
      if (found.size >= query.limit || rows.length < rowLimit) return found.size
      after = rows.at(-1)?.[0] as TraceId
    }
  })
  return toCandidates(found, query.limit)
}

/** Limit up to which whole rows are read at once: a page. Rows may be large, and longer lists are read in parts. */
const MOST_WHOLE_ROWS = 256
/** Extra rows, for traces with several stored versions: half of them may be deleted. */
const spareRows = (limit: number) => Math.max(8, limit >> 1)

/** Without filters every trace is a candidate, so its row is returned too, and the page needs no second query. */
async function wholeRows(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  const found: FeedCandidate[] = []
  const rowLimit = query.limit + spareRows(query.limit)
  await inWindows(engine, query, async (window) => {
    // A window that fails is read again.
    const own: FeedCandidate[] = []
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
        if (isWhole) own.push({ id, version: 0, key: 0, trace: readTraceRow(row) })
        else if (newest.size === 1) own.push({ id, version: 0, key: 0 })
        if (found.length + own.length === query.limit) return found.push(...own)
        if (isWhole || newest.size === 1) after = id
      }
      if (isEnd) return found.push(...own)
    }
  })
  return found
}

/**
 * The rows of the matching traces, in the query that finds them: a second query would cost half as much again. A
 * version may match that is not the latest of its trace, so all stored versions of the matching traces are read.
 */
async function wholeMatches(engine: TelemetryEngine, query: CandidateQuery): Promise<FeedCandidate[]> {
  const found: FeedCandidate[] = []
  await inWindows(engine, query, async (window) => {
    const missing = query.limit - found.length
    const matches = `${filtered(query, window, null, 'DISTINCT id')} ORDER BY id ${query.order} LIMIT ${integer(missing)}`
    const rows = await engine.select(
      `SELECT ${TRACE_COLUMNS} FROM traces PREWHERE project_id = ${text(query.projectId)} AND id IN (${matches})${readingSettings(window)}`,
    )
    const inWindow: FeedCandidate[] = []
    for (const [id, row] of newestByTrace(rows)) inWindow.push({ id, version: 0, key: 0, trace: readTraceRow(row) })
    // Each shard of a cluster has a limit of its own.
    return found.push(...inWindow.sort((a, b) => compareCandidates(a, b, query)).slice(0, missing))
  })
  return found
}

/** In a window of few rows an index costs more than it saves: its lists are read for the whole store. */
function readingSettings({ rare }: Window): string {
  return rare ? '' : ' SETTINGS use_skip_indexes = 0'
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

/**
 * Searches windows that together cover the bounds of the query, in its order, without overlap, until `search` resolves
 * with as many hits as the query wants, in all windows so far.
 */
async function inWindows(
  engine: TelemetryEngine,
  query: CandidateQuery,
  search: (window: Window) => Promise<number>,
): Promise<void> {
  const { projectId, order, after, limit, words, among, lowestId, highestId } = query
  const newestFirst = order === 'desc'
  const highest = after !== null && newestFirst && after.id < highestId ? after.id : highestId
  const lowest = after !== null && !newestFirst && after.id > lowestId ? after.id : lowestId
  const excluded = after?.id ?? null
  if (among !== null) {
    await search({ lowest, highest, excluded, rare: false })
    return
  }
  const isIndexed = words === null || !words.some((word) => prefixOf(word) !== null)
  let searched = 0
  let rare = false
  // Without filters, rows are read in order until the page is full: a window with more of them costs nothing.
  const isAny = words === null && !hasConditions(query)
  const range = { projectId, lowest, highest, newestFirst, endsWithNewest: isAny && newestFirst && after === null }
  await readInWindows(engine, range, async ({ rows, ...window }) => {
    const hits = await search({ ...window, excluded, rare })
    if (hits >= limit) return null
    searched += rows
    const next = nextRows(searched, hits, limit)
    if (next === Infinity && hits > 0 && !isIndexed) return searched * WIDENING
    rare = next === Infinity
    return next
  })
}

/** Number of rows in the window that pass the filters, counted only up to FEW_TRACES + 1. */
async function countPassing(engine: TelemetryEngine, query: CandidateQuery, window: Window): Promise<number> {
  const [row] = await engine.select(
    `SELECT count() FROM (${filtered(query, window, null)} LIMIT ${integer(FEW_TRACES + 1)})`,
  )
  return row?.[0] as number
}

function filtered(query: CandidateQuery, window: Window, after: TraceId | null, columns = 'id'): string {
  const conditions = [...idBounds(query, window, after, 'id'), ...rowConditions(query, window)]
  return `SELECT ${columns} FROM traces WHERE ${conditions.join(' AND ')}`
}

function rowConditions(query: CandidateQuery, window: Window): string[] {
  const { termGroups, bounds, cost, steps, stepCost } = query
  return [
    ...boundConditions(bounds, cost),
    ...(window.rare ? indexedTermConditions : termConditions)(termGroups),
    ...withStep(steps ?? {}, idBounds(query, window, null, 'trace_id'), stepCost),
  ]
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
  if (words === null) return `${traces} ${page}${readingSettings(window)}`
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
  const { projectId, lowestId: lowest, highestId: highest, limit } = query
  const found = await readInHalves(engine, { projectId, lowest, highest }, async (lowestId, highestId) => {
    const rows = await engine.select(keyPage({ ...query, lowestId, highestId }))
    return rows.map(([id, version, key]) => ({ id: id as TraceId, version: version as number, key: key as number }))
  })
  return found.toSorted((a, b) => compareCandidates(a, b, query)).slice(0, limit)
}

function keyPage(query: CandidateQuery): string {
  const { lowestId, highestId, atVersion, sort, order, after, limit, words } = query
  const key = sort === 'cost_usd' ? query.cost : sort
  if (key === null || key === 'created_at') throw new TypeError(`there is no key column for ${sort}`)
  const window = { lowest: lowestId, highest: highestId, excluded: null, rare: false }
  const conditions = [...idBounds(query, window, null, 'id'), ...rowConditions(query, window)]
  // Half of the time, but more than all of it with a rare filter.
  const isFiltered = hasConditions(query) || words !== null || query.among !== null
  const skips = isFiltered ? '' : ' SETTINGS use_top_k_dynamic_filtering = 1'
  if (atVersion !== null) conditions.push(`ver <= ${integer(atVersion)}`)
  if (after !== null) {
    const beyond = order === 'asc' ? '>' : '<'
    const [at, id] = [integer(after.key), text(after.id)]
    conditions.push(`(sort_key ${beyond} ${at} OR (sort_key = ${at} AND id ${beyond} ${id}))`)
  }
  if (words !== null) {
    conditions.push(hasWordsAnywhere(words, idBounds(query, window, null, 'trace_id')))
  }
  return (
    `SELECT id, ver, ${key} AS sort_key FROM traces WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY sort_key ${order}, id ${order}, ver DESC LIMIT ${integer(limit)}${skips}`
  )
}
