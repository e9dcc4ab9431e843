import assert from 'node:assert/strict'
import { type PercentileOf, PERCENTILES, percentilesOf } from '@spoor/contract/aggregations'
import { bucketOf, bucketStart, type TimeBuckets } from '../../../lib/time/time-buckets.ts'

/** For tests: aggregates, computed plainly. */

export function plainSum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

export function plainQuantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const rank = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(rank)] as number, sorted[Math.ceil(rank)] as number]
  return below + (above - below) * (rank - Math.floor(rank))
}

/** Of at least one number. */
export function plainDistribution<Of extends 'metrics' | 'traces'>(series: Of, numbers: readonly number[]) {
  const percentiles = percentilesOf(series).map((name) => [name, plainQuantile(numbers, PERCENTILES[name].fraction)])
  return {
    avg: plainSum(numbers.map((number) => number / numbers.length)),
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    ...(Object.fromEntries(percentiles) as Readonly<Record<PercentileOf<Of>, number>>),
  }
}

/** Rows of each bucket and group, ordered by time, then by group, null first. */
export function plainBuckets<Row>(
  rows: readonly Row[],
  timeOf: (row: Row) => number,
  buckets: TimeBuckets,
  groupsOf: (row: Row) => readonly (string | null)[],
): { at: number; group: string | null; rows: Row[] }[] {
  const found = new Map<string, { at: number; group: string | null; rows: Row[] }>()
  for (const row of rows) {
    const at = bucketStart(buckets, bucketOf(buckets, timeOf(row)))
    for (const group of groupsOf(row)) {
      const key = JSON.stringify([at, group])
      const bucket = found.get(key) ?? { at, group, rows: [] }
      bucket.rows.push(row)
      found.set(key, bucket)
    }
  }
  const order = (group: string | null) => (group === null ? '' : `:${group}`)
  return [...found.values()].sort((a, b) => a.at - b.at || (order(a.group) < order(b.group) ? -1 : 1))
}

const ROUNDED = /\/(avg|sum|value|p\d+)$/

/** Equal except for rounding of sums and of interpolated values; all numbers are below 10^7. */
export function assertNear(actual: unknown, expected: unknown, path = ''): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const tolerance = ROUNDED.test(path) ? 1e-7 + 1e-9 * Math.abs(expected) : 0
    assert.ok(Math.abs(actual - expected) <= tolerance, `${path}: ${actual} is not ${expected}`)
  } else if (typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(actual).toSorted(), Object.keys(expected).toSorted(), path)
    for (const [key, value] of Object.entries(expected)) {
      assertNear((actual as Record<string, unknown>)[key], value, `${path}/${key}`)
    }
  } else {
    assert.equal(actual, expected, path)
  }
}

/** A metadata value as the label of a group in a series. */
export function plainLabel(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    JSON.parse(value)
    return JSON.stringify(value)
  } catch {
    return value
  }
}

/** Whether a row with these values passes a filter and its negation. */
export function plainPasses(
  wanted: string | readonly string[] | null,
  unwanted: string | readonly string[] | null,
  own: readonly unknown[],
): boolean {
  const has = (values: string | readonly string[]) => [values].flat().some((value) => own.includes(value))
  return (wanted === null || has(wanted)) && (unwanted === null || !has(unwanted))
}
