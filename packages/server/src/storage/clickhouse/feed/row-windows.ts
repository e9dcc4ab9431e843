import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Rows of `traces` in the first window, whatever time they span: for a common value it contains a page. */
export const FIRST_ROWS = 2000
/** How many times as many rows a window has as the one before, unless hits say more. */
export const WIDENING = 8
/**
 * Safety margin for uneven hits: the next window has more rows than the average requires, by this many times the
 * relative standard deviation of the hits so far.
 */
const SPARE_SPREADS = 2
/** A value is rare when hits are fewer than the limit divided by this. */
const RARE_SHARE = 16
/** Instead of a window with more rows, everything is searched: hits that rare are found at once by the indexes. */
const WIDEST_ROWS = 512_000
/** With fewer groups in each, a failing read would take minutes. */
const MOST_SLICES = 64

/** Which end of the ids `[lowest, highest]` of a project is read first. */
export interface RowRange {
  readonly projectId: ProjectId
  readonly lowest: TraceId
  readonly highest: TraceId
  readonly newestFirst: boolean
  /** Whether `highest` is the newest trace: while none follows it, the window that ends with it remains as it is. */
  readonly endsWithNewest?: boolean
}

/** Ids in `[lowest, highest]`, about as many rows. */
interface RowWindow {
  readonly lowest: TraceId
  readonly highest: TraceId
  readonly rows: number
}

/** The edges of the first windows, and where their reads began. */
const EDGES = new WeakMap<object, Map<string, { readonly edge: TraceId; readonly start: TraceId }>>()
const MOST_EDGES = 10_000
/** How many times as long as its time by the known window the guess of a window is, because times are uneven. */
const UNEVEN = 4

/**
 * The id after so many rows of `traces`, counted from the end that is read first; null if there are not so many. The
 * engine finds it in the key, without a mark of its own, but opens each part that may have it: 14 ms for ten parts. So
 * the edge of a first window is looked for from where it was the last time, and others where so many rows may end: 5
 * ms, whatever the number of parts.
 */
export async function idAfterRows(
  engine: Pick<TelemetryEngine, 'select'>,
  { projectId, lowest, highest, newestFirst, endsWithNewest = false }: RowRange,
  rows: number,
): Promise<TraceId | null> {
  if (rows === Infinity) return null
  const find = async (from: TraceId, to: TraceId) => {
    const [row] = await engine.select(
      `SELECT id FROM traces WHERE project_id = ${text(projectId)} AND id >= ${text(from)} AND id <= ${text(to)} ` +
        `ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT 1 OFFSET ${integer(rows)}`,
    )
    return (row?.[0] as TraceId | undefined) ?? null
  }
  const edges = EDGES.get(engine) ?? new Map<string, { edge: TraceId; start: TraceId }>()
  EDGES.set(engine, edges)
  const key = `${projectId} ${newestFirst} ${Math.min(rows, FIRST_ROWS)}`
  const known = edges.get(key)
  const isFirst = rows <= FIRST_ROWS
  if (isFirst && endsWithNewest && known?.start === highest && known.edge > lowest) return known.edge
  // A read that begins further back would open other parts.
  const isBehind = known !== undefined && (newestFirst ? known.start > highest : known.start < lowest)
  const isNear = isFirst && !isBehind && known !== undefined && known.edge > lowest && known.edge <= highest
  const isKnown = known !== undefined && rows > 0
  const end = isNear ? known.edge : isKnown ? guess(known, newestFirst ? highest : lowest, rows) : null
  const isWithin = end !== null && end > lowest && end < highest
  const near = !isWithin ? null : newestFirst ? find(end, highest) : find(lowest, end)
  const edge = (await near) ?? (await find(lowest, highest))
  if (!isFirst || isBehind) return edge
  if (edges.size >= MOST_EDGES) edges.clear()
  if (edge !== null) edges.set(key, { edge, start: newestFirst ? highest : lowest })
  return edge
}

/** Where so many rows have probably ended, by the times of the known window. */
function guess(known: { readonly edge: TraceId; readonly start: TraceId }, start: TraceId, rows: number): TraceId {
  const span = timeOfId(known.edge) - timeOfId(known.start)
  return idAtTime('tr', Math.max(0, timeOfId(start) + Math.trunc((UNEVEN * span * rows) / FIRST_ROWS)))
}

/**
 * Reads a range in windows that become wider. `read` gets one and resolves with the rows of the next, or null when it
 * has enough. A window that exceeds the memory of a read is tried again with fewer rows, so that it does not fail for
 * ever.
 */
