import { isPercentile } from '@spoor/contract/aggregations'
import type { ProjectId } from '@spoor/contract/ids'
import { type AggregateRows, fromRows, settingsOf, traceRows } from '../series/aggregate-rows.ts'
import { timeBucketExpression } from '../series/bucketed-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { type Range, withoutSmallGaps } from '../series/parts-to-read.ts'
import { type BucketNumbers, placeExpression } from './bucket-numbers.ts'
import type { KeptWindow } from './kept-window.ts'
import { NO_SUMS, sumExpression, type Sums, sumsFor } from './aggregate-sums.ts'
import { measuredNumber, onlyIf } from './measure-expressions.ts'
import { Columns, planScans } from './measure-plan.ts'
import type { BucketPlace } from './window-buckets.ts'

type Dependencies = Pick<AggregateDependencies, 'engine' | 'idLeadMs'>

/** Lists of numbers in one result, each at most some thousand long. */
const MOST_LISTS = 128

/** Reads the buckets that the windows lack. Windows that lack the same buckets share a statement. */
export async function readWindows(
  dependencies: Dependencies,
  projectId: ProjectId,
  windows: readonly KeptWindow[],
): Promise<void> {
  const read = async (all: readonly KeptWindow[], reading: Reading) => {
    const lacking = all.flatMap((window) => lacksOf(window, reading.placesOf(window)))
    for (const alike of Map.groupBy(lacking, ({ sizeMs, ranges }) => JSON.stringify([sizeMs, ranges])).values()) {
      const { sizeMs, ranges } = alike[0] as Lack
      const measures = [
        ...Map.groupBy(alike, ({ window: { measureKey, isRounded } }) => `${isRounded} ${measureKey}`).values(),
      ]
      const buckets = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
      for (const some of statementsOf(
        measures.map((of) => of.map(({ window }) => window)),
        Math.max(1, Math.floor(reading.mostLists / buckets)),
      )) {
        await readBuckets(dependencies, projectId, { sizeMs, ranges }, some, reading)
      }
    }
  }
  await read(windows, SUMS)
  const ofNumbers = windows.filter(({ hasNumbers }) => hasNumbers)
  for (const window of ofNumbers) window.chooseRounding()
  await read(ofNumbers, NUMBERS)
}

/** Buckets of one size that a window lacks. */
interface Lack {
  readonly window: KeptWindow
  readonly sizeMs: number
  readonly ranges: readonly Range[]
}

/** Windows of the same measure take the values of its columns in a bucket; undefined for a bucket without rows. */
type Take = (windows: readonly KeptWindow[], place: BucketPlace, values: readonly unknown[] | undefined) => void

interface Reading {
  readonly placesOf: (window: KeptWindow) => readonly BucketPlace[]
  readonly columnsOf: (window: KeptWindow, rows: AggregateRows, columns: Columns) => Take
  readonly mostLists: number
}

const SUMS: Reading = {
  placesOf: (window) => window.missing,
  columnsOf({ question }, rows, columns) {
    const { aggregation } = question
    const { number, conditions } = measuredNumber(question, rows)
    const column = (name: keyof Sums) => columns.add(sumExpression(name, question, number, conditions))
    const names = isPercentile(aggregation) ? (['samples'] as const) : sumsFor(aggregation)
    const needed = names.map((name) => [name, column(name)] as const)
    return (windows, place, values) => {
      const sums = Object.fromEntries(needed.map(([name, at]) => [name, values?.[at]]))
      const found: Sums = sums['samples'] === undefined || sums['samples'] === 0 ? NO_SUMS : { ...NO_SUMS, ...sums }
      for (const window of windows) window.put(place, found)
    }
  },
  mostLists: Infinity,
}

const NUMBERS: Reading = {
  placesOf: (window) => window.withoutNumbers,
  columnsOf({ question, isRounded }, rows, columns) {
    const { number, conditions } = measuredNumber(question, rows)
    const aggregate = isRounded ? `sumMap([${placeExpression(number)}], [toUInt64(1)])` : `groupArray(${number})`
    const column = columns.add(onlyIf(aggregate, conditions))
    return (windows, place, values) => {
      const numbers = toNumbers(values?.[column], isRounded)
      for (const window of windows) window.putNumbers(place, numbers)
    }
  },
  mostLists: MOST_LISTS,
}

function toNumbers(value: unknown, isRounded: boolean): BucketNumbers {
  if (value === undefined) return new Float64Array(0)
  if (!isRounded) return Float64Array.from(value as readonly number[])
  const [places, counts] = value as readonly [readonly number[], readonly number[]]
  return { places: Uint16Array.from(places), counts: Uint32Array.from(counts) }
}

/** One for each size of buckets. */
function lacksOf(window: KeptWindow, places: readonly BucketPlace[]): readonly Lack[] {
  return [...Map.groupBy(places, ({ sizeMs }) => sizeMs)].map(([sizeMs, ofSize]) => {
    const ranges: { first: number; last: number }[] = []
    for (const { bucket } of ofSize) {
      const range = ranges.at(-1)
      if (range?.last === bucket - 1) range.last = bucket
      else ranges.push({ first: bucket, last: bucket })
    }
    return { window, sizeMs, ranges: withoutSmallGaps(ranges) }
  })
}

/** Splits the windows of some measures as `planScans` does, and into at most so many measures each. */
function* statementsOf(
  measures: readonly (readonly KeptWindow[])[],
  most: number,
): Generator<readonly (readonly KeptWindow[])[]> {
  const window = { from: 0, until: 1 }
  for (const { positions } of planScans(
    measures.map(([first]) => ({ ...(first as KeptWindow).question, ...window })),
  )) {
    for (let at = 0; at < positions.length; at += most) {
      yield positions.slice(at, at + most).map((position) => measures[position] as readonly KeptWindow[])
    }
  }
}

async function readBuckets(
  { engine, idLeadMs }: Dependencies,
  projectId: ProjectId,
  { sizeMs, ranges }: Omit<Lack, 'window'>,
  measures: readonly (readonly KeptWindow[])[],
  { columnsOf }: Reading,
): Promise<void> {
  const spans = ranges.map(({ first, last }) => ({ startTime: first * sizeMs + 1, endTime: (last + 1) * sizeMs + 1 }))
  const rows = traceRows(projectId, spans, idLeadMs())
  const columns = new Columns()
  const takes = measures.map((windows) => columnsOf(windows[0] as KeptWindow, rows, columns))
  const bucket = timeBucketExpression(rows.time, { sizeMs, originMs: 1 })
  const found = await engine.select(
    `SELECT ${bucket} AS b, ${columns.expressions.join(', ')} FROM ${fromRows(rows)} GROUP BY b${settingsOf(rows)}`,
  )
  const valuesOf = new Map(found.map(([at, ...values]) => [at, values]))
  for (const { first, last } of ranges) {
    for (let at = first; at <= last; at++) {
      takes.forEach((take, of) => take(measures[of] as readonly KeptWindow[], { sizeMs, bucket: at }, valuesOf.get(at)))
    }
  }
}
