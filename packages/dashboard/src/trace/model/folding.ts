import type { StepTree } from './step-tree.ts'

/** The visible lines from the top, when these steps are collapsed. */
export function shownLines(tree: StepTree, folded: ReadonlySet<number>): Int32Array {
  if (folded.size === 0) return Int32Array.from({ length: tree.count }, (_, line) => line)
  const shown = new Int32Array(tree.count)
  let count = 0
  for (let line = 0; line < tree.count; count += 1) {
    shown[count] = line
    line = folded.has(tree.steps[line] as number) ? (tree.ends[line] as number) : line + 1
  }
  return shown.subarray(0, count)
}

/** The row of a line; for a hidden line, the row of the collapsed step around it. -1 if nothing is visible. */
export function rowOf(shown: Int32Array, line: number): number {
  let low = 0
  let high = shown.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((shown[middle] as number) <= line) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Expands the ancestors of a line. Returns the same set if none is collapsed. */
export function unfoldTo(tree: StepTree, folded: ReadonlySet<number>, line: number): ReadonlySet<number> {
  let left: Set<number> | null = null
  for (let above = tree.parents[line] ?? -1; above !== -1; above = tree.parents[above] as number) {
    const step = tree.steps[above] as number
    if (folded.has(step)) (left ??= new Set(folded)).delete(step)
  }
  return left ?? folded
}

export function allFolds(tree: StepTree): Set<number> {
  const folds = new Set<number>()
  for (let line = 0; line < tree.count; line += 1) {
    if (hasChildren(tree, line)) folds.add(tree.steps[line] as number)
  }
  return folds
}

export function hasChildren(tree: StepTree, line: number): boolean {
  return (tree.ends[line] as number) > line + 1
}

/** Failed descendants of a line, without itself. */
export function failedInside(tree: StepTree, line: number): number {
  return (tree.failedBefore[tree.ends[line] as number] as number) - (tree.failedBefore[line + 1] as number)
}

/**
 * The next of these ordered lines after or before one, wrapping around; -1 if there are none. `from` -1 starts outside.
 */
export function nextOf(lines: readonly number[], from: number, direction: 1 | -1): number {
  const next = direction === 1 ? lines.find((line) => line > from) : lines.findLast((line) => line < from)
  return next ?? (direction === 1 ? lines[0] : lines.at(-1)) ?? -1
}

export function failedLines(tree: StepTree): number[] {
  const lines: number[] = []
  for (let line = 0; line < tree.count; line += 1) {
    if ((tree.failedBefore[line + 1] as number) > (tree.failedBefore[line] as number)) lines.push(line)
  }
  return lines
}
