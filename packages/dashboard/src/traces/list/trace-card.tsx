import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { memo } from 'react'
import { formatCompact, formatCost, formatSteps } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Attachments, Flagged, Growing, isFlaggedAlone, Status } from './cells.tsx'
import { Found, Input, Output } from './preview.tsx'
import { Received } from './times.tsx'
import { TraceLink } from './trace-link.tsx'
import type { TraceRowProps } from './trace-table-row.tsx'

export const CARD_PX = 104

export const TraceCard = memo(function TraceCard({ row, top, query, selected, tabbable }: TraceRowProps) {
  return (
    <div
      role="listitem"
      style={{ top, height: CARD_PX }}
      className={`absolute inset-x-0 flex flex-col justify-center gap-0.5 border-b px-4 ${selected ? 'bg-selected' : 'active:bg-hover'}`}
    >
      <div className="flex min-w-0 items-center gap-2">
        <TraceLink row={row} query={query} tabbable={tabbable} className="flex-1" />
        <Growing row={row} />
        {isFlaggedAlone(row) && <Flagged />}
        {row.attachment_count > 0 && <Attachments count={row.attachment_count} />}
        <Received row={row} className="text-muted shrink-0 text-xs" />
      </div>
      <div className="truncate text-sm">
        <Input row={row} query={query} />
      </div>
      <div className="truncate text-sm">
        {row.snippet ? <Found snippet={row.snippet} query={query} /> : <Output row={row} query={query} />}
      </div>
      <div className="text-muted flex min-w-0 items-center gap-2 text-xs">
        <Status row={row} />
        <span className="truncate">{factsOf(row)}</span>
      </div>
    </div>
  )
})

function factsOf({ run_type, duration_ms, step_count, token_usage, cost_usd, models }: TraceRow): string {
  const facts = [run_type, formatSteps(step_count)]
  if (duration_ms !== null) facts.splice(1, 0, formatDuration(duration_ms))
  if (token_usage.total > 0) facts.push(`${formatCompact(token_usage.total)} tokens`)
  if (cost_usd !== null) facts.push(formatCost(cost_usd))
  if (models[0] !== undefined) facts.push(models[0])
  return facts.join(' · ')
}
