import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryStatus } from '../../../ports/webhooks/delivery.ts'

/** As they stand in the rows: never changed, only added to. */
const STATUS_CODES: Readonly<Record<DeliveryStatus, number>> = { pending: 0, succeeded: 1, failed: 2, cancelled: 3 }

const TYPE_CODES: Readonly<Record<DeliveredEventType, number>> = {
  'trace.committed': 1,
  'trace.flagged': 2,
  'metric.event': 3,
  'monitor.fired': 4,
  'monitor.resolved': 5,
  'cluster.created': 6,
  'cluster.shifted': 7,
  ping: 8,
}

export const ALL_STATUS_CODES: readonly number[] = Object.values(STATUS_CODES)
export const ALL_TYPE_CODES: readonly number[] = Object.values(TYPE_CODES)

const STATUSES = new Map(Object.entries(STATUS_CODES).map(([status, code]) => [code, status as DeliveryStatus]))
const TYPES = new Map(Object.entries(TYPE_CODES).map(([type, code]) => [code, type as DeliveredEventType]))

export function statusCode(status: DeliveryStatus): number {
  return STATUS_CODES[status]
}

export function typeCode(type: DeliveredEventType): number {
  return TYPE_CODES[type]
}

export function statusOf(code: number): DeliveryStatus {
  return known(STATUSES.get(code), code)
}

export function typeOf(code: number): DeliveredEventType {
  return known(TYPES.get(code), code)
}

function known<T>(value: T | undefined, code: number): T {
  if (value === undefined) throw new Error(`a delivery holds the unknown code ${code}`)
  return value
}
