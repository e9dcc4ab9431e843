import { type RawBuilder, sql } from 'kysely'
import type { AttemptRow, DeliveryRows } from '../deliveries/delivery-rows.ts'

/** The tables of deliveries in PostgreSQL that Kysely builds statements for. */
export interface PostgresqlDeliveryTables {
  /** Without the columns of leases, which only raw statements use. */
  deliveries: DeliveryRows['deliveries']
  delivery_attempts: AttemptRow & { readonly lease: number }
}

/** The state of a delivery with its lease; times milliseconds, codes those of delivery-codes.ts. */
export interface DeliveryState {
  readonly place: number
  readonly lane: number
  readonly status: number
  readonly reason: string | null
  readonly due_at: number | null
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
  readonly attempts: number
  readonly last_response_status: number | null
  readonly last_error: string | null
  readonly last_attempt_at: number | null
  readonly finished_at: number | null
  /** Null: not leased. */
  readonly lease: number | null
  readonly leased_by: string | null
  readonly leased_until: number | null
}

/** Whether nobody has the delivery `d`: it has no lease, or the lease has ended, or that of its node. */
export function isFree(now: number): RawBuilder<boolean> {
  return sql`(d.lease IS NULL OR d.leased_until <= ${now} OR NOT EXISTS (
    SELECT 1 FROM delivery_nodes n WHERE n.node = d.leased_by AND n.until > ${now}))`
}

/** Members of a list of integers, bound as one text: `1,2,3`. */
export function inList(integers: string): RawBuilder<unknown> {
  return sql`= ANY (string_to_array(${integers}, ',')::bigint[])`
}

export const NO_LEASE: RawBuilder<unknown> = sql`lease = NULL, leased_by = NULL, leased_until = NULL`
