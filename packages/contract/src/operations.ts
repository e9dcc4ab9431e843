import { DELETION_OPERATIONS } from './operations/deletion-operations.ts'
import { DELIVERY_OPERATIONS } from './operations/delivery-operations.ts'
import { CLUSTER_OPERATIONS } from './operations/cluster-operations.ts'
import { MEDIA_OPERATIONS } from './operations/media-operations.ts'
import { METRIC_OPERATIONS } from './operations/metric-operations.ts'
import { PRICE_OPERATIONS } from './operations/price-operations.ts'
import { MONITOR_OPERATIONS } from './operations/monitor-operations.ts'
import { PROJECT_OPERATIONS } from './operations/project-operations.ts'
import { SERIES_OPERATIONS } from './operations/series-operations.ts'
import { SESSION_OPERATIONS } from './operations/session-operations.ts'
import { SERVICE_OPERATIONS } from './operations/service-operations.ts'
import { STEP_OPERATIONS } from './operations/step-operations.ts'
import { SUMMARY_OPERATIONS } from './operations/summary-operations.ts'
import { TRACE_OPERATIONS } from './operations/trace-operations.ts'
import { DASHBOARD_OPERATIONS } from './operations/dashboard-operations.ts'
import { VIEW_OPERATIONS } from './operations/view-operations.ts'
import { WEBHOOK_OPERATIONS } from './operations/webhook-operations.ts'
import { accessErrors, COMMON_ERRORS, headErrors, type Operation, requestErrors } from './operations/operation.ts'
import type { RequestErrorCode } from './errors.ts'

/** Every operation of the HTTP API. The name of an entry is its `operationId`. */
export const OPERATIONS = {
  ...TRACE_OPERATIONS,
  ...DELETION_OPERATIONS,
  ...STEP_OPERATIONS,
  ...MEDIA_OPERATIONS,
  ...METRIC_OPERATIONS,
  ...PRICE_OPERATIONS,
  ...SERIES_OPERATIONS,
  ...SUMMARY_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...DASHBOARD_OPERATIONS,
  ...MONITOR_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...CLUSTER_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...SERVICE_OPERATIONS,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

/** Every error code of this operation, each once. */
export function errorCodesOf(operation: Operation): readonly RequestErrorCode[] {
  const { errors = [] } = operation
  const own = [...requestErrors(operation), ...errors]
  return [...new Set([...own, ...headErrors(operation), ...accessErrors(operation), ...COMMON_ERRORS])]
}
