import type { StepTree } from './step-tree.ts'

/**
 * By step: the greater of its own value and the sum of the steps inside, as the service counts them; its own if that
 * `covers` them. NaN if none is known.
 */
export function sumsOf(
  { count, steps, parents }: StepTree,
  own: readonly number[],
  covers: readonly boolean[] = [],
): Float64Array {
  const sums = new Float64Array(count).fill(NaN)
  // From the last line, so that children come before their parent.
  for (let line = count - 1; line >= 0; line -= 1) {
    const step = steps[line] as number
    const value = own[step] as number
    const isLess = value < (sums[step] as number) && covers[step] !== true
    if (!Number.isNaN(value) && !isLess) sums[step] = value
    const parent = parents[line] as number
    const sum = sums[step] as number
    if (parent === -1 || Number.isNaN(sum)) continue
    const above = steps[parent] as number
    sums[above] = Number.isNaN(sums[above]) ? sum : (sums[above] as number) + sum
  }
  return sums
}
