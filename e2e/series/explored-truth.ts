import assert from 'node:assert/strict'
import type { StepSeries } from '@spoor/contract/schemas/series'
import { type Buckets, bucketOf, bucketStart, shiftMs } from './plain-buckets.ts'

/** A row, with what it is grouped by and what is measured of it. */
export interface Row {
  readonly id: string
  /** When its trace was created, milliseconds. */
  readonly time: number
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly numbers: Readonly<Record<string, number | null>>
  /** US dollars by model. */
  readonly costs: ReadonlyMap<string, number | null>
}

/** A row in one group. */
interface Entry {
  readonly row: Row
  readonly key: string
  readonly number: number | null
}

export type Order = 'value' | 'count' | 'change'

/** A row counts in each of its groups, with the cost of its model there. */
export function entriesOf(rows: readonly Row[], fields: readonly string[], measure: string, stat: string): Entry[] {
  const entries = rows.flatMap((row): Entry[] => {
    const lists = fields.map((field) => (row.values[field]?.length ? row.values[field] : [null]))
    const keys = lists.reduce<(string | null)[][]>(
      (all, values) => all.flatMap((key) => values.map((value) => [...key, value])),
      [[]],
    )
    return keys.map((key) => {
      const model = key[fields.indexOf('model')]
      const costs = [...row.costs].filter(([of]) => model === undefined || of === (model ?? '')).map(([, cost]) => cost)
      const known = costs.filter((cost) => cost !== null)
      const cost = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
      return { row, key: JSON.stringify(key), number: measure === 'cost_usd' ? cost : (row.numbers[measure] ?? null) }
    })
  })
  // Rows of unknown cost add nothing to a sum.
  return measure === 'cost_usd' && stat === 'sum' ? entries : entries.filter(({ number }) => number !== null)
}

interface Expected {
  readonly now: readonly Entry[]
  readonly past: readonly Entry[]
  readonly fields: readonly string[]
  readonly measure: string
  readonly stat: string
  readonly order: Order
  readonly limit: number
  readonly buckets: Buckets
}

type Group = NonNullable<StepSeries['groups']>[number]

export function checkAnswer(answer: StepSeries, expected: Expected, about: string): void {
  const { fields } = expected
  const named = (answer.groups ?? []).filter(({ other }) => other !== true)
  if (fields.length > 0) checkChoice(answer, named, expected, about)
  const shown = new Set(named.map((group) => keyOf(group, fields.length)))
  const placeOf = ({ key }: Entry) => (shown.has(key) ? key : OTHER)
  const of = (entries: readonly Entry[], place: string) => {
    const inGroup = entries.filter((entry) => placeOf(entry) === place)
    return numbersOf(place === OTHER ? distinct(inGroup, expected) : inGroup, expected.stat)
  }
  for (const group of answer.groups ?? []) {
    const place = group.other === true ? OTHER : keyOf(group, fields.length)
    assertNear(group, of(expected.now, place), about)
    assertNear(group.previous!, of(expected.past, place), about)
  }
  const { buckets } = expected
  const now = Map.groupBy(expected.now, (entry) => `${bucketOf(buckets, entry.row.time)} ${placeOf(entry)}`)
  // Buckets of the time before have the numbers of those that they are compared with.
  const past = Map.groupBy(
    expected.past,
    (entry) => `${bucketOf(buckets, entry.row.time, shiftMs(buckets))} ${placeOf(entry)}`,
  )
  const found = new Set<string>()
  for (const point of answer.points) {
    const place = point.other === true ? OTHER : keyOf(point, fields.length)
    const bucket = bucketOf(buckets, Date.parse(point.at))
    const key = `${bucket} ${place}`
    const where = `${about} ${point.at} ${place}`
    assert.ok(!found.has(key), where)
    found.add(key)
    assert.equal(point.at, iso(bucketStart(buckets, bucket)), where)
    assert.equal(point.previous?.at, iso(bucketStart(buckets, bucket, shiftMs(buckets))), where)
    assertNear(point, of(now.get(key) ?? [], place), where)
    assertNear(point.previous!, of(past.get(key) ?? [], place), where)
  }
  assert.deepEqual([...found].sort(), [...new Set([...now.keys(), ...past.keys()])].sort(), about)
}

