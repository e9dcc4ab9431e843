import type { TraceId } from '@spoor/contract/ids'
import { idFromBytes } from '../../lib/ids/typeid.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { LogState, Timeline } from './timeline.ts'

/** The end of the log, and how much of it has settled. */
export interface LogHead extends LogState, Watermark {
  /** Some read waits until all commits through this one have settled. */
  readonly wantedThrough: number
  /** Commits through this one are deleted from the log. */
  readonly prunedThrough: number
  /** See PostgresqlDatabase.version: read along, because a request needs both. */
  readonly controlVersion: number
  /** When the lease of the work of one node ends, milliseconds since 1970 UTC; null if nobody ever had it. */
  readonly leaseUntil: number | null
  /** A backup is being made: see BACKUP_LEASE. */
  readonly isHeld: boolean
}

/** Of `readHead`. */
export interface HeadRow {
  readonly version: number
  readonly last_trace_id: Uint8Array | null
  readonly id_lead_ms: number
  readonly settled_through: number
  readonly wanted_through: number
  readonly pruned_through: number
  readonly batch_through: number | null
  readonly timeline: Timeline
  readonly control_version: number | null
  readonly lease_until: number | null
  readonly is_held: unknown
}

export function toHead(row: HeadRow | undefined): LogHead {
  if (row === undefined || row.control_version === null) throw new Error('the log has lost its state row')
  return {
    version: row.version,
    lastTraceId: row.last_trace_id === null ? null : (idFromBytes('tr', row.last_trace_id) as TraceId),
    idLeadMs: row.id_lead_ms,
    timeline: row.timeline,
    settledThrough: row.settled_through,
    wantedThrough: row.wanted_through,
    prunedThrough: row.pruned_through,
    sentThrough: row.batch_through ?? row.settled_through,
    controlVersion: row.control_version,
    leaseUntil: row.lease_until,
    isHeld: row.is_held === true,
  }
}
