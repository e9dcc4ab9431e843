import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { formatExact } from '../../lib/format-time.ts'
import { Time } from '../../ui/time.tsx'

type Times = Pick<TraceRow, 'created_at' | 'started_at'>

/** When Spoor received the run; on hover also when it started. */
export function Received({ row, className }: { row: Times; className: string }) {
  return <Time at={row.created_at} label={bothTimes(row)} className={className} />
}

/** When the run started, if that is known. */
export function Started({ row }: { row: Times }) {
  const { started_at: at } = row
  return at === null ? null : <Time at={at} label={bothTimes(row)} className="text-muted relative z-10" />
}

function bothTimes({ created_at: received, started_at: started }: Times): string {
  const times = [`Received ${formatExact(Date.parse(received))}`]
  if (started !== null) times.push(`Started ${formatExact(Date.parse(started))}`)
  return times.join('\n')
}
