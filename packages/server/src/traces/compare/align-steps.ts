import { NO_WORD, SKETCH_PLACES, type TextSketch } from './text-sketch.ts'

/** What the alignment knows of a step. Steps with the same `content` did the same. */
export interface AlignedStep {
  readonly content: string
  /** Type, name and tool. Steps of one role can be versions of each other, whatever they say. */
  readonly role: string
  readonly type: string
  /** The roles of the steps around it. */
  readonly place: string
  /** The words it says; decides between candidates. Only called for steps without one of the same content. */
  sketch(): TextSketch
}

/** Positions in the two lists; null where the step is on the other side alone. */
export type AlignedPair =
  readonly [left: number, right: number] | readonly [left: number, right: null] | readonly [left: null, right: number]

type Match = [left: number, right: number]

/** Worth of a pair. A step with the same content outweighs one of the same role that says nearly the same. */
const WORTH = { content: 110, role: 40, text: 50, place: 10 } as const
/** Steps of one type and with different names are versions of each other from this similarity on: one was renamed. */
const RENAMED_FROM = 0.5
/**
 * The most cells of one table. Longer stretches without a common step are compared near their diagonal: 300,000
 * cells take about 20 ms.
 */
const TABLE_CELLS = 300_000
/** Cells of a row at least. */
const LEAST_WIDTH = 32

/**
 * Aligns two runs: both lists in their order, each step once, and those of the left first between two common ones. The
 * same alignment with the sides exchanged. Yields often, so that it can be run in slices.
 *
 * Steps of the same content that are unique on each side, in one order, divide the runs; equal stretches at the ends of
 * each part are passed over. What is left between them goes through a table that finds the pairs of the greatest worth.
 */
export function* alignSteps(
  left: readonly AlignedStep[],
  right: readonly AlignedStep[],
): Generator<void, readonly AlignedPair[]> {
  const matches: Match[] = []
  if (comesFirst(right, left)) {
    const exchanged: Match[] = []
    yield* new Aligner(right, left).match([0, right.length], [0, left.length], exchanged)
    for (const [atRight, atLeft] of exchanged) matches.push([atLeft, atRight])
  } else yield* new Aligner(left, right).match([0, left.length], [0, right.length], matches)
  const pairs: AlignedPair[] = []
  let [l, r] = [0, 0]
  for (const [atLeft, atRight] of [...matches, [left.length, right.length] as Match]) {
    while (l < atLeft) pairs.push([l++, null])
    while (r < atRight) pairs.push([null, r++])
    if (l < left.length && r < right.length) pairs.push([l++, r++])
  }
  return pairs
}

/** An order of any two different runs, so that alignments of equal worth do not depend on the sides. */
function comesFirst(one: readonly AlignedStep[], other: readonly AlignedStep[]): boolean {
  if (one.length !== other.length) return one.length < other.length
  const at = one.findIndex((step, index) => step.content !== other[index]?.content)
  return at !== -1 && one[at]!.content < other[at]!.content
}

type Range = readonly [from: number, to: number]

class Aligner {
  readonly #left: readonly AlignedStep[]
  readonly #right: readonly AlignedStep[]

  constructor(left: readonly AlignedStep[], right: readonly AlignedStep[]) {
    this.#left = left
    this.#right = right
  }