export async function readInWindows(
  engine: Pick<TelemetryEngine, 'select'>,
  range: RowRange,
  read: (window: RowWindow) => Promise<number | null>,
): Promise<void> {
  let { lowest, highest } = range
  let rows: number | null = FIRST_ROWS
  let widest = Infinity
  while (rows !== null) {
    const edge: TraceId | null = await idAfterRows(engine, { ...range, lowest, highest }, rows)
    const [from, to] = range.newestFirst ? [edge ?? lowest, highest] : [lowest, edge ?? highest]
    const window: RowWindow = { lowest: from, highest: to, rows }
    try {
      rows = await read(window)
    } catch (error) {
      if (!isOutOfMemory(error) || window.rows <= FIRST_ROWS) throw error
      rows = widest = Math.max(FIRST_ROWS, Math.floor(Math.min(window.rows, MOST_ROWS) / WIDENING))
      continue
    }
    if (edge === null || rows === null) return
    rows = Math.min(rows, widest)
    // The id at the edge was read.
    if (range.newestFirst) highest = neighbour(edge, -1)
    else lowest = neighbour(edge, 1)
  }
}

/**
 * What is found in `[lowest, highest]`, in no order. What exceeds the memory of a read is read in halves of its rows of
 * `traces`.
 */
export async function readInHalves<T>(
  engine: Pick<TelemetryEngine, 'select'>,
  { projectId, lowest, highest }: Pick<RowRange, 'projectId' | 'lowest' | 'highest'>,
  read: (lowest: TraceId, highest: TraceId) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await read(lowest, highest)
  } catch (error) {
    const middle = isOutOfMemory(error) ? await middleOf(engine, { projectId, lowest, highest }) : null
    if (middle === null) throw error
    const half = (from: TraceId, to: TraceId) => readInHalves(engine, { projectId, lowest: from, highest: to }, read)
    return [...(await half(lowest, middle)), ...(await half(neighbour(middle, 1), highest))]
  }
}

/**
 * The groups of `value` that `read` finds under a further condition, in no order. What exceeds the memory of a read is
 * read for half of the values each time.
 */
export async function readGroupsInHalves<T>(
  value: string,
  read: (conditions: readonly string[]) => Promise<readonly T[]>,
  slices = 1,
  slice = 0,
): Promise<readonly T[]> {
  try {
    return await read(slices === 1 ? [] : [`cityHash64(${value}) % ${integer(slices)} = ${integer(slice)}`])
  } catch (error) {
    if (!isOutOfMemory(error) || slices >= MOST_SLICES) throw error
    const half = (at: number) => readGroupsInHalves(value, read, 2 * slices, at)
    return [...(await half(slice)), ...(await half(slice + slices))]
  }
}

/** The middle id of the rows of a range; null if these are no more than a first window has. */
async function middleOf(
  engine: Pick<TelemetryEngine, 'select'>,
  range: Pick<RowRange, 'projectId' | 'lowest' | 'highest'>,
): Promise<TraceId | null> {
  const { projectId, lowest, highest } = range
  const [row] = await engine.select(
    `SELECT count() FROM traces WHERE project_id = ${text(projectId)} AND id >= ${text(lowest)} AND id <= ${text(highest)}`,
  )
  const rows = row?.[0] as number
  return rows <= FIRST_ROWS ? null : idAfterRows(engine, { ...range, newestFirst: false }, rows >> 1)
}

/**
 * The rows that the hits so far require, with a margin. Infinite when these are many, or hits are too few for an
 * estimate: few hits cost little to find. Before that, at least `fewest` rows are searched.
 */
export function nextRows(searched: number, hits: number, limit: number, fewest = 0): number {
  if (hits * RARE_SHARE < limit) return searched < fewest ? fewest : Infinity
  const spare = 1 + SPARE_SPREADS / Math.sqrt(hits)
  const needed = Math.ceil(searched * Math.max(1, (spare * (limit - hits)) / hits))
  return needed > WIDEST_ROWS ? Infinity : needed
}

/** A window of everything that failed is tried again as one of fewer rows than these. */
const MOST_ROWS = 1_024_000

/** The last character of an id is one of these. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** The next id up or down: ids are numbers in base 32, all as long as each other. */
function neighbour(id: TraceId, by: 1 | -1): TraceId {
  const [wraps, to] = by === 1 ? ['z', '0'] : ['0', 'z']
  let at = id.length - 1
  while (id[at] === wraps) at--
  const digit = DIGITS[DIGITS.indexOf(id[at] as string) + by] as string
  return `${id.slice(0, at)}${digit}${(to as string).repeat(id.length - 1 - at)}` as TraceId
}
