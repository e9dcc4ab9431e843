import type { ProjectId } from '@spoor/contract/ids'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import { type AggregateRows, fromRows, settingsOf } from '../series/aggregate-rows.ts'
import { timeBucketExpression } from '../series/bucketed-rows.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { type Range, withoutSmallGaps } from '../series/parts-to-read.ts'
import { type BucketNumbers, placeExpression } from './bucket-numbers.ts'
import type { KeptWindow } from './kept-window.ts'
import { sumExpression } from './aggregate-sums.ts'
import { type LookUpDependencies, withGroup } from './looked-up-rows.ts'
import { measuredGroups, measuredNumber, onlyIf } from './measure-expressions.ts'
import { Columns, planScans, rowsOf } from './measure-plan.ts'
import type { BucketPlace } from './window-buckets.ts'

/** Lists of numbers in one result, each at most some thousand long. */
const MOST_LISTS = 128

/** Of a bucket with more groups, those with the fewest rows are left out. */
export const MOST_GROUPS_OF_BUCKET = 1000

/**
 * Reads the buckets that the windows lack. Windows that lack the same buckets share a statement. `deleted` is the
 * condition on steps that leaves out those of deleted traces; null if there are none.
 */
export async function readWindows(
  dependencies: LookUpDependencies,
  projectId: ProjectId,
  windows: readonly KeptWindow[],
  deleted: string | null,
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
        await readInParts({ ...dependencies, deleted }, projectId, { sizeMs, ranges }, some, reading)
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

/** Windows of the same measure take the values of its columns in a bucket, by group. */
type Take = (windows: readonly KeptWindow[], place: BucketPlace, groups: ReadonlyMap<string, Values>) => void
type Values = readonly unknown[]

interface Reading {
  readonly placesOf: (window: KeptWindow) => readonly BucketPlace[]
  readonly columnsOf: (window: KeptWindow, rows: AggregateRows, columns: Columns) => Take
  readonly mostLists: number
}

const SUMS: Reading = {
  placesOf: (window) => window.missing,
  columnsOf({ question, sums }, rows, columns) {
    const { number, conditions } = measuredNumber(question, rows)
    const needed = sums.map((name) => columns.add(sumExpression(name, question, number, conditions)))
    return (windows, place, groups) => {
      const valuesOf = (values: Values) => needed.map((at) => values[at] as number)
      const found = new Map([...groups].map(([group, values]) => [group, valuesOf(values)]))
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
    return (windows, place, groups) => {
      const numbers = new Map([...groups].map(([group, values]) => [group, toNumbers(values[column], isRounded)]))
      for (const window of windows) window.putNumbers(place, numbers)
    }
  },
  mostLists: MOST_LISTS,
}

function toNumbers(value: unknown, isRounded: boolean): BucketNumbers {
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

/** A statement that exceeds the memory of a read, because of many groups, is tried again in halves. */
async function readInParts(...[dependencies, projectId, lack, measures, reading]: Reads): Promise<void> {
  try {
    await readBuckets(dependencies, projectId, lack, measures, reading)
  } catch (error) {
    const halves = isOutOfMemory(error) ? halvesOf(lack, measures) : null
    if (halves === null) throw error
    for (const [ranges, some] of halves)
      await readInParts(dependencies, projectId, { sizeMs: lack.sizeMs, ranges }, some, reading)
  }
}

type Reads = Parameters<typeof readBuckets>
type Half = readonly [ranges: readonly Range[], measures: readonly (readonly KeptWindow[])[]]

/** Of the measures, else of the buckets; null for one bucket of one measure. */
function halvesOf({ ranges }: Reads[2], measures: Reads[3]): readonly Half[] | null {
  if (measures.length > 1) {
    const middle = measures.length >> 1
    return [measures.slice(0, middle), measures.slice(middle)].map((some) => [ranges, some])
  }
  if (ranges.length > 1) {
    const middle = ranges.length >> 1
    return [ranges.slice(0, middle), ranges.slice(middle)].map((some) => [some, measures])
  }
  const [{ first, last }] = ranges as readonly [Range]
  if (first === last) return null
  const middle = (first + last) >> 1
  return [
    { first, last: middle },
    { first: middle + 1, last },
  ].map((one) => [[one], measures])
}

async function readBuckets(
  dependencies: LookUpDependencies & { readonly deleted: string | null },
  projectId: ProjectId,
  { sizeMs, ranges }: Omit<Lack, 'window'>,
  measures: readonly (readonly KeptWindow[])[],
  { columnsOf }: Reading,
): Promise<void> {
  const spans = ranges.map(({ first, last }) => ({ startTime: first * sizeMs + 1, endTime: (last + 1) * sizeMs + 1 }))
  const { question } = (measures[0] as readonly KeptWindow[])[0] as KeptWindow
  const { engine, idLeadMs, deleted } = dependencies
  const all = rowsOf(question, projectId, spans, { deleted, idLeadMs: idLeadMs() })
  const { rows, group } = await withGroup(dependencies, projectId, question, all, {
    ...(spans.at(-1) as TimeSpan),
    startTime: (spans[0] as TimeSpan).startTime,
  })
  const columns = new Columns()
  const takes = measures.map((windows) => columnsOf(windows[0] as KeptWindow, rows, columns))
  const bucket = timeBucketExpression(rows.time, { sizeMs, originMs: 1 })
  const groups = group === null ? ONE_GROUP : measuredGroups(question, rows, group)
  const most = group === null ? '' : ` ORDER BY count() DESC LIMIT ${MOST_GROUPS_OF_BUCKET} BY b`
  const found = await engine.select(
    `SELECT ${bucket} AS b, toString(${groups.expression}) AS g, ${columns.expressions.join(', ')} ` +
      `FROM ${groups.from ?? fromRows(rows)} GROUP BY b, g${most}${settingsOf(rows)}`,
  )
  const valuesOf = new Map<unknown, Map<string, Values>>()
  for (const [at, stored, ...values] of found) {
    const label = groups.toLabel(stored as string)
    if (label === null) continue
    const ofBucket = valuesOf.get(at) ?? new Map<string, Values>()
    valuesOf.set(at, ofBucket.set(label, values))
  }
  const none: ReadonlyMap<string, Values> = new Map()
  for (const { first, last } of ranges) {
    for (let at = first; at <= last; at++) {
      const values = valuesOf.get(at) ?? none
      takes.forEach((take, of) => take(measures[of] as readonly KeptWindow[], { sizeMs, bucket: at }, values))
    }
  }
}

/** Without groups. */
const ONE_GROUP = { expression: `''`, from: null, toLabel: (stored: string): string | null => stored }