  /** Adds the matches of two parts, in order. */
  *match(left: Range, right: Range, matches: Match[]): Generator<void> {
    let [l, r] = [left[0], right[0]]
    let [lEnd, rEnd] = [left[1], right[1]]
    while (l < lEnd && r < rEnd && this.#isSame(l, r)) matches.push([l++, r++])
    let same = 0
    for (; l < lEnd && r < rEnd && this.#isSame(lEnd - 1, rEnd - 1); same += 1) [lEnd, rEnd] = [lEnd - 1, rEnd - 1]
    yield
    const common = this.#commonSteps([l, lEnd], [r, rEnd])
    yield
    if (common.length === 0) yield* this.#matchByWorth([l, lEnd], [r, rEnd], matches)
    else {
      for (const [atLeft, atRight] of [...common, [lEnd, rEnd] as const]) {
        yield* this.match([l, atLeft], [r, atRight], matches)
        if (atLeft < lEnd) matches.push([atLeft, atRight])
        ;[l, r] = [atLeft + 1, atRight + 1]
      }
    }
    for (let at = 0; at < same; at += 1) matches.push([lEnd + at, rEnd + at])
  }

  #isSame(left: number, right: number): boolean {
    return this.#left[left]!.content === this.#right[right]!.content
  }

  /** The longest series of steps in one order whose content is unique in both parts. */
  #commonSteps(left: Range, right: Range): readonly Match[] {
    const inRight = uniqueContents(this.#right, right)
    const pairs: Match[] = []
    for (const [content, at] of uniqueContents(this.#left, left)) {
      const other = inRight.get(content)
      if (at !== -1 && other !== undefined && other !== -1) pairs.push([at, other])
    }
    return longestRising(pairs)
  }

  /** The pairs of the greatest total worth, by a table of all pairs, or of those near the diagonal. */
  *#matchByWorth([l, lEnd]: Range, [r, rEnd]: Range, matches: Match[]): Generator<void> {
    const [rows, columns] = [lEnd - l, rEnd - r]
    if (rows === 0 || columns === 0) return
    if (rows === 1 && columns === 1 && this.#left[l]!.role === this.#right[r]!.role) {
      matches.push([l, r])
      return
    }
    const names = new Map<string, number>()
    const left = yield* columnsOf(this.#left.slice(l, lEnd), names, NO_WORD)
    const right = yield* columnsOf(this.#right.slice(r, rEnd), names, NO_WORD - 1)
    const width = Math.min(columns + 1, Math.max(LEAST_WIDTH, Math.ceil(TABLE_CELLS / (rows + 1))))
    const startOf = (row: number) =>
      Math.max(0, Math.min(columns + 1 - width, Math.round((row * columns) / rows - width / 2)))
    const moves = new Uint8Array((rows + 1) * width)
    let before = new Float64Array(width)
    let now = new Float64Array(width)
    for (let row = 1; row <= rows; row += 1) {
      const start = startOf(row)
      const shift = start - startOf(row - 1)
      for (let at = 0; at < width; at += 1) {
        const column = start + at
        let best = at + shift < width ? before[at + shift]! : -1
        let move: number = MOVE.left
        if (at > 0 && now[at - 1]! > best) {
          best = now[at - 1]!
          move = MOVE.right
        }
        if (column > 0 && at + shift > 0 && at + shift <= width) {
          const worth = worthOf(left, row - 1, right, column - 1)
          const matched = before[at + shift - 1]! + worth
          if (worth > 0 && matched >= best) {
            best = matched
            move = MOVE.match
          }
        }
        now[at] = best
        moves[row * width + at] = move
      }
      ;[before, now] = [now, before]
      yield
    }
    const found: Match[] = []
    for (let [row, column] = [rows, columns]; row > 0 && column > 0;) {
      const move = moves[row * width + column - startOf(row)]
      if (move === MOVE.match) found.push([l + row - 1, r + column - 1])
      if (move !== MOVE.right) row -= 1
      if (move !== MOVE.left) column -= 1
    }
    matches.push(...found.toReversed())
  }
}

const MOVE = { left: 0, right: 1, match: 2 } as const

/** By content: where it is; -1 if it is in several places. */
function uniqueContents(steps: readonly AlignedStep[], [from, to]: Range): Map<string, number> {
  const places = new Map<string, number>()
  for (let at = from; at < to; at += 1) {
    const { content } = steps[at]!
    places.set(content, places.has(content) ? -1 : at)
  }
  return places
}

/** The longest part of the pairs, which rise at the left, that also rises at the right. */
function longestRising(pairs: readonly Match[]): readonly Match[] {
  /** By length less one: the pair with the lowest right end of a series of this length. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [index, [, right]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < right) low = middle + 1
      else high = middle
    }
    previous.push(low === 0 ? -1 : ends[low - 1]!)
    ends[low] = index
  }
  const series: Match[] = []
  for (let at = ends.at(-1) ?? -1; at !== -1; at = previous[at]!) series.push(pairs[at]!)
  return series.toReversed()
}

/** The steps of one side as columns of numbers: a table reads them 300,000 times. */
interface Columns {
  readonly contents: Int32Array
  readonly roles: Int32Array
  readonly types: Int32Array
  readonly places: Int32Array
  readonly sketches: Int32Array
  /** How many places of each sketch have a word. */
  readonly words: Int32Array
}

/** Texts are sketched in a few microseconds each. */
const STEPS_AT_ONCE = 50

/** `names` has a number for each text. `noWord` differs by side, so that places without a word are not equal. */
function* columnsOf(
  steps: readonly AlignedStep[],
  names: Map<string, number>,
  noWord: number,
): Generator<void, Columns> {
  const numberOf = (text: string) => names.get(text) ?? (names.set(text, names.size), names.size - 1)
  const column = (textOf: (step: AlignedStep) => string) => Int32Array.from(steps, (step) => numberOf(textOf(step)))
  const sketches = new Int32Array(steps.length * SKETCH_PLACES)
  const words = new Int32Array(steps.length)
  for (const [at, step] of steps.entries()) {
    const sketch = step.sketch()
    sketches.set(sketch, at * SKETCH_PLACES)
    words[at] = sketch.reduce((count, word) => count + (word === NO_WORD ? 0 : 1), 0)
    if (at % STEPS_AT_ONCE === 0) yield
  }
  return {
    contents: column(({ content }) => content),
    roles: column(({ role }) => role),
    types: column(({ type }) => type),
    places: column(({ place }) => place),
    sketches: sketches.map((word) => (word === NO_WORD ? noWord : word)),
    words,
  }
}

function worthOf(left: Columns, l: number, right: Columns, r: number): number {
  const place = left.places[l] === right.places[r] ? WORTH.place : 0
  if (left.contents[l] === right.contents[r]) return WORTH.content + place
  const isRole = left.roles[l] === right.roles[r]
  if (!isRole && left.types[l] !== right.types[r]) return 0
  const alike = similarity(left, l, right, r)
  if (!isRole && alike < RENAMED_FROM) return 0
  return (isRole ? WORTH.role : 0) + WORTH.text * alike + place
}

/** Twice the number of equal places over the number of places with a word. 0 without words. */
function similarity(left: Columns, l: number, right: Columns, r: number): number {
  const filled = left.words[l]! + right.words[r]!
  if (filled === 0) return 0
  const [of, other] = [left.sketches, right.sketches]
  let equal = 0
  for (let at = l * SKETCH_PLACES, there = r * SKETCH_PLACES, end = at + SKETCH_PLACES; at < end; at += 1, there += 1)
    if (of[at] === other[there]) equal += 1
  return (2 * equal) / filled
}
