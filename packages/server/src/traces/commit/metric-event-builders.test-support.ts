import type { MetricEventId, MetricId } from '@spoor/contract/ids'
import type { MetricEventRecord, MetricScore } from '../../ports/journal/metric-event.ts'
import type { NewScore } from './plan/events.ts'
import { BEGIN_MS, idAt, PROJECT } from '../trace-builders.test-support.ts'
import type { NewMetricEvent } from '../../ports/traces/trace-store.ts'

export const METRIC: MetricId = idAt('met', 1)
export const OTHER_METRIC: MetricId = idAt('met', 2)

const SCORE: MetricScore = {
  metricId: METRIC,
  traceId: idAt('tr', BEGIN_MS),
  stepId: null,
  value: { kind: 'boolean', passed: true },
  source: null,
  comment: null,
  metadata: Buffer.from('{}'),
  idempotencyKey: null,
  at: BEGIN_MS,
}

/** For tests: a metric event to record. */
export function score(fields: Partial<NewScore> = {}): NewScore {
  return { ...SCORE, contentHash: 'a'.repeat(64), ...fields }
}

export function metricEventRecord(id: MetricEventId, fields: Partial<MetricEventRecord> = {}): MetricEventRecord {
  return { ...SCORE, projectId: PROJECT, id, createdBy: null, version: 1, createdAt: BEGIN_MS, ...fields }
}

export function newMetricEvent(record: MetricEventRecord, fields: Partial<NewMetricEvent> = {}): NewMetricEvent {
  return { record, runType: 'agent', models: [], terms: [], ...fields }
}
