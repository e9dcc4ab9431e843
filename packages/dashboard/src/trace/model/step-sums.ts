import type { StepTree } from './step-tree.ts'

/** By step: its own value, else the sum of the steps inside; NaN if none is known. */
export function sumsOf({ count, steps, parents }: StepTree, own: readonly number[]): Float64Array {
  const sums = new Float64Array(count).fill(NaN)
  // From the last line, so that children come before their parent.
  for (let line = count - 1; line >= 0; line -= 1) {
    const step = steps[line] as number
    const value = own[step] as number
    if (!Number.isNaN(value)) sums[step] = value
    const parent = parents[line] as number
    const sum = sums[step] as number
    if (parent === -1 || Number.isNaN(sum)) continue
    const above = steps[parent] as number
    sums[above] = Number.isNaN(sums[above]) ? sum : (sums[above] as number) + sum
  }
  return sums
}