/** In place of a key: all groups that are not shown. */
const OTHER = 'other'

/** That the groups that are shown rank at least as high as those that are not. */
function checkChoice(
  answer: StepSeries,
  named: readonly Group[],
  { now, past, fields, stat, order, limit }: Expected,
  about: string,
): void {
  const keys = [...new Set([...now, ...past].map(({ key }) => key))]
  const shown = new Set(named.map((group) => keyOf(group, fields.length)))
  assert.equal(named.length, Math.min(limit, keys.length), about)
  // Groups of the time before that are not read are not counted.
  const leftOut = (of: readonly Entry[]) => new Set(of.map(({ key }) => key)).size - named.length
  assert.ok(answer.groups_left_out <= keys.length - named.length, about)
  assert.ok(answer.groups_left_out >= Math.max(leftOut(now), leftOut(past)), about)
  assert.equal(answer.groups_left_out > 0, keys.length > named.length, about)
  const weights = new Map(keys.map((key) => [key, weightOf(order, valueOf(now, key, stat), valueOf(past, key, stat))]))
  const lowest = Math.min(...[...shown].map((key) => weights.get(key)!))
  const highest = Math.max(...keys.filter((key) => !shown.has(key)).map((key) => weights.get(key)!))
  assert.ok(!(highest > lowest + 1e-9), `${about}: ${highest} is not shown, ${lowest} is`)
}

/** A row is once among all groups that are not shown, but with a cost for each of its models. */
function distinct(entries: readonly Entry[], { measure, fields }: Expected): readonly Entry[] {
  const model = measure === 'cost_usd' ? fields.indexOf('model') : -1
  const keyed = entries.map((entry) => {
    const of = (JSON.parse(entry.key) as unknown[])[model]
    return [`${entry.row.id} ${JSON.stringify(of)} ${entry.number}`, entry] as const
  })
  return [...new Map(keyed).values()]
}

function keyOf({ group, subgroup }: Pick<Group, 'group' | 'subgroup'>, fields: number): string {
  return JSON.stringify([group, subgroup].slice(0, fields))
}

interface Value {
  readonly count: number
  readonly value: number | null
}

/** Of the entries with this key. */
export function valueOf(entries: readonly Entry[], key: string, stat: string): Value {
  return numbersOf(
    entries.filter((entry) => entry.key === key),
    stat,
  )
}

function numbersOf(entries: readonly Entry[], stat: string): Value {
  const numbers = entries.map(({ number }) => number ?? 0).sort((a, b) => a - b)
  const count = new Set(entries.map(({ row }) => row.id)).size
  const sum = numbers.reduce((total, number) => total + number, 0)
  if (stat === 'count' || stat === 'sum') return { count, value: stat === 'count' ? count : sum }
  if (numbers.length === 0) return { count, value: null }
  if (stat === 'mean' || stat === 'rate') return { count, value: sum / numbers.length }
  const share = stat === 'min' ? 0 : stat === 'max' ? 1 : Number(stat.slice(1)) / 100
  const rank = share * (numbers.length - 1)
  const [below, above] = [numbers[Math.floor(rank)]!, numbers[Math.ceil(rank)]!]
  return { count, value: below + (above - below) * (rank - Math.floor(rank)) }
}

function weightOf(order: Order, now: Value, past: Value): number {
  if (order === 'count') return now.count
  if (order === 'change') return Math.abs((now.value ?? 0) - (past.value ?? 0))
  return now.value ?? -Infinity
}

function assertNear(found: Value, expected: Value, about: string): void {
  assert.equal(found.count, expected.count, about)
  if (found.value === null || expected.value === null) return assert.equal(found.value, expected.value, about)
  const far = Math.abs(found.value - expected.value) > 1e-6 * Math.max(1, Math.abs(expected.value))
  assert.ok(!far, `${about}: ${found.value} is not ${expected.value}`)
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
