import type { TraceComparison } from '@spoor/contract/schemas/traces/trace-comparison'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { comparisonQuery } from '../api/trace.ts'
import { formatCost, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { divergenceWords } from './difference-words.ts'
import { PairList } from './pair-list.tsx'

export const route = createLazyRoute('/app/traces/compare')({ component: CompareScreen })

function CompareScreen() {
  const { left, right } = route.useSearch()
  const navigate = route.useNavigate()
  const exchange = () => {
    if (left !== undefined && right !== undefined)
      void navigate({ search: { left: right, right: left }, replace: true })
  }
  useShortcuts('Comparison', { x: { does: 'Exchange the sides', run: exchange } })
  return (
    <div className="flex h-[calc(100dvh-3.0625rem)] min-h-96 min-w-0 flex-col overflow-y-auto md:h-dvh md:overflow-hidden">
      <PageHeader
        title="Compare traces"
        actions={
          <Button icon={ArrowLeftRight} onClick={exchange} title="Exchange (x)">
            Exchange
          </Button>
        }
      />
      {left === undefined || right === undefined ? (
        <EmptyState title="Nothing to compare">
          Select two traces in the list and choose Compare, or open one and press <kbd>c</kbd>.
        </EmptyState>
      ) : (
        <Comparison key={`${left} ${right}`} left={left} right={right} />
      )}
    </div>
  )
}

function Comparison({ left, right }: { readonly left: string; readonly right: string }) {
  const query = useQuery(comparisonQuery(left, right))
  const { data } = query
  if (data === undefined) return <Loading query={query} />
  return (
    <>
      <Totals comparison={data} />
      <p role="status" className="border-b px-4 py-2 font-medium wrap-anywhere">
        {divergenceWords(data.pairs)}
      </p>
      <PairList comparison={data} />
    </>
  )
}

function Totals({ comparison }: { readonly comparison: TraceComparison }) {
  const { left, right } = comparison.totals
  const rows = [
    figure('Duration', left.duration_ms, right.duration_ms, formatDuration),
    figure('Steps', left.step_count, right.step_count, formatCount),
    figure('Failed steps', left.error_count, right.error_count, formatCount),
    figure('Input tokens', left.token_usage.input, right.token_usage.input, formatCount),
    figure('Cached tokens', left.token_usage.cache_read, right.token_usage.cache_read, formatCount),
    figure('Output tokens', left.token_usage.output, right.token_usage.output, formatCount),
    figure('Cost', left.cost_usd, right.cost_usd, formatCost),
  ].filter((row) => row !== null)
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-2 border-b px-4 py-3">
      {(['left', 'right'] as const).map((side) => {
        const row = comparison[side]
        return (
          <div key={side} className="min-w-0 flex-1 basis-56">
            <p className="text-muted text-xs font-semibold uppercase">{side}</p>
            <p className="flex min-w-0 items-center gap-2">
              <Link
                to="/app/traces/$traceId"
                params={{ traceId: row.id }}
                className="text-accent min-w-0 truncate leading-6 font-medium underline"
              >
                <bdi>{row.name}</bdi>
              </Link>
              <Badge tone={row.status === 'error' ? 'fail' : 'ok'}>{row.status === 'error' ? 'failed' : 'ok'}</Badge>
            </p>
            <p className="text-muted text-sm">
              <Time at={row.started_at ?? row.created_at} />
            </p>
          </div>
        )
      })}
      <table className="text-sm tabular-nums">
        <caption className="sr-only">Figures of both traces</caption>
        <thead className="text-muted text-xs">
          <tr>
            <td />
            {['Left', 'Right', 'Change'].map((head) => (
              <th key={head} scope="col" className="pl-4 text-right font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, values }) => (
            <tr key={label}>
              <th scope="row" className="text-muted text-left font-normal">
                {label}
              </th>
              {values.map((value, at) => (
                <td key={at} className="pl-4 text-right">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Null if neither trace has it. */
function figure(label: string, left: number | null, right: number | null, format: (value: number) => string) {
  if ((left ?? 0) === 0 && (right ?? 0) === 0) return null
  const change = (right ?? 0) - (left ?? 0)
  const sign = change > 0 ? '+' : '−'
  const shown = (value: number | null) => (value === null ? '–' : format(value))
  const more = left === null || right === null ? '' : change === 0 ? '=' : `${sign}${format(Math.abs(change))}`
  return { label, values: [shown(left), shown(right), more] }
}
