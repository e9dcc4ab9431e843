import type { ProjectId } from '@spoor/contract/ids'
import type {
  DeletedTrace,
  JournalRow,
  RemovalMark,
  SupersededKeys,
  TraceName,
} from '../../../ports/journal/journal.ts'
import type { ModelUsage } from '../../../ports/traces/trace-record.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import { compactKey } from './compact-key.ts'
import { decodeEvents } from './event-encoding.ts'
import type { DeletedRow, EventsRow, RemovedRow, SupersededRow } from './journal-tables.ts'
import type { Watermark } from '../../../ports/log/log.ts'

export interface JournalState extends Watermark {
  readonly headPosition: number
  readonly prunedThrough: number
  /** The generation of new keys, and since when it is, ms. */
  readonly keyGeneration: number
  readonly keysSince: number
}

export interface StateColumns {
  readonly version: number
  readonly last_trace_id: Uint8Array | null
  readonly head_position: number
  readonly pruned_through: number
  readonly id_lead_ms: number
  readonly key_generation: number
  readonly keys_since: number
}

export function toState(row: StateColumns | undefined): JournalState {
  if (row === undefined) throw new Error('the journal has lost its state row')
  return {
    version: row.version,
    lastTraceId: row.last_trace_id === null ? null : idFromBytes('tr', row.last_trace_id),
    headPosition: row.head_position,
    prunedThrough: row.pruned_through,
    idLeadMs: row.id_lead_ms,
    keyGeneration: row.key_generation,
    keysSince: row.keys_since,
  }
}

/** Stored among the keys of steps, none of which begins with `m`, so that both are found and deleted by their trace. */
export function metricEventKey(key: string): Uint8Array {
  return compactKey(`m${key}`)
}

export function toJournalRow(row: Omit<EventsRow, 'project_id'>, projectId: ProjectId): JournalRow {
  return {
    projectId,
    lastPosition: row.last_position,
    committedAt: row.committed_at,
    events: decodeEvents(row.events),
  }
}

/** Decodes each row when it is taken. */
export function* toJournalRows<Row extends Omit<EventsRow, 'project_id'>>(
  rows: Iterable<Row>,
  projectOf: (row: Row) => ProjectId,
): Iterable<JournalRow> {
  for (const row of rows) yield toJournalRow(row, projectOf(row))
}

export function toSuperseded(
  row: Omit<SupersededRow, 'project_id' | 'superseded_at'>,
  projectId: ProjectId,
): SupersededKeys {
  return {
    projectId,
    traceId: idFromBytes('tr', row.trace_id),
    fromVersion: row.from_version,
    untilVersion: row.until_version,
    durationMs: row.duration_ms,
    totalTokens: row.total_tokens,
    stepCount: row.step_count,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as readonly ModelUsage[]),
  }
}

export function toTraceName(row: Pick<DeletedRow, 'project_id' | 'trace_id'>): TraceName {
  return { projectId: idFromBytes('proj', row.project_id), traceId: idFromBytes('tr', row.trace_id) }
}

export function toRemovalMark(row: RemovedRow): RemovalMark {
  const id = idFromBytes('mev', row.event_id)
  return { ...toTraceName(row), id, version: Number(row.version) }
}

export function toDeletedTrace(
  row: Pick<DeletedRow, 'project_id' | 'trace_id' | 'restorable_until' | 'expired'>,
): DeletedTrace {
  const restorableUntil = Number(row.restorable_until)
  return {
    ...toTraceName(row),
    ...(restorableUntil !== 0 && { restorableUntil }),
    ...(row.expired === 1 && { isExpired: true as const }),
  }
}
