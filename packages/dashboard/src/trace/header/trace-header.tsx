import { useNavigate } from '@tanstack/react-router'
import { Columns2, Flag, ListChecks, ArrowLeft, ChevronDown, ChevronUp, Waypoints } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Growth } from '../../lib/growth.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { runShortcut, useShortcutGroups, useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { Breadcrumb } from '../../ui/page.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import type { Changed } from '../../ui/change-each.ts'
import { deletionOf, useChangeTraces } from '../../ui/use-change-traces.ts'
import { CopyMenu } from '../copy/copy-menu.tsx'
import type { TraceSource } from '../reading/trace-source.ts'
import type { TraceHead } from '../reading/trace-head.ts'
import { useScoringMetric } from '../../lib/scoring-session.ts'
import { CompareDialog, useCompareWithSuccess } from './compare-with.tsx'
import { RunFindings } from '../insight/run-findings.tsx'
import { WhyFailed, WhyRun } from '../insight/why-failed.tsx'
import type { Origin } from '../origin/use-origin.ts'
import { TraceBadges } from './trace-badges.tsx'
import { TraceFigures } from './trace-figures.tsx'
import { useMarks } from './use-marks.tsx'

interface TraceHeaderProps {
  readonly head: TraceHead
  /** How it is marked if it is not complete. */
  readonly growth: Growth | null
  readonly count: number
  readonly complete: boolean
  readonly following: boolean
  readonly source: TraceSource
  readonly origin: Origin
  /** The step that was shown last. */
  readonly stepId: string | undefined
  /** Opens or closes the scoring bar. */
  onScore(): void
  onReload(): void
  /** The tabs. */
  readonly children: ReactNode
}

export function TraceHeader(props: TraceHeaderProps) {
  const { head, growth, count, complete, following, source, origin, stepId, onScore, onReload, children } = props
  const [compares, setCompares] = useState(false)
  const marks = useMarks(head)
  const mayMark = useMay('ingest')
  const mayDelete = useMay('manage')
  const navigate = useNavigate()
  const changing = useChangeTraces()
  const leave = ({ done }: Changed) => void (done.length > 0 && navigate({ to: '/app/traces' }))
  const remove = () => changing.mutate({ ...deletionOf([head.id]), onChanged: leave })
  const compareWithSuccess = useCompareWithSuccess(head)
  // Only beside the steps.
  const hasSimilar = useShortcutGroups().some(({ shortcuts }) => '.' in shortcuts)
  // While a trace is scored, it is the key of the comment.
  const isScored = useScoringMetric() !== null
  useShortcuts(
    'Traces',
    isScored ? {} : { c: { does: 'Compare with the last success of this name', run: compareWithSuccess } },
  )
  return (
    <header className="border-b px-4 pt-2 pb-2.5">
      <Breadcrumb />
      <div className="flex items-start gap-2">
        <OriginButtons origin={origin} />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 pt-0.5 sm:flex-nowrap [&>:not(h1)]:shrink-0">
          <h1 className="max-w-full min-w-0 truncate text-lg font-semibold" title={head.name}>
            <bdi>{head.name}</bdi>
          </h1>
          <TraceBadges head={head} growth={growth} following={following} />
        </div>
        <div className="flex shrink-0 gap-2">
          {growth === null && complete && <WhyRun head={head} />}
          {hasSimilar && (
            <span className="hidden xl:flex">
              <Button icon={Waypoints} onClick={() => runShortcut('.')} title="Runs like this one (.)">
                Similar
              </Button>
            </span>
          )}
          <span className="hidden sm:flex">
            <Button icon={Columns2} onClick={compareWithSuccess} title="With the last success of this name (c)">
              Compare
            </Button>
          </span>
          {mayMark && (
            <span className="hidden gap-2 sm:flex">
              <Button icon={ListChecks} onClick={onScore} title="Score (m)">
                Score
              </Button>
              <Button icon={Flag} onClick={marks.flag.run}>
                {marks.flag.label}
              </Button>
              <Button onClick={marks.status.run}>{marks.status.label}</Button>
            </span>
          )}
          <CopyMenu head={head} source={source} stepId={stepId} />
          <MoreMenu
            actions={[
              ...(mayMark ? [{ label: 'Score', run: onScore }, marks.status, marks.flag, ...marks.withReason] : []),
              { label: 'Compare with the last success of this name', run: compareWithSuccess },
              { label: 'Compare with…', run: () => setCompares(true) },
              { label: 'Reload', run: onReload },
              ...(mayDelete ? [{ label: 'Delete', danger: true, run: remove }] : []),
            ]}
          />
        </div>
      </div>
      <TraceFigures head={head} count={count} complete={complete} />
      {growth === null && complete && <WhyFailed traceId={head.id} />}
      <RunFindings head={head} />
      {children}
      {compares && <CompareDialog traceId={head.id} onClose={() => setCompares(false)} />}
      {marks.dialog}
    </header>
  )
}

function OriginButtons({ origin: { name, leave, previous, next } }: { origin: Origin }) {
  const stepping = previous !== null || next !== null
  return (
    <span className="-ml-2 flex shrink-0">
      <IconButton icon={ArrowLeft} label={`Back to ${name}`} keys="Esc" onClick={leave} />
      {stepping && (
        <span className="hidden sm:flex">
          <IconButton
            icon={ChevronUp}
            label="Previous trace"
            keys="["
            disabled={!previous}
            onClick={() => previous?.()}
          />
          <IconButton icon={ChevronDown} label="Next trace" keys="]" disabled={!next} onClick={() => next?.()} />
        </span>
      )}
    </span>
  )
}
