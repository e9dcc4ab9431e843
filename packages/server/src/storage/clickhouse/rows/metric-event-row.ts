import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import { type MetricEventRecord, type MetricValue, plainValue } from '../../../ports/journal/metric-event.ts'
import type { NewMetricEvent } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { PackedRecord, REQUIRED } from './packed-record.ts'
import type { LatestValue } from '../../../ports/metrics/metric-event-store.ts'
import { plain, type PrintedColumns, rowPrinter } from './row-printer.ts'
import { printedMetadata, printedModels } from './trace-row.ts'

type Columns = 'projectId' | 'traceId' | 'id' | 'version' | 'metricId' | 'metadata'
type PackedEvent = Omit<MetricEventRecord, Columns | 'value'> & {
  /** Its type shows the kind of metric: boolean, numeric or enum. */
  readonly value: boolean | number | string
}

/** The column `record` of the table `metric_events`. */
const METRIC_EVENT_RECORD = new PackedRecord<PackedEvent>({
  stepId: REQUIRED,
  value: REQUIRED,
  source: REQUIRED,
  comment: REQUIRED,
  idempotencyKey: REQUIRED,
  at: REQUIRED,
  createdAt: REQUIRED,
  createdBy: null,
})

/**
 * All columns of the tables of metric events except the last, `metadata` (docs/design/formats/stored-rows.md). One row
 * serves both tables: `metric_events` has the whole event by its trace, and `metric_points` has the columns that series
 * and lists read, by metric and time.
 */
export const METRIC_EVENT_PRINTED = {
  project_id: ({ record }) => plain(record.projectId),
  trace_id: ({ record }) => plain(record.traceId),
  id: ({ record }) => plain(record.id),
  ver: ({ record }) => record.version,
  created_at: ({ record }) => record.createdAt,
  metric_id: ({ record }) => plain(record.metricId),
  at: ({ record }) => record.at,
  step_id: ({ record }) => plain(record.stepId ?? ''),
  source: ({ record }) => plain(record.source ?? ''),
  value: ({ record }) => numberOf(record.value),
  option: ({ record: { value } }) => JSON.stringify(value.kind === 'enum' ? value.option : ''),
  run_type: ({ runType }) => JSON.stringify(runType),
  models: ({ models }) => printedModels(models),
  meta: ({ terms }) => printedMetadata(terms),
  record: ({ record }) => JSON.stringify(JSON.stringify(toArray(record))),
} satisfies PrintedColumns<NewMetricEvent>

const print = rowPrinter<NewMetricEvent>(METRIC_EVENT_PRINTED, 'metadata')

export function writeMetricEventRow(out: ByteWriter, event: NewMetricEvent): void {
  // Printed, not raw as elsewhere: the table without this column skips it, and its parser rejects JSON that the other
  // table stores unchanged.
  out.text(`${print(event)}${JSON.stringify(event.record.metadata.toString())}}\n`)
}

/** The columns for `readMetricEventRow`, from the table `metric_events`. */
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
  const columns = { projectId, traceId, id, version, metricId, metadata: Buffer.from(metadata) }
  const packed = METRIC_EVENT_RECORD.fromArray(JSON.parse(record) as unknown[], columns)
  return { ...packed, value: toValue(packed.value) }
}

/** The place of the value in `record`, from 0. */
export const METRIC_VALUE_PLACE = METRIC_EVENT_RECORD.fields.indexOf('value')

/** The value in `record` as JSON text. */
export const METRIC_VALUE_JSON = `JSONExtractRaw(record, ${METRIC_VALUE_PLACE + 1})`

/** Columns: trace id, metric id, then the event's time, id and METRIC_VALUE_JSON. */
export function readLatestValue(row: readonly unknown[]): LatestValue {
  const [traceId, metricId, [at, id, json]] = row as [TraceId, MetricId, [number, MetricEventId, string]]
  return { traceId, metricId, at, id, value: toValue(JSON.parse(json) as boolean | number | string) }
}

function toArray(record: MetricEventRecord): readonly unknown[] {
  const array = METRIC_EVENT_RECORD.toArray(record)
  array[METRIC_VALUE_PLACE] = plainValue(record.value)
  return array
}

function toValue(stored: boolean | number | string): MetricValue {
  if (typeof stored === 'boolean') return { kind: 'boolean', passed: stored }
  return typeof stored === 'number' ? { kind: 'numeric', number: stored } : { kind: 'enum', option: stored }
}

/** The number that series use. */
function numberOf(value: MetricValue): number {
  if (value.kind === 'boolean') return value.passed ? 1 : 0
  return value.kind === 'numeric' ? value.number : 0
}
