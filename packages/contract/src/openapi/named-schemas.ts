import { IsSchema, type TSchema } from 'typebox'
import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../events.ts'
import * as attachment from '../schemas/attachment.ts'
import * as audit from '../schemas/audit.ts'
import * as cluster from '../schemas/cluster.ts'
import * as dashboard from '../schemas/dashboard.ts'
import * as deletion from '../schemas/deletion.ts'
import * as delivery from '../schemas/delivery.ts'
import * as health from '../schemas/health.ts'
import * as key from '../schemas/key.ts'
import * as masking from '../schemas/masking.ts'
import * as media from '../schemas/media.ts'
import * as metric from '../schemas/metrics/metric.ts'
import * as metricBatch from '../schemas/metrics/metric-batch.ts'
import * as metricEvent from '../schemas/metrics/metric-event.ts'
import * as metricEventBody from '../schemas/metrics/metric-event-body.ts'
import * as monitor from '../schemas/monitor.ts'
import * as price from '../schemas/price.ts'
import * as problem from '../schemas/problem.ts'
import * as project from '../schemas/project.ts'
import * as sender from '../schemas/sender.ts'
import * as series from '../schemas/series.ts'
import * as session from '../schemas/session.ts'
import * as settings from '../schemas/settings.ts'
import * as commitReceipt from '../schemas/traces/commit-receipt.ts'
import * as exportResponse from '../schemas/traces/export-response.ts'
import * as failurePatterns from '../schemas/traces/failure-patterns.ts'
import * as finding from '../schemas/traces/finding.ts'
import * as lineResult from '../schemas/traces/line-result.ts'
import * as step from '../schemas/traces/step.ts'
import * as stepRow from '../schemas/traces/step-row.ts'
import * as tailEvent from '../schemas/traces/tail-event.ts'
import * as tokenUsage from '../schemas/traces/token-usage.ts'
import * as trace from '../schemas/traces/trace.ts'
import * as traceBody from '../schemas/traces/trace-body.ts'
import * as traceComparison from '../schemas/traces/trace-comparison.ts'
import * as traceDivergence from '../schemas/traces/trace-divergence.ts'
import * as traceFacets from '../schemas/traces/trace-facets.ts'
import * as tracePatch from '../schemas/traces/trace-patch.ts'
import * as traceRow from '../schemas/traces/trace-row.ts'
import * as traceSummary from '../schemas/traces/trace-summary.ts'
import * as valueOrigins from '../schemas/traces/value-origins.ts'
import * as versions from '../schemas/versions.ts'
import * as view from '../schemas/view.ts'
import * as webhook from '../schemas/webhook.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-event.ts'

const MODULES: readonly object[] = [
  attachment,
  audit,
  cluster,
  dashboard,
  deletion,
  delivery,
  health,
  key,
  masking,
  media,
  metric,
  metricBatch,
  metricEvent,
  metricEventBody,
  monitor,
  price,
  problem,
  project,
  sender,
  series,
  session,
  settings,
  commitReceipt,
  exportResponse,
  failurePatterns,
  finding,
  lineResult,
  step,
  stepRow,
  tailEvent,
  tokenUsage,
  trace,
  traceBody,
  traceComparison,
  traceDivergence,
  traceFacets,
  tracePatch,
  traceRow,
  traceSummary,
  valueOrigins,
  versions,
  view,
  webhook,
]

/** Names other than those of the exports. */
const RENAMED: Readonly<Record<string, string>> = { MessageBody: 'Message', ErrorCodeName: 'ErrorCode' }

const { token_usage: TokenUsage, error: StepError } = traceBody.StepBody.properties

/** What a document may refer to by name. The names are stable: clients are generated from them. */
export const NAMED_SCHEMAS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(MODULES.flatMap(schemasOf)),
  ...Object.fromEntries(DELIVERED_EVENT_TYPES.map((type) => [EVENT_TYPES[type].schema, WEBHOOK_EVENTS[type]])),
  TokenUsage,
  StepError,
}

/** The schemas among the exports of a module. */
function schemasOf(module: object): (readonly [name: string, schema: TSchema])[] {
  return Object.entries(module).flatMap(([name, value]) =>
    IsSchema(value) && /^[A-Z][a-z]/.test(name) ? [[RENAMED[name] ?? name, value] as const] : [],
  )
}
