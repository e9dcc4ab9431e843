import type { StepBatch } from './step-batch.ts'
import type { StepTree } from './step-tree.ts'

/** Neighbours of one name, type and parent, without steps inside, by their first line: the line after the last. */
export type Runs = ReadonlyMap<number, number>

/** Fewer steps are not folded. */
const RUN_LEAST = 3

export function runsOf(tree: StepTree, { names, types }: Pick<StepBatch, 'names' | 'types'>): Runs {
  const runs = new Map<number, number>()
  const isAlike = (line: number, other: number) => {
    const [step, next] = [tree.steps[line] as number, tree.steps[other] as number]
    return (
      names[step] === names[next] &&
      types[step] === types[next] &&
      tree.parents[line] === tree.parents[other] &&
      !hasChildren(tree, other)
    )
  }
  for (let line = 0; line < tree.count;) {
    let end = line + 1
    if (!hasChildren(tree, line)) while (end < tree.count && isAlike(line, end)) end += 1
    if (end - line >= RUN_LEAST) runs.set(line, end)
    line = end
  }
  return runs
}

/** The first line of the run of a line; -1 if it is in none. */
export function runAround(tree: StepTree, runs: Runs, line: number): number {
  const parent = tree.parents[line]
  for (let first = line; first >= 0 && tree.parents[first] === parent && !hasChildren(tree, first); first -= 1) {
    const end = runs.get(first)
    if (end !== undefined) return line < end ? first : -1
  }
  return -1
}

/**
 * The visible lines from the top, when these steps are collapsed and each run but these, by their first step, is one.
 */
export function shownLines(
  tree: StepTree,
  folded: ReadonlySet<number>,
  runs: Runs = new Map(),
  opened: ReadonlySet<number> = new Set(),
): Int32Array {
  const shown = new Int32Array(tree.count)
  let count = 0
  for (let line = 0; line < tree.count; count += 1) {
    shown[count] = line
    const step = tree.steps[line] as number
    const runEnd = opened.has(step) ? undefined : runs.get(line)
    line = runEnd ?? (folded.has(step) ? (tree.ends[line] as number) : line + 1)
  }
  return shown.subarray(0, count)
}

/** The lines of these steps and of the steps around them. */
export function linesAround(tree: StepTree, steps: Iterable<number>): ReadonlySet<number> {
  const lines = new Set<number>()
  for (const step of steps) {
    let line = tree.lines[step] ?? -1
    for (; line !== -1 && !lines.has(line); line = tree.parents[line] as number) lines.add(line)
  }
  return lines
}

/** The row of a line; for a hidden line, the row of what is collapsed around it. -1 if nothing is visible. */
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

/**
 * The ancestors of the first row that they do not cover, outermost first: the nearest `most` of them. `top` is the row
 * at the top, which they cover first. Where a subtree ends, the innermost leave one after the other.
 */
export function stuckLines({ depths, parents }: StepTree, shown: Int32Array, top: number, most: number): number[] {
  const depthAt = (row: number) => depths[shown[row] ?? -1] ?? 0
  let count = 0
  while (count < most && depthAt(top + count) > count) count += 1
  const row = depthAt(top + count) < count ? top + count - 1 : top + count
  const around: number[] = []
  for (let line = parents[shown[row] ?? -1] ?? -1; line !== -1; line = parents[line] as number) around.unshift(line)
  return around.slice(-most).slice(0, count)
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

/** Failed steps below a line, up to `end`: its descendants, without itself. */
export function failedInside(tree: StepTree, line: number, end = tree.ends[line] as number): number {
  return (tree.failedBefore[end] as number) - (tree.failedBefore[line + 1] as number)
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
