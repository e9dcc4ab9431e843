import { type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import { failedInside, rowOf, stuckLines } from '../model/folding.ts'
import type { StepView } from '../use-step-view.ts'
import { HEAD_HEIGHT, OverviewRuler } from './overview-ruler.tsx'
import { ROW_HEIGHT, StepRow } from './step-row.tsx'
import { TimeAxis } from './time-axis.tsx'

/** Rows are added and removed in blocks of this many, so that most frames of a slow scroll change nothing. */
const BLOCK = 8
/** Ancestors of the first visible row that stay above it: more would hide too many rows of a phone. */
const MOST_STUCK = 4

interface StepListProps {
  readonly view: StepView
  readonly treeRef: RefObject<HTMLDivElement | null>
  /** New rows are scrolled to, unless the reader scrolled away from the last one. */
  readonly isFollowed: boolean
  /** Without the waterfall. */
  readonly isFlat: boolean
}

/** The steps as a tree with a waterfall. Only the visible rows are rendered. */
export function StepList({ view, treeRef, isFollowed, isFlat }: StepListProps) {
  const { steps, tree, shown, axis, selectedRow, matched } = view
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    rangeExtractor: rowsInBlocks,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT + (MOST_STUCK + 1) * ROW_HEIGHT,
    scrollPaddingEnd: 2 * ROW_HEIGHT,
    // An upper bound, so that the first render has rows.
    initialRect: { width: innerWidth, height: innerHeight },
  })
  // Scrolls when the selection changes, not when rows do.
  const scrolledTo = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (selectedRow === -1 || scrolledTo.current === view.selected) return
    scrolledTo.current = view.selected
    scrollTo(virtualizer, selectedRow)
  })
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (isFollowed && isAtEnd.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [isFollowed, shown.length])
  const drawn = virtualizer.getVirtualItems()
  const stuck = stuckLines(tree, shown, Math.floor((virtualizer.scrollOffset ?? 0) / ROW_HEIGHT), MOST_STUCK)
  const goToStuck = (step: number) => {
    // The row that was pressed goes.
    treeRef.current?.focus({ preventScroll: true })
    virtualizer.scrollToIndex(rowOf(shown, tree.lines[step] as number), { align: 'start' })
  }
  const foldStuck = (step: number) => {
    goToStuck(step)
    view.toggleFold(step)
  }
  const drawLine = (line: number, row: number, isStuck = false) => {
    const step = tree.steps[line] as number
    const folded = view.folded.has(step)
    const runEnd = view.closedRunEnd(line)
    const inRun = runEnd === undefined ? undefined : tree.steps.subarray(line, runEnd)
    return (
      <StepRow
        key={row}
        steps={steps}
        step={step}
        row={row}
        isStuck={isStuck}
        depth={tree.depths[line] as number}
        open={view.hasInside(line) ? !folded : view.beginsRun(line) ? runEnd === undefined : undefined}
        times={inRun?.length ?? 1}
        lastOfRun={inRun?.at(-1) ?? step}
        tokens={totalOf(view.tokens, inRun, step)}
        cost={totalOf(view.costs, inRun, step)}
        hiddenFailures={folded || runEnd !== undefined ? failedInside(tree, line, runEnd) : 0}
        finding={Array.from(inRun ?? [step], (each) => view.findings.get(steps.ids[each] as string)).find(Boolean)}
        selected={step === view.selected}
        matched={inRun?.some((each) => matched.has(each)) ?? matched.has(step)}
        query={view.query}
        axis={axis}
        onSelect={isStuck ? goToStuck : view.select}
        onFold={isStuck ? foldStuck : view.toggleFold}
      />
    )
  }
  const goTo = useCallback((share: number) => {
    const element = scroller.current
    if (element !== null) element.scrollTop = share * element.scrollHeight - element.clientHeight / 2
  }, [])
  const selectedIsDrawn = drawn.some(({ index }) => index === selectedRow)
  return (
    <div className="flex min-h-0 flex-1">
      <div
        ref={scroller}
        id="step-columns"
        data-panes=""
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - ROW_HEIGHT
        }}
        className="min-w-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain @container"
      >
        <div
          className={isFlat ? WITHOUT_LAST : ''}
          style={{
            ...(isFlat ? WITHOUT_WATERFALL : {}),
            ...(view.hasTokens ? {} : WITHOUT_TOKENS),
            ...(view.hasCost ? {} : WITHOUT_COST),
          }}
        >
          <TimeAxis
            axis={axis}
            whole={view.whole}
            hasTokens={view.hasTokens}
            hasCost={view.hasCost}
            onZoom={view.zoom}
          />
          {/* Screen readers announce the level of a step, and its parent is reached with the left arrow. */}
          <div aria-hidden className="sticky top-7 z-5 h-0">
            <div
              className={`bg-ground absolute inset-x-0 ${stuck.length > 0 ? 'border-b shadow-sm' : ''}`}
              style={{ height: stuck.length * ROW_HEIGHT }}
            >
              {stuck.map((line, row) => drawLine(line, row, true))}
            </div>
          </div>
          <div
            ref={treeRef}
            role="tree"
            tabIndex={0}
            aria-label="Steps"
            {...(selectedIsDrawn ? { 'aria-activedescendant': `line-${steps.ids[view.selected]}` } : {})}
            onKeyDown={(event) => onKey(event, view, scroller.current)}
            className="relative outline-none focus-visible:[&_[aria-selected=true]]:outline-2 focus-visible:[&_[aria-selected=true]]:-outline-offset-2 focus-visible:[&_[aria-selected=true]]:outline-accent"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {drawn.map(({ index: row }) => drawLine(shown[row] as number, row))}
          </div>
        </div>
      </div>
      <OverviewRuler
        rows={shown.length}
        failedRows={view.failedRows}
        matchedRows={view.matchedRows}
        selectedRow={selectedRow}
        onGo={goTo}
      />
    </div>
  )
}

