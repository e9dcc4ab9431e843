import { type DeliveredEventType, EVENT_TYPES, eventTypeOf } from '@spoor/contract/events'
import type { DeliveryStatus } from '../../../ports/webhooks/delivery.ts'

/** Stored in rows: codes may be added but never change. */
const STATUS_CODES: Readonly<Record<DeliveryStatus, number>> = { pending: 0, succeeded: 1, failed: 2, cancelled: 3 }

export const ALL_STATUS_CODES: readonly number[] = Object.values(STATUS_CODES)
export const ALL_TYPE_CODES: readonly number[] = Object.values(EVENT_TYPES).map(({ code }) => code)

const STATUSES = new Map(Object.entries(STATUS_CODES).map(([status, code]) => [code, status as DeliveryStatus]))

export function statusCode(status: DeliveryStatus): number {
  return STATUS_CODES[status]
}

export function typeCode(type: DeliveredEventType): number {
  return EVENT_TYPES[type].code
}

export function statusOf(code: number): DeliveryStatus {
  return known(STATUSES.get(code), code)
}

export function typeOf(code: number): DeliveredEventType {
  return known(eventTypeOf(code), code)
}

function known<T>(value: T | undefined, code: number): T {
  if (value === undefined) throw new Error(`a delivery has the unknown code ${code}`)
  return value
}
