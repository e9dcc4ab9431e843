import { Link, useNavigate } from '@tanstack/react-router'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, Flag, ListChecks, OctagonX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatCompact, formatCost, formatCount, formatSteps } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { type Growth, RUNNING } from '../../lib/growth.ts'
import { recoveredWords } from '../../lib/recovery.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Breadcrumb } from '../../ui/breadcrumb.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import type { TraceSource } from '../reading/trace-source.ts'
import type { TraceHead } from '../reading/trace-head.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { type Mark, MarkDialog } from './mark-dialog.tsx'
import type { Origin } from '../origin/use-origin.ts'
import { OriginButtons } from './origin-buttons.tsx'
import { toCurl } from './to-curl.ts'
import { TraceMenu } from './trace-menu.tsx'

interface TraceHeaderProps {
  readonly head: TraceHead
  /** How it is marked if it is not complete. */
  readonly growth: Growth | null
  readonly count: number
  readonly complete: boolean
  readonly following: boolean
  readonly source: TraceSource
  readonly origin: Origin
  /** Opens or closes the scoring bar. */
  onScore(): void
  onReload(): void
  /** The tabs. */
  readonly children: ReactNode
}

/** The trace's name, state and key figures, and its actions. */
export function TraceHeader(props: TraceHeaderProps) {
  const { head, growth, count, complete, following, source, origin, onScore, onReload, children } = props
  const [dialog, setDialog] = useState<Mark | 'delete' | null>(null)
  const mayMark = useMay('ingest')
  const mayDelete = useMay('manage')
  const toast = useToast()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const flagged = head.state === 'flagged'
  const failed = head.status === 'error'
  const recovered = head.recovered_errors
  const copy = async (what: string, text: string | Promise<string>) => {
    try {
      await navigator.clipboard.writeText(await text)
      toast({ kind: 'ok', text: `Copied ${what}` })
    } catch {
      toast({ kind: 'fail', text: 'The browser blocks clipboard access on this page.' })
    }
  }
  const markers: { label: string; run: () => void }[] = [
    failed
      ? { label: 'Mark ok…', run: () => setDialog('ok') }
      : { label: 'Mark failed…', run: () => setDialog('fail') },
    flagged
      ? { label: 'Remove flag…', run: () => setDialog('unflag') }
      : { label: 'Flag…', run: () => setDialog('flag') },
  ]
  return (
    <header className="border-b px-4 pt-2 pb-2.5">
      <Breadcrumb />
      <div className="flex items-start gap-2">
        <OriginButtons origin={origin} />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 pt-0.5 sm:flex-nowrap [&>:not(h1)]:shrink-0">
          <h1 className="max-w-full min-w-0 truncate text-lg font-semibold" title={head.name}>
            <bdi>{head.name}</bdi>
          </h1>
          {failed && (
            <Badge tone="fail">
              <OctagonX className="size-3" aria-hidden /> failed
            </Badge>
          )}
          {!failed && growth === null && (
            <Badge tone="ok">
              <CircleCheck className="size-3" aria-hidden /> ok
            </Badge>
          )}
          {!failed && recovered > 0 && <Badge>{recoveredWords(recovered)}</Badge>}
          {flagged && (
            <Badge tone="warn">
              <Flag className="size-3" aria-hidden /> flagged
            </Badge>
          )}
          {growth !== null && (
            <span title={growth.title}>
              <Badge tone={growth === RUNNING ? 'info' : 'plain'}>{growth.label}</Badge>
            </span>
          )}
          {following && growth !== null && (
            <span title="This trace is growing. New steps appear automatically.">
              <Badge tone="info">live</Badge>
            </span>
          )}
        </div>
        <div className="flex shrink-0 gap-2">
          {mayMark && (
            <span className="hidden gap-2 sm:flex">
              <Button onClick={onScore} title="Score (m)">
                <ListChecks className="size-4" aria-hidden /> Score
              </Button>
              <Button onClick={() => setDialog(flagged ? 'unflag' : 'flag')}>
                <Flag className="size-4" aria-hidden /> {flagged ? 'Remove flag' : 'Flag'}
              </Button>
              <Button onClick={() => setDialog(failed ? 'ok' : 'fail')}>{failed ? 'Mark ok' : 'Mark failed'}</Button>
            </span>
          )}
          <TraceMenu
            actions={[
              ...(mayMark ? [{ label: 'Score', run: onScore }, ...markers] : []),
              { label: 'Copy as JSON', run: () => void copy('the trace as JSON', source.text()) },
              { label: 'Copy as curl', run: () => void copy('a curl command', toCurl(location.origin, head.id)) },
              { label: 'Copy id', run: () => void copy('the id', head.id) },
              { label: 'Reload', run: onReload },
              ...(mayDelete ? [{ label: 'Delete…', danger: true, run: () => setDialog('delete') }] : []),
            ]}
          />
        </div>
      </div>
      <dl className="text-muted mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        <Fact label="Run type">{head.run_type}</Fact>
        {head.started_at === null ? (
          <Fact label="Received">
            received <Time at={head.created_at} />
          </Fact>
        ) : (
          <Fact label="Started">
            started <Time at={head.started_at} />
          </Fact>
        )}
        {head.duration_ms !== null && <Fact label="Duration">{formatDuration(head.duration_ms)}</Fact>}
        <Fact label="Steps">
          {complete ? formatSteps(count) : `${formatCount(count)} of ${formatSteps(head.step_count)}`}
        </Fact>
        {head.token_usage.total > 0 && (
          <Fact label="Tokens">
            <span title={`${formatCount(head.token_usage.input)} in, ${formatCount(head.token_usage.output)} out`}>
              {formatCompact(head.token_usage.total)} tokens
            </span>
          </Fact>
        )}
        <Cost head={head} />
        {head.session_id !== null && (
          <Fact label="Session">
            <Link
              to="/app/sessions/$sessionId"
              params={{ sessionId: head.session_id }}
              className={LINK}
              title={head.session_id}
            >
              <bdi>{shortened(`session ${head.session_id}`)}</bdi>
            </Link>
          </Fact>
        )}
        {head.user_id !== null && (
          <Fact label="User">
            <Link to="/app/users/$userId" params={{ userId: head.user_id }} className={LINK} title={head.user_id}>
              <bdi>{shortened(`user ${head.user_id}`)}</bdi>
            </Link>
          </Fact>
        )}
      </dl>
      {children}
      {dialog !== null && dialog !== 'delete' && (
        <MarkDialog
          traceId={head.id}
          mark={dialog}
          onClose={() => setDialog(null)}
          onMarked={(row, reason) => {
            source.setRow(row, row.state === 'flagged' ? (reason ?? head.flag_reason) : null)
            refreshFeed(queryClient)
          }}
        />
      )}
      {dialog === 'delete' && (
        <DeleteDialog
          traceId={head.id}
          stepCount={formatSteps(count)}
          onClose={() => setDialog(null)}
          onDeleted={() => {
            refreshFeed(queryClient)
            toast({ kind: 'ok', text: 'Trace deleted' })
            void navigate({ to: '/app/traces' })
          }}
        />
      )}
    </header>
  )
}

/** Lists of traces show the change when they are next opened. */
function refreshFeed(queryClient: QueryClient): void {
  for (const key of ['feed', 'feed-histogram']) void queryClient.invalidateQueries({ queryKey: [key] })
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="sr-only">{label}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  )
}

function Cost({ head: { cost_usd: cost, unpriced_models: unpriced = [] } }: { head: TraceHead }) {
  if (cost === undefined || (cost === null && unpriced.length === 0)) return null
  return (
    <Fact label="Cost">
      {cost !== null && formatCost(cost)}
      {unpriced.length > 0 && (
        <span className="text-warn ml-1" title={`No price set for ${unpriced.join(', ').slice(0, 500)}`}>
          {cost === null ? 'unpriced' : '+ unpriced'}: <bdi>{unpriced[0]}</bdi>
          {unpriced.length > 1 && ` and ${unpriced.length - 1} more`}
        </span>
      )}
    </Fact>
  )
}

const LINK = 'hover:text-ink inline-block max-w-full truncate align-bottom leading-6 underline decoration-dotted'

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
