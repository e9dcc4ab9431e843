import type { StepBatch } from './step-batch.ts'

/**
 * Steps as a tree, from top to bottom. A "step" is an index by arrival; a "line" is an index from the top of the fully
 * expanded tree.
 */
export interface StepTree {
  readonly count: number
  /** The step of each line. */
  readonly steps: Int32Array
  /** The line of each step. */
  readonly lines: Int32Array
  /** By line: the indentation level. */
  readonly depths: Int32Array
  /** By line: the line after its last descendant. */
  readonly ends: Int32Array
  /** By line: the line of its parent; -1 for none. */
  readonly parents: Int32Array
  /** By line: the number of failed steps above, plus a total at the end. */
  readonly failedBefore: Int32Array
}

type Sources = Pick<StepBatch, 'ids' | 'parentIds' | 'inferred' | 'starts' | 'failed'>

/**
 * Lays out steps. A step with an inferred parent (the step that arrived before it) becomes its sibling, so that a plain
 * run is a list and not a staircase. Missing and cyclic parents count as none. Siblings are sorted by start time if all
 * have one, else by arrival.
 */
export function layOutSteps(sources: Sources): StepTree {
  const count = sources.ids.length
  const parentOf = findParents(sources)
  const { firstChild, nextSibling, roots } = linkChildren(parentOf, sources.starts)
  const steps = new Int32Array(count)
  const lines = new Int32Array(count)
  const depths = new Int32Array(count)
  const ends = new Int32Array(count)
  const parents = new Int32Array(count)
  const failedBefore = new Int32Array(count + 1)
  let line = 0
  let step = roots
  let depth = 0
  let parentLine = -1
  while (step !== -1) {
    steps[line] = step
    lines[step] = line
    depths[line] = depth
    parents[line] = parentLine
    failedBefore[line + 1] = (failedBefore[line] as number) + (sources.failed[step] === true ? 1 : 0)
    const child = firstChild[step] as number
    if (child !== -1) {
      parentLine = line
      depth += 1
      step = child
      line += 1
      continue
    }
    ends[line] = line + 1
    line += 1
    // Back up to the next sibling of an ancestor.
    while (step !== -1 && nextSibling[step] === -1) {
      if (parentLine === -1) {
        step = -1
        break
      }
      ends[parentLine] = line
      step = steps[parentLine] as number
      parentLine = parents[parentLine] as number
      depth -= 1
    }
    if (step !== -1) step = nextSibling[step] as number
  }
  return { count, steps, lines, depths, ends, parents, failedBefore }
}

/** By step: its parent step; -1 for none. */
function findParents({ ids, parentIds, inferred }: Sources): Int32Array {
  const byId = new Map<string, number>()
  for (const [step, id] of ids.entries()) byId.set(id, step)
  const named = new Int32Array(ids.length)
  for (let step = 0; step < ids.length; step += 1) {
    const id = parentIds[step] ?? null
    named[step] = id === null ? -1 : (byId.get(id) ?? -1)
  }
  const parents = new Int32Array(ids.length).fill(-1)
  // An inferred parent arrived earlier, so its own parent is already known.
  for (let step = 0; step < ids.length; step += 1) {
    const parent = named[step] as number
    parents[step] = inferred[step] !== true ? parent : parent < step && parent !== -1 ? (parents[parent] as number) : -1
  }
  return withoutCircles(parents)
}

/** Removes the parent of the first step of each cycle. */
function withoutCircles(parents: Int32Array): Int32Array {
  const seenFrom = new Int32Array(parents.length).fill(-1)
  for (let from = 0; from < parents.length; from += 1) {
    let step = from
    while (step !== -1 && seenFrom[step] === -1) {
      seenFrom[step] = from
      step = parents[step] as number
    }
    if (step === -1 || seenFrom[step] !== from) continue
    let first = step
    for (let other = parents[step] as number; other !== step; other = parents[other] as number) {
      first = Math.min(first, other)
    }
    parents.fill(-1, first, first + 1)
  }
  return parents
}

interface Children {
  readonly firstChild: Int32Array
  readonly nextSibling: Int32Array
  /** The first step without a parent; -1 if there are no steps. */
  readonly roots: number
}

function linkChildren(parents: Int32Array, starts: readonly number[]): Children {
  const count = parents.length
  const firstChild = new Int32Array(count).fill(-1)
  const nextSibling = new Int32Array(count).fill(-1)
  const lastChild = new Int32Array(count + 1).fill(-1)
  // The parents of siblings that arrived out of order; `count` stands for the roots.
  const unordered = new Set<number>()
  let roots = -1
  for (let step = 0; step < count; step += 1) {
    const parent = parents[step] as number
    const place = parent === -1 ? count : parent
    const before = lastChild[place] as number
    if (before !== -1) {
      nextSibling[before] = step
      if (!((starts[before] as number) <= (starts[step] as number))) unordered.add(place)
    } else if (parent === -1) roots = step
    else firstChild[parent] = step
    lastChild[place] = step
  }
  for (const place of unordered) {
    const siblings: number[] = []
    for (let step = place === count ? roots : (firstChild[place] as number); step !== -1;) {
      siblings.push(step)
      step = nextSibling[step] as number
    }
    if (siblings.some((step) => Number.isNaN(starts[step]))) continue
    siblings.sort((a, b) => (starts[a] as number) - (starts[b] as number) || a - b)
    for (const [index, step] of siblings.entries()) nextSibling[step] = siblings[index + 1] ?? -1
    if (place === count) roots = siblings[0] as number
    else firstChild[place] = siblings[0] as number
  }
  return { firstChild, nextSibling, roots }
}
