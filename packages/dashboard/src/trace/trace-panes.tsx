import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { originsQuery } from '../api/insight.ts'
import { useIsLeaving } from '../lib/hooks/use-is-leaving.ts'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { store, useStored } from '../lib/hooks/use-stored.ts'
import { changed } from '../lib/search.ts'
import { Splitter } from '../ui/splitter.tsx'
import { EmptyState } from '../ui/states.tsx'
import { FoundQuery } from '../ui/text/found-query.ts'
import { DetailPane } from './detail/detail-pane.tsx'
import { useFoundMarks } from './detail/use-found-marks.ts'
import { LedToChip } from './list/led-to-chip.tsx'
import { ListToolbar } from './list/list-toolbar.tsx'
import { StepList } from './list/step-list.tsx'
import { failedInside } from './model/folding.ts'
import { PANES, WIDE } from './panes.ts'
import type { TraceHead } from './reading/trace-head.ts'
import type { TraceSnapshot, TraceSource } from './reading/trace-source.ts'
import type { TraceSearch } from './search.ts'
import { type StepView, useStepView } from './use-step-view.ts'

const route = getRouteApi('/app/traces/$traceId')

/** Local storage key: whether the steps are without their waterfall. */
const NO_WATERFALL = 'spoor.no-waterfall'

interface TracePanesProps {
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
  readonly head: TraceHead
  /** New steps are followed. */
  readonly isRunning: boolean
  /** Leaves the trace. */
  onLeave(): void
}

/** The steps, and the selected step or trace beside them; on narrow screens above them. */
export function TracePanes({ source, snapshot, head, isRunning, onLeave }: TracePanesProps) {
  const { q = '', view: shownView, led_to: ledTo } = route.useSearch()
  const [stepId, goTo] = useSelectedStep()
  const navigate = useNavigate({ from: '/app/traces/$traceId' })
  const wide = useMediaQuery(WIDE)
  const tree = useRef<HTMLDivElement>(null)
  const detail = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const ledHere = useQuery({ ...originsQuery(head.id, ledTo ?? ''), enabled: ledTo !== undefined })
  const steps = ledTo === undefined ? undefined : ledHere.data?.led_here
  const only = useMemo(() => (steps === undefined ? null : new Set([...steps, ledTo as string])), [steps, ledTo])
  const view = useStepView(snapshot, stepId, goTo, only)
  const [text, setText] = useSearchText(
    source,
    q,
    (next) =>
      void navigate({
        search: (before) => changed(before, { q: next || undefined }),
        replace: true,
        resetScroll: false,
      }),
  )
  const showSummary = useCallback(() => {
    if (wide) goTo(undefined)
    else
      void navigate({
        search: (before) => changed(before, { step: undefined, tab: undefined, view: 'trace' }),
        replace: true,
      })
  }, [wide, goTo, navigate])
  useOpening({
    source,
    snapshot,
    view,
    named: stepId !== undefined || shownView !== undefined || ledTo !== undefined,
    onStep: (first) => goTo(first, { replace: true }),
    // Beside the steps, the summary is shown without a step.
    onSummary: () => wide || showSummary(),
  })
  const isFlat = useStored(localStorage, NO_WATERFALL) === 'yes'
  const [showsSimilar, setShowsSimilar] = useState(false)
  const focusTree = () => tree.current?.focus({ preventScroll: true })
  useEffect(() => {
    detail.current?.scrollTo({ top: 0 })
  }, [view.selected])
  useFoundMarks(detail, view.query, view.selected)
  useShortcuts('This trace', {
    j: { does: 'Next step', run: () => view.move(1) },
    k: { does: 'Previous step', run: () => view.move(-1) },
    e: { does: 'Next error', run: () => view.goToFailure(1) },
    E: { does: 'Previous error', run: () => view.goToFailure(-1) },
    n: { does: 'Next match', run: () => view.goToMatch(1) },
    N: { does: 'Previous match', run: () => view.goToMatch(-1) },
    '/': { does: 'Search', run: () => search.current?.select() },
    h: { does: 'Collapse, or go to the parent', run: view.goOut },
    l: { does: 'Expand, or go to the first child', run: view.goIn },
    z: { does: 'Zoom to the step', run: view.zoomToSelected },
    Z: { does: 'Zoom out', run: () => view.zoom(null) },
    Enter: { does: 'Go to the details', run: () => detail.current?.focus() },
    s: { does: 'Summary of the trace', run: showSummary },
    w: { does: 'Show or hide the waterfall', run: () => store(localStorage, NO_WATERFALL, isFlat ? null : 'yes') },
    '.': {
      does: 'Runs like this one',
      run: () => {
        setShowsSimilar(true)
        showSummary()
      },
    },
    Escape: {
      does: 'From the details to the steps, then to the list',
      run: () => {
        if (detail.current?.contains(document.activeElement) === true && wide) focusTree()
        else onLeave()
      },
    },
  })
  // On narrow screens.
  const over = stepId !== undefined || shownView === 'trace'
  return (
    <div data-panes="" className="relative flex min-h-0 flex-1">
      <section id="steps" aria-label="Steps" className="flex min-w-0 flex-1 flex-col" inert={!wide && over}>
        <ListToolbar
          view={view}
          text={text}
          onText={setText}
          searchRef={search}
          onLeave={focusTree}
          onSummary={showSummary}
          summaryShown={wide && stepId === undefined}
          searched={text === snapshot.search.text && snapshot.search.upTo >= snapshot.count}
        />
        {ledTo !== undefined && (
          <LedToChip
            step={snapshot.steps.names[snapshot.steps.ids.indexOf(ledTo)]}
            listed={only === null ? null : view.shown.length}
            failed={ledHere.isError}
            onLeave={() => void navigate({ search: (before) => changed(before, { led_to: undefined }) })}
          />
        )}
        {snapshot.count === 0 && snapshot.complete ? (
          <EmptyState title="No steps yet">
            Steps are sent with the trace or appended to <code>/v1/traces/{head.id}/steps</code>. They appear here
            automatically.
          </EmptyState>
        ) : (
          <StepList view={view} treeRef={tree} isFlat={isFlat} isFollowed={isRunning && snapshot.complete} />
        )}
      </section>
      {wide && <Splitter panes={PANES} label="Width of the steps" controls="steps" />}
      {(wide || over) && (
        <FoundQuery value={view.query.toLowerCase()}>
          <DetailPane
            ref={detail}
            source={source}
            snapshot={snapshot}
            head={head}
            view={view}
            wide={wide}
            showsSimilar={showsSimilar}
            unknown={stepId !== undefined && view.selected === -1 && snapshot.complete}
            onStep={goTo}
          />
        </FoundQuery>
      )}
    </div>
  )
}

