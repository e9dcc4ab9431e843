import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { CircleAlert, CircleCheck, CircleDashed, Flag, Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  formatCompact,
  formatCostExact,
  formatCostShort,
  formatCount,
  formatValue,
  recoveredWords,
} from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { growthOf, RUNNING } from '../../lib/growth.ts'
import { useNow } from '../../ui/time.tsx'
import { type ColumnId, type FixedColumnId, metadataKeyOf, metricNameOf } from './columns.ts'
import type { FilterField } from '../filters/search.ts'
import { MetadataChips } from './metadata-chips.tsx'
import { showMetadataValue } from './metadata-value.ts'
import { Input, None, Output } from './preview.tsx'
import { Received, Started } from './times.tsx'
import type { CellProps } from './trace-link.tsx'
import { metadataFilter } from '../filters/row-filters.ts'
import { ValueButton } from '../filters/value-offer.tsx'

/** A cell of a trace, except that of the name, which is the row's link. */
export function cellOf(id: Exclude<ColumnId, 'name'>, props: CellProps): ReactNode {
  const metric = metricNameOf(id)
  if (metric !== null) return <MetricValue value={props.row.metric_values?.[metric]} />
  const key = metadataKeyOf(id)
  return key === null ? CELLS[id as keyof typeof CELLS](props) : <MetadataValue keyName={key} row={props.row} />
}

const CELLS: Readonly<Record<Exclude<FixedColumnId, 'name'>, (props: CellProps) => ReactNode>> = {
  status: ({ row }) => <Status row={row} />,
  run_type: ({ row }) => <Value field="run_type" value={row.run_type} />,
  input: ({ row, query }) => <Input row={row} query={query} />,
  output: ({ row, query }) => <Output row={row} query={query} />,
  started_at: ({ row }) => <Started row={row} />,
  created_at: ({ row }) => <Received row={row} className="text-muted relative z-10" />,
  duration_ms: ({ row }) => (row.duration_ms === null ? <None /> : formatDuration(row.duration_ms)),
  step_count: ({ row }) => (
    <>
      <Growing row={row} /> {formatCount(row.step_count)}
    </>
  ),
  total_tokens: ({ row }) => <Tokens usage={row.token_usage} />,
  cost_usd: ({ row }) => <Cost usd={row.cost_usd} />,
  models: ({ row }) => <Models models={row.models} />,
  session_id: ({ row }) => <ValueOrNone field="session_id" value={row.session_id} />,
  user_id: ({ row }) => <ValueOrNone field="user_id" value={row.user_id} />,
  metadata: ({ row, tabbable }) => <MetadataChips metadata={row.metadata} tabbable={tabbable} />,
  attachments: ({ row }) => (row.attachment_count === 0 ? null : <Attachments count={row.attachment_count} />),
  flagged: ({ row }) => (row.state === 'flagged' ? <Flagged /> : null),
}

export function Status({ row }: { row: TraceRow }) {
  const { status, recovered_errors: recovered } = row
  const isRunning = growthOf(row, useNow()) === RUNNING
  if (status === 'ok' && isRunning) {
    return (
      <span className="text-info relative z-10 flex items-center gap-1" title={RUNNING.title}>
        <CircleDashed className="size-4 shrink-0" aria-hidden /> Running
      </span>
    )
  }
  if (status === 'ok') {
    return (
      <span className="text-ok flex items-center gap-1">
        <CircleCheck className="size-4 shrink-0" aria-hidden />
        <span className="sr-only">OK</span>
        {recovered > 0 && <Recovered count={recovered} />}
      </span>
    )
  }
  return (
    <span className="text-fail flex items-center gap-1 font-medium">
      <CircleAlert className="size-4 shrink-0" aria-hidden /> Failed
    </span>
  )
}

function Recovered({ count }: { count: number }) {
  const text = recoveredWords(count)
  return (
    <span className="text-muted relative z-10 text-xs tabular-nums" title={text}>
      <span aria-hidden>{formatCount(count)}</span>
      <span className="sr-only">{text}</span>
    </span>
  )
}

/** Whether its flag says more than that it failed: every failed trace is flagged. */
export function isFlaggedAlone({ state, status }: Pick<TraceRow, 'state' | 'status'>): boolean {
  return state === 'flagged' && status === 'ok'
}

export function Flagged() {
  return (
    <span className="text-warn relative z-10 inline-flex align-middle" title="Flagged">
      <Flag className="size-3.5" aria-hidden />
      <span className="sr-only">Flagged</span>
    </span>
  )
}

/** Nothing if the trace is complete, or its status says that it runs. */
export function Growing({ row }: { row: TraceRow }) {
  const growth = growthOf(row, useNow())
  // Its status is shown in place of "OK".
  if (growth === null || (growth === RUNNING && row.status === 'ok')) return null
  return (
    <span className="text-muted relative z-10 inline-flex align-middle" title={growth.title}>
      <CircleDashed className="size-3.5" aria-hidden />
      <span className="sr-only">{growth.label}</span>
    </span>
  )
}

export function Attachments({ count }: { count: number }) {
  return (
    <span className="text-muted inline-flex items-center gap-1" title={`${formatCount(count)} attached`}>
      <Paperclip className="size-3.5" aria-hidden />
      {formatCount(count)}
      <span className="sr-only"> attached</span>
    </span>
  )
}

function Value({ field, value }: { field: FilterField; value: string }) {
  return (
    <ValueButton filter={{ kind: 'field', field, value }} title={value} className="-mx-1">
      <bdi>{value}</bdi>
    </ValueButton>
  )
}

function ValueOrNone({ field, value }: { field: FilterField; value: string | null }) {
  return value === null ? <None /> : <Value field={field} value={value} />
}

function MetadataValue({ keyName, row: { metadata } }: { keyName: string; row: TraceRow }) {
  if (!Object.hasOwn(metadata, keyName)) return <None />
  const value = metadata[keyName]
  const text = showMetadataValue(value)
  return (
    <ValueButton filter={metadataFilter(keyName, value)} title={`${keyName}: ${text}`} className="-mx-1">
      <bdi>{text.slice(0, 200)}</bdi>
    </ValueButton>
  )
}

function MetricValue({ value }: { value: boolean | number | string | null | undefined }) {
  if (value === null || value === undefined) return <None />
  if (typeof value === 'boolean')
    return <span className={value ? 'text-ok' : 'text-fail font-medium'}>{value ? 'Passed' : 'Failed'}</span>
  if (typeof value === 'string') return <bdi>{value}</bdi>
  return (
    <span className="relative z-10" title={String(value)}>
      {formatValue(value)}
    </span>
  )
}

function Cost({ usd }: { usd: number | null }) {
  if (usd === null) return <None />
  return (
    <span className="relative z-10" title={formatCostExact(usd)}>
      {formatCostShort(usd)}
    </span>
  )
}

function Tokens({ usage }: { usage: TraceRow['token_usage'] }) {
  if (usage.total === 0) return <None />
  return (
    <span className="relative z-10" title={`${formatCount(usage.input)} in, ${formatCount(usage.output)} out`}>
      {formatCompact(usage.total)}
    </span>
  )
}

function Models({ models }: { models: readonly string[] }) {
  const [first, ...more] = models
  if (first === undefined) return <None />
  return (
    <span className="flex min-w-0 items-center gap-1">
      <Value field="model" value={first} />
      {more.length > 0 && (
        <span className="text-muted relative z-10 shrink-0 text-xs" title={more.join('\n').slice(0, 1000)}>
          +{more.length}
        </span>
      )}
    </span>
  )
}
