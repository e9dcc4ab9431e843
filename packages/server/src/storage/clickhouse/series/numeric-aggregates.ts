import { PERCENTILES, type Percentile } from '@spoor/contract/aggregations'

/**
 * Aggregates of a number of each row, as expressions, and the functions that read their results.
 *
 * Sums use numbers scaled by a power of two. That loses no digit and keeps the sum of the largest numbers finite.
 * Metric series scale only where necessary.
 *
 * Percentiles are `quantiles` of ClickHouse: exact for up to 8,192 numbers, interpolated linearly between neighbours;
 * beyond that, from a uniform sample of 8,192. The rank of the result is then off by sqrt(p (1 - p) / 8192) of all
 * numbers (one standard deviation): 0.55 percentage points at p50, 0.24 at p95, 0.11 at p99. The same rows read in the
 * same order give the same sample.
 */
const SCALE = 2 ** -64

export function scaledSum(number: string): string {
  return `sum(${number} * ${SCALE})`
}

/** Undoes the scale. A sum beyond the largest number becomes that number. */
export function toSum(scaled: number): number {
  return clamped(scaled / SCALE)
}

/** From a scaled sum. Clamped between minimum and maximum, which rounding might exceed. */
export function toAverage(scaled: number, count: number, least: number, greatest: number): number {
  return toPlainAverage(clamped(scaled / count / SCALE), 1, least, greatest)
}

/** The same for a sum without scaling. */
export function toPlainAverage(sum: number, count: number, least: number, greatest: number): number {
  return Math.min(greatest, Math.max(least, sum / count))
}

export function quantiles(percentiles: readonly Percentile[], number: string): string {
  return `quantiles(${percentiles.map((name) => PERCENTILES[name].fraction).join(', ')})(${number})`
}

/** What `distribution` selects. */
export type Numbers = readonly [count: number, sum: number, min: number, max: number, quantiles: readonly number[]]

export function distribution(percentiles: readonly Percentile[], number: string, sum = scaledSum(number)): string[] {
  return ['count()', sum, `min(${number})`, `max(${number})`, quantiles(percentiles, number)]
}

export function toDistribution<Name extends Percentile>(
  percentiles: readonly Name[],
  [count, sum, min, max, found]: Numbers,
  average = toAverage,
) {
  const pairs = percentiles.map((name, at) => [name, found[at]])
  const named = Object.fromEntries(pairs) as Readonly<Record<Name, number>>
  return { avg: average(sum, count, min, max), min, max, ...named }
}

function clamped(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value))
}