/** Of a step, or of those of a collapsed run; NaN if none is known. */
function totalOf(values: Float64Array, inRun: Int32Array | undefined, step: number): number {
  if (inRun === undefined) return values[step] as number
  const known = Array.from(inRun, (each) => values[each] as number).filter((value) => !Number.isNaN(value))
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0)
}

/** The last column, of the rows and of their head. */
const WITHOUT_LAST = '[&_[role=treeitem]>:last-child]:hidden [&>:first-child>:last-child]:hidden'
const WITHOUT_WATERFALL = { '--names': '100%', '--waterfall': '0px' } as CSSProperties

/** A column that no step fills has no width. */
const WITHOUT_TOKENS = { '--tokens': '0px' } as CSSProperties
const WITHOUT_COST = { '--cost': '0px' } as CSSProperties

/** The visible rows, widened to whole blocks, with one more block at each side. */
function rowsInBlocks({ startIndex, endIndex, count }: Range): number[] {
  const from = Math.max(0, (Math.floor(startIndex / BLOCK) - 1) * BLOCK)
  const to = Math.min(count, (Math.floor(endIndex / BLOCK) + 2) * BLOCK)
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** Shows a row with two more around it; a row more than a screen away is centred. */
function scrollTo({ range, scrollToIndex }: Virtualizer<HTMLDivElement, HTMLDivElement>, row: number): void {
  const { startIndex, endIndex } = range ?? { startIndex: 0, endIndex: 0 }
  const visible = endIndex - startIndex
  const far = row < startIndex - visible || row > endIndex + visible
  scrollToIndex(row, { align: far ? 'center' : 'auto' })
}

/** The keys of a tree, as screen readers announce them. */
function onKey(event: KeyboardEvent, view: StepView, scroller: HTMLElement | null): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const page = scroller === null ? 10 : Math.max(1, Math.floor(scroller.clientHeight / ROW_HEIGHT) - 2)
  const does: Readonly<Record<string, () => void>> = {
    ArrowDown: () => view.move(1),
    ArrowUp: () => view.move(-1),
    PageDown: () => view.move(page),
    PageUp: () => view.move(-page),
    Home: () => view.move(-Infinity),
    End: () => view.move(Infinity),
    ArrowRight: view.goIn,
    ArrowLeft: view.goOut,
  }
  const run = does[event.key]
  if (run === undefined) return
  event.preventDefault()
  run()
}
