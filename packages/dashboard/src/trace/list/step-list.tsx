import { type KeyboardEvent, type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import { failedInside, hasChildren } from '../model/folding.ts'
import type { StepView } from '../use-step-view.ts'
import { HEAD_HEIGHT, OverviewRuler } from './overview-ruler.tsx'
import { ROW_HEIGHT, StepRow } from './step-row.tsx'
import { TimeAxis } from './time-axis.tsx'
import { useRowWindow } from './use-row-window.ts'

interface StepListProps {
  readonly view: StepView
  readonly treeRef: RefObject<HTMLDivElement | null>
  readonly wide: boolean
}

/** The steps as a tree beside their waterfall: one scrolled list of which only what is seen is drawn. */
export function StepList({ view, treeRef, wide }: StepListProps) {
  const { steps, tree, shown, axis, selectedRow, matched } = view
  const scroller = useRef<HTMLDivElement>(null)
  const { from, to, slots, rows: drawnRows } = useRowWindow(scroller, ROW_HEIGHT, shown.length)
  // Follows the selection when that moves, not when rows come or go.
  const scrolledTo = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (selectedRow === -1 || scrolledTo.current === view.selected) return
    scrolledTo.current = view.selected
    if (scroller.current !== null) scrollTo(scroller.current, selectedRow)
  })
  const rows = drawnRows.map((row) => {
    const line = shown[row] as number
    const step = tree.steps[line] as number
    const folded = view.folded.has(step)
    return (
      <StepRow
        key={row % slots}
        steps={steps}
        step={step}
        row={row}
        depth={tree.depths[line] as number}
        open={hasChildren(tree, line) ? !folded : undefined}
        hiddenFailures={folded ? failedInside(tree, line) : 0}
        selected={step === view.selected}
        matched={matched.has(step)}
        query={view.query}
        axis={axis}
        onSelect={view.select}
        onFold={view.toggleFold}
      />
    )
  })
  const goTo = useCallback((share: number) => {
    const element = scroller.current
    if (element !== null) element.scrollTop = share * element.scrollHeight - element.clientHeight / 2
  }, [])
  const drawn = selectedRow >= from && selectedRow < to
  return (
    <div className="flex min-h-0 flex-1">
      <div ref={scroller} className="min-w-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain">
        <TimeAxis axis={axis} whole={view.whole} wide={wide} onZoom={view.zoom} />
        <div
          ref={treeRef}
          role="tree"
          tabIndex={0}
          aria-label="Steps"
          {...(drawn && view.selected !== -1 ? { 'aria-activedescendant': `line-${steps.ids[view.selected]}` } : {})}
          onKeyDown={(event) => onKey(event, view, scroller.current)}
          className="relative outline-none focus-visible:[&_[aria-selected=true]]:outline-2 focus-visible:[&_[aria-selected=true]]:-outline-offset-2 focus-visible:[&_[aria-selected=true]]:outline-accent"
          style={{ height: shown.length * ROW_HEIGHT }}
        >
          {rows}
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

/** Brings a row into sight with two more around it; one far away into the middle. */
function scrollTo(scroller: HTMLElement, row: number): void {
  const top = row * ROW_HEIGHT
  const height = scroller.clientHeight - HEAD_HEIGHT
  const margin = 2 * ROW_HEIGHT
  if (top < scroller.scrollTop - height || top > scroller.scrollTop + 2 * height) scroller.scrollTop = top - height / 2
  else if (top - margin < scroller.scrollTop) scroller.scrollTop = top - margin
  else if (top + ROW_HEIGHT + margin > scroller.scrollTop + height) {
    scroller.scrollTop = top + ROW_HEIGHT + margin - height
  }
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
