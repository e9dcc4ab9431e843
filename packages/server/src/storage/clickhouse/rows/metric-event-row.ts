import type { MetricEventId, MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord, MetricSource, MetricValue } from '../../../ports/journal/metric-event.ts'
import type { NewMetricEvent } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'

/**
 * Between metric events and stored rows (docs/formats/stored-rows.md). One row serves both tables: `metric_events`, which holds all of an event by its trace, and
 * `metric_points`, which holds what series and lists go through by its metric and time.
 */
export function writeMetricEventRow(out: ByteWriter, { record, runType, models, terms }: NewMetricEvent): void {
  const { value } = record
  out.ascii(
    `{"project_id":"${record.projectId}","trace_id":"${record.traceId}","id":"${record.id}","ver":${record.version},` +
      `"created_at":${record.createdAt},"metric_id":"${record.metricId}","at":${record.at},` +
      `"step_id":"${record.stepId ?? ''}","source":"${record.source ?? ''}","value":${numberOf(value)},`,
  )
  out.text(
    `"option":${JSON.stringify(value.kind === 'enum' ? value.option : '')},"run_type":${JSON.stringify(runType)},` +
      `"models":${JSON.stringify(models)},"terms":${JSON.stringify(terms)},` +
      `"record":${JSON.stringify(JSON.stringify(toStored(record)))},` +
      // Printed, not raw as elsewhere: a table without the column reads over it, and stumbles there over JSON that the other keeps as it is.
      `"metadata":${JSON.stringify(record.metadata.toString())}}\n`,
  )
}

/** What `readMetricEventRow` takes, of the table `metric_events`. */
export const METRIC_EVENT_COLUMNS = 'project_id, trace_id, id, ver, metric_id, record, metadata'

export function readMetricEventRow(row: readonly unknown[]): MetricEventRecord {
  const [projectId, traceId, id, version, metricId, record, metadata] = row as [
    ProjectId,
    TraceId,
    MetricEventId,
    number,
    MetricId,
    string,
    string,
  ]
  const [stepId, stored, source, comment, idempotencyKey, at, createdAt] = JSON.parse(record) as StoredRecord
  return {
    projectId,
    traceId,
    id,
    version,
    metricId,
    stepId,
    value: toValue(stored),
    source,
    comment,
    metadata: Buffer.from(metadata),
    idempotencyKey,
    at,
    createdAt,
  }
}

/** The column `record`: a JSON array of these, in this order. Others may be added at its end. */
type StoredRecord = readonly [
  stepId: StepId | null,
  /** Its type tells the kind: of a boolean, a numeric and an enum metric. */
  value: boolean | number | string,
  source: MetricSource | null,
  comment: string | null,
  idempotencyKey: string | null,
  at: number,
  createdAt: number,
]

function toStored({ stepId, value, source, comment, idempotencyKey, at, createdAt }: MetricEventRecord): StoredRecord {
  return [stepId, plainValue(value), source, comment, idempotencyKey, at, createdAt]
}

function plainValue(value: MetricValue): boolean | number | string {
  if (value.kind === 'boolean') return value.passed
  return value.kind === 'numeric' ? value.number : value.option
}

function toValue(stored: boolean | number | string): MetricValue {
  if (typeof stored === 'boolean') return { kind: 'boolean', passed: stored }
  return typeof stored === 'number' ? { kind: 'numeric', number: stored } : { kind: 'enum', option: stored }
}

/** As series reckon with it. */
function numberOf(value: MetricValue): number {
  if (value.kind === 'boolean') return value.passed ? 1 : 0
  return value.kind === 'numeric' ? value.number : 0
}
