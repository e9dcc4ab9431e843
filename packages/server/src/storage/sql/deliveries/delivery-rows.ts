import type { Generated } from 'kysely'

/** The tables of deliveries.db. Ids are their 16 bytes, times milliseconds, codes those of delivery-codes.ts. */
export interface DeliveryRows {
  state: StateRow
  lanes: LaneRow
  events: EventRow
  deliveries: DeliveryRow
  attempts: AttemptRow
}

/** One row. */
interface StateRow {
  readonly position: number | null
  /** See places.ts. */
  readonly place_lead: number
}

interface LaneRow {
  readonly lane: Generated<number>
  readonly webhook_id: Uint8Array
  readonly failing_since: number | null
  readonly failures_in_a_row: number
}

interface EventRow {
  readonly event: Generated<number>
  readonly id: Uint8Array
  readonly project_id: Uint8Array
  readonly type: number
  readonly created_at: number
  /** How many deliveries there are: the event is deleted with the last. */
  readonly deliveries: number
  /** Empty once the trace was purged. */
  readonly body: Uint8Array
  readonly trace_id: string | null
}

interface DeliveryRow {
  readonly place: number
  readonly id: Uint8Array
  readonly lane: number
  readonly event: number
  readonly type: number
  readonly status: number
  readonly reason: string | null
  readonly created_at: number
  /** Null unless pending. */
  readonly due_at: number | null
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
  readonly attempts: number
  readonly last_response_status: number | null
  readonly last_error: string | null
  readonly last_attempt_at: number | null
  /** Null while pending. */
  readonly finished_at: number | null
}

export interface AttemptRow {
  /** The place of the delivery. */
  readonly delivery: number
  readonly number: number
  readonly started_at: number
  readonly duration_ms: number
  /** Sealed text, as are the headers and body of the response: they may repeat the URL. */
  readonly url: string
  /** JSON. */
  readonly request_headers: string
  readonly response_status: number | null
  readonly response_headers: string | null
  readonly response_body: string | null
  /** 0 or 1. */
  readonly response_truncated: number | null
  readonly error_code: string | null
  readonly error_detail: string | null
}
