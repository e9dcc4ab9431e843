/** The value that `share` (0 to 1) of them do not exceed, by nearest rank. NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
