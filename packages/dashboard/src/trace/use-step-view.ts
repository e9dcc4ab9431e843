import { useCallback, useMemo, useState } from 'react'
import { toggled } from '../lib/toggled.ts'
import {
  allFolds,
  failedLines,
  hasChildren,
  linesAround,
  nextOf,
  rowOf,
  runAround,
  type Runs,
  runsOf,
  shownLines,
  unfoldTo,
} from './model/folding.ts'
import type { StepBatch } from './model/step-batch.ts'
import { sumsOf } from './model/step-sums.ts'
import { layOutSteps, type StepTree } from './model/step-tree.ts'
import { type Axis, axisAround, wholeAxis } from './model/time-scale.ts'
import type { TraceSnapshot } from './reading/trace-source.ts'

export type StepView = ReturnType<typeof useStepView>

/**
 * The visible steps and the navigation among them. The URL holds the selection: `onSelect` changes it. `only`: ids of
 * the steps that are listed, with the steps around them; null for all.
 */
export function useStepView(
  { steps, count, head, search }: Pick<TraceSnapshot, 'steps' | 'count' | 'head' | 'search'>,
  selectedId: string | undefined,
  onSelect: (stepId: string) => void,
  only: ReadonlySet<string> | null,
) {
  const [folded, setFolded] = useState<ReadonlySet<number>>(() => new Set())
  const [listed, setListed] = useState<ReadonlySet<string> | null>(null)
  if (listed !== only) {
    setListed(only)
    setFolded(new Set())
  }
  /** Runs of repeated steps that are open, by their first step. */
  const [opened, setOpened] = useState<ReadonlySet<number>>(() => new Set())
  const [zoomed, setZoomed] = useState<Axis | null>(null)
  const tree = useMemo(() => layOutFirst(steps, count), [steps, count])
  const slice = useMemo(
    () =>
      only &&
      linesAround(
        tree,
        Array.from(only, (id) => steps.ids.indexOf(id)),
      ),
    [tree, steps, only],
  )
  const runs = useMemo(() => (slice === null ? runsOf(tree, steps) : NO_RUNS), [tree, steps, slice])
  const selected = useMemo(
    () => (selectedId === undefined ? -1 : steps.ids.indexOf(selectedId)),
    [steps, count, selectedId],
  )
  // A collapsed step that is opened by a link or a search becomes visible.
  const [unfoldedTo, setUnfoldedTo] = useState(-1)
  const selectedLine = selected === -1 || selected >= tree.count ? -1 : (tree.lines[selected] as number)
  if (unfoldedTo !== selected) {
    setUnfoldedTo(selected)
    if (selectedLine !== -1) {
      setFolded(unfoldTo(tree, folded, selectedLine))
      const first = runAround(tree, runs, selectedLine)
      if (first !== -1 && first !== selectedLine) setOpened(new Set(opened).add(tree.steps[first] as number))
    }
  }
  const tokens = useMemo(() => sumsOf(tree, steps.tokens), [tree, steps])
  const costs = useMemo(() => sumsOf(tree, steps.costs, steps.costsSent), [tree, steps])
  const shown = useMemo(
    () => shownLines(tree, folded, runs, opened).filter((line) => isIn(slice, line)),
    [tree, folded, runs, opened, slice],
  )
  const failed = useMemo(() => failedLines(tree).filter((line) => isIn(slice, line)), [tree, slice])
  const matches = useMemo(() => linesOf(tree, search.steps, slice), [tree, search.steps, slice])
  const findings = useMemo(
    () => new Map(head?.findings.flatMap(({ kind, step_ids: ids }) => ids.map((id) => [id, kind] as const))),
    [head?.findings],
  )
  const matched = useMemo(() => new Set(search.steps), [search.steps])
  const failedRows = useMemo(() => failed.map((line) => rowOf(shown, line)), [failed, shown])
  const matchedRows = useMemo(() => matches.map((line) => rowOf(shown, line)), [matches, shown])
  const bounds = { start: timeOf(head?.started_at), end: timeOf(head?.ended_at) }
  const whole = useMemo(() => wholeAxis(steps, bounds), [steps, count, bounds.start, bounds.end])
  const select = useCallback((step: number) => onSelect(steps.ids[step] as string), [steps, onSelect])
  const toggleFold = useCallback(
    (step: number) => (runs.has(tree.lines[step] as number) ? setOpened : setFolded)((before) => toggled(before, step)),
    [tree, runs],
  )
  const selectedRow = selectedLine === -1 || !isIn(slice, selectedLine) ? -1 : rowOf(shown, selectedLine)
  const hasInside = (line: number) => hasChildren(tree, line) && hasListed(slice, line, tree.ends[line] as number)
  const selectLine = (line: number) => {
    if (line !== -1) select(tree.steps[line] as number)
  }
  return {
    steps,
    tree,
    folded,
    /** Where a line begins a collapsed run of repeated steps: the line after it. */
    closedRunEnd: (line: number) => (opened.has(tree.steps[line] as number) ? undefined : runs.get(line)),
    beginsRun: (line: number) => runs.has(line),
    /** Whether steps inside are listed, unless it is collapsed. */
    hasInside,
    /** By step: its tokens and cost, or those of the steps inside. */
    tokens,
    costs,
    /** The kind of the finding that names a step, by its id. */
    findings,
    hasTokens: useMemo(() => tokens.some((value) => value > 0), [tokens]),
    hasCost: useMemo(() => costs.some((value) => !Number.isNaN(value)), [costs]),
    /** Visible lines of the tree. */
    shown,
    /** The selected step, by arrival; -1 for none. */
    selected,
    /** Its row, or that of the collapsed step around it. */
    selectedRow,
    failed,
    failedRows,
    matches,
    matched,
    matchedRows,
    query: search.text,
    /** The whole trace, and the part shown by the waterfall. */
    whole,
    axis: zoomed !== null && whole.kind === 'time' ? zoomed : whole,
    select,
    toggleFold,
    foldAll: (fold: boolean) => {
      setFolded(fold ? allFolds(tree) : new Set())
      setOpened(new Set(fold ? [] : [...runs.keys()].map((line) => tree.steps[line] as number)))
    },
    /** By rows; infinite values go to an end. */
    move: (rows: number) => {
      if (shown.length === 0) return
      const from = selectedRow === -1 && rows > 0 ? -1 : selectedRow
      selectLine(shown[Math.min(shown.length - 1, Math.max(0, from + rows))] as number)
    },
    goIn: () => {
      if (selectedLine === -1 || !(hasInside(selectedLine) || runs.has(selectedLine))) return
      if (folded.has(selected) || (runs.has(selectedLine) && !opened.has(selected))) toggleFold(selected)
      else selectLine(nextIn(slice, selectedLine))
    },
    goOut: () => {
      if (selectedLine === -1) return
      const first = runAround(tree, runs, selectedLine)
      if (first !== -1 && opened.has(tree.steps[first] as number)) {
        toggleFold(tree.steps[first] as number)
        selectLine(first)
      } else if (hasInside(selectedLine) && !folded.has(selected)) toggleFold(selected)
      else selectLine(tree.parents[selectedLine] as number)
    },
    goToFailure: (direction: 1 | -1) => selectLine(nextOf(failed, selectedLine, direction)),
    goToMatch: (direction: 1 | -1) => selectLine(nextOf(matches, selectedLine, direction)),
    zoom: setZoomed,
    /** Zooms to the selected step and its descendants. */
    zoomToSelected: () => {
      if (selectedLine === -1) return
      setZoomed(axisAround(steps, tree.steps.subarray(selectedLine, tree.ends[selectedLine]), whole))
    },
  }
}

