import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { CircleAlert, CircleCheck, CircleDashed, Flag, Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCompact, formatCount } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { growthOf } from '../../lib/growth.ts'
import { Time } from '../../ui/time.tsx'
import type { ColumnId } from './columns.ts'
import type { FilterField } from '../filters/search.ts'
import { showMetadataValue } from './metadata-value.ts'
import { metadataFilter } from '../filters/row-filters.ts'
import { ValueButton } from '../filters/value-offer.tsx'

/** Longer values are shown on hover and in the trace. */
const CHIP_CHARACTERS = 48

/** The cells of a trace by column, except the name, which is the row's link. */
export const CELLS: Readonly<Record<Exclude<ColumnId, 'name'>, (row: TraceRow) => ReactNode>> = {
  status: ({ status }) => <Status status={status} />,
  run_type: ({ run_type }) => <Value field="run_type" value={run_type} />,
  created_at: ({ created_at }) => <Time at={created_at} className="text-muted relative z-10" />,
  duration_ms: ({ duration_ms }) => (duration_ms === null ? <None /> : formatDuration(duration_ms)),
  step_count: (row) => (
    <>
      <Growing row={row} /> {formatCount(row.step_count)}
    </>
  ),
  total_tokens: ({ token_usage }) => <Tokens usage={token_usage} />,
  models: ({ models }) => <Models models={models} />,
  session_id: ({ session_id }) => (session_id === null ? <None /> : <Value field="session_id" value={session_id} />),
  user_id: ({ user_id }) => (user_id === null ? <None /> : <Value field="user_id" value={user_id} />),
  metadata: ({ metadata }) => <MetadataChips metadata={metadata} />,
  attachments: ({ attachment_count }) => (attachment_count === 0 ? null : <Attachments count={attachment_count} />),
  flagged: ({ state }) => (state === 'flagged' ? <Flagged /> : null),
}

export function Status({ status }: { status: TraceRow['status'] }) {
  if (status === 'ok') {
    return (
      <span className="text-ok">
        <CircleCheck className="size-4" aria-hidden />
        <span className="sr-only">OK</span>
      </span>
    )
  }
  return (
    <span className="text-fail flex items-center gap-1 font-medium">
      <CircleAlert className="size-4 shrink-0" aria-hidden /> Failed
    </span>
  )
}

export function Flagged() {
  return (
    <span className="text-warn relative z-10 inline-flex align-middle" title="Flagged">
      <Flag className="size-3.5" aria-hidden />
      <span className="sr-only">Flagged</span>
    </span>
  )
}

/** Nothing if the trace is complete. */
export function Growing({ row }: { row: Pick<TraceRow, 'growing' | 'root_seen'> }) {
  const growth = growthOf(row)
  if (growth === null) return null
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

function None() {
  return (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">none</span>
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

/** Chips that fit into a cell by its width. */
const CHIP_SHOWN = ['', '', 'hidden @sm:block'] as const

function MetadataChips({ metadata }: { metadata: TraceRow['metadata'] }) {
  const entries = Object.entries(metadata)
  const beyond = (shown: number, className: string) =>
    entries.length > shown && (
      <span className={`text-muted shrink-0 text-xs ${className}`}>+{formatCount(entries.length - shown)}</span>
    )
  return (
    <span className="@container flex min-w-0 items-center gap-1">
      {entries.slice(0, CHIP_SHOWN.length).map(([key, value], index) => {
        const text = showMetadataValue(value)
        return (
          <ValueButton
            key={key}
            filter={metadataFilter(key, value)}
            title={`${key}: ${text}`}
            className={`bg-hover min-w-12 py-px text-xs ${CHIP_SHOWN[index]}`}
          >
            <span className="flex gap-1">
              <bdi className="text-muted min-w-4 truncate">{key.slice(0, CHIP_CHARACTERS)}</bdi>
              <bdi className="max-w-[70%] shrink-0 truncate">{text.slice(0, CHIP_CHARACTERS)}</bdi>
            </span>
          </ValueButton>
        )
      })}
      {beyond(2, '@sm:hidden')}
      {beyond(3, 'hidden @sm:inline')}
    </span>
  )
}