/** Searches while the reader types, and updates the URL when typing pauses. */
function useSearchText(source: TraceSource, q: string, onPause: (text: string) => void) {
  const [text, setText] = useState(q)
  const isLeaving = useIsLeaving()
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = text.trim()
      if (wanted !== source.snapshot().search.text) source.search(wanted)
      if (wanted !== q && !isLeaving()) onPause(wanted)
    }, 150)
    return () => clearTimeout(timer)
  })
  return [text, setText] as const
}

/** Traces that were opened: a tab that is shown again keeps its place. */
const opened = new WeakSet<TraceSource>()

interface OpeningOptions {
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
  readonly view: StepView
  /** Whether the address says what is shown. */
  readonly named: boolean
  onStep(stepId: string): void
  onSummary(): void
}

/**
 * Where a trace opens if its address names no step: a failed one on its first error, one of a single step on that step,
 * others on their summary. Once per trace, unless the reader was faster.
 */
function useOpening({ source, snapshot, view, named, onStep, onSummary }: OpeningOptions): void {
  const { complete, count, head, steps } = snapshot
  useEffect(() => {
    if (named) opened.add(source)
    if (opened.has(source) || !complete || head === null) return
    opened.add(source)
    const step = count === 1 ? 0 : head.status === 'error' ? firstError(view) : -1
    if (step === -1) onSummary()
    else onStep(steps.ids[step] as string)
  })
}

/** From the top, the first failed step without a failed step inside: a parent often fails because of its child. */
function firstError({ tree, failed }: StepView): number {
  const line = failed.find((each) => failedInside(tree, each) === 0)
  return line === undefined ? -1 : (tree.steps[line] as number)
}

/** Moving along steps with a held key updates the URL only at a pause: the router is slower than key repeat. */
const PAUSE_MS = 150

/** `replace`: adds no history entry. */
type SelectStep = (stepId: string | undefined, options?: { readonly replace: boolean }) => void

/**
 * The id of the selected step. The URL follows after a moment. Opening and closing a step adds a history entry; moving
 * between steps does not.
 */
function useSelectedStep(): readonly [string | undefined, SelectStep] {
  const { step: inUrl } = route.useSearch()
  const navigate = useNavigate({ from: '/app/traces/$traceId' })
  const isLeaving = useIsLeaving()
  const [selected, setSelected] = useState(inUrl)
  const written = useRef(inUrl)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (inUrl === written.current) return
    // The reader went back or followed a link.
    clearTimeout(timer.current)
    written.current = inUrl
    setSelected(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const select = useCallback(
    (step: string | undefined, options?: { readonly replace: boolean }) => {
      setSelected(step)
      clearTimeout(timer.current)
      const write = () => {
        if (isLeaving()) return
        const replace = options?.replace === true || (written.current === undefined) === (step === undefined)
        written.current = step
        void navigate({
          search: ({ q, led_to }) => changed<TraceSearch>({}, { q, led_to, step }),
          replace,
          resetScroll: false,
        })
      }
      if (written.current === undefined || step === undefined) write()
      else timer.current = setTimeout(write, PAUSE_MS)
    },
    [navigate, isLeaving],
  )
  return [selected, select]
}