/** The listed ones of a trace are not repeated steps. */
const NO_RUNS: Runs = new Map()

/** Lines that are listed; null for all. */
type Slice = ReadonlySet<number> | null

function isIn(slice: Slice, line: number): boolean {
  return slice === null || slice.has(line)
}

function nextIn(slice: Slice, line: number): number {
  let next = line + 1
  while (!isIn(slice, next)) next += 1
  return next
}

function hasListed(slice: Slice, after: number, end: number): boolean {
  return slice === null || [...slice].some((line) => line > after && line < end)
}

/** The lines of these steps, in order. */
function linesOf(tree: StepTree, steps: readonly number[], slice: Slice): readonly number[] {
  const lines = steps.filter((step) => step < tree.count).map((step) => tree.lines[step] as number)
  return lines.filter((line) => isIn(slice, line)).sort((a, b) => a - b)
}

/** Columns grow in place: only the first `count` belong to this render. */
function layOutFirst(steps: StepBatch, count: number): StepTree {
  if (steps.ids.length === count) return layOutSteps(steps)
  return layOutSteps({
    ids: steps.ids.slice(0, count),
    parentIds: steps.parentIds,
    inferred: steps.inferred,
    starts: steps.starts,
    failed: steps.failed,
  })
}

function timeOf(time: string | null | undefined): number {
  return time === null || time === undefined ? NaN : Date.parse(time)
}
