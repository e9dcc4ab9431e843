import type { TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from '../../traces/rules/rollup.ts'
import { wastedOf } from '../../traces/rules/run-calls.ts'
import { dollarsOf, UNKNOWN_COST } from '../prices/price.ts'
import type { TraceRecord } from '../traces/trace-record.ts'
import type { NewMetricEvent } from '../traces/trace-store.ts'
import { type MeasuredRow, MemoryMeasures } from './memory-measures.test-support.ts'
import { MEASURED_RATES, testMonitorMeasures } from './monitor-measures.conformance.ts'

testMonitorMeasures(async () => {
  const traces = new Map<TraceId, TraceRecord>()
  const events: NewMetricEvent[] = []
  const removed = new Set<TraceId>()
  const build = () => {
    const measures = new MemoryMeasures()
    for (const trace of traces.values()) if (!removed.has(trace.id)) measures.add(trace.projectId, rowOfTrace(trace))
    for (const event of events) {
      if (!removed.has(event.record.traceId))
        measures.add(event.record.projectId, rowOfEvent(event, traces.get(event.record.traceId)))
    }
    return measures
  }
  return {
    measures: {
      measure: (...query) => build().measure(...query),
      measureOver: (...query) => build().measureOver(...query),
    },
    async write(newTraces, newEvents) {
      for (const trace of newTraces) traces.set(trace.id, trace)
      events.push(...newEvents)
    },
    remove: async ({ id }) => void removed.add(id),
  }
})

function rowOfTrace(trace: TraceRecord): MeasuredRow {
  const { createdAt, status } = trace
  return {
    at: createdAt,
    failed: status === 'error',
    durationMs: durationOf(trace),
    totalTokens: totalTokens(trace.tokenUsage),
    costUsd: dollarsOf(MEASURED_RATES.costKey(trace.digest.usage)),
    wastedCostUsd: dollarsOf(
      MEASURED_RATES.costKey(trace.digest.usage) < 0
        ? UNKNOWN_COST
        : Math.max(0, MEASURED_RATES.costKey(wastedOf(trace.digest.calls).usage)),
    ),
    filterable: filterable(fieldsOf(trace)),
    metadata: JSON.parse(trace.metadata.toString()) as Record<string, string>,
  }
}

function fieldsOf({ status, runType, name, sessionId, userId, growing, models, digest }: TraceRecord) {
  return { status, runType, name, sessionId, userId, growing, errorType: digest.errorTypes[0], model: models[0] }
}

function rowOfEvent({ record, runType, models }: NewMetricEvent, trace?: TraceRecord): MeasuredRow {
  const { value } = record
  return {
    at: record.at,
    metricId: record.metricId,
    value: value.kind === 'numeric' ? value.number : value.kind === 'boolean' && value.passed ? 1 : 0,
    ...(value.kind === 'enum' && { option: value.option }),
    filterable: filterable({ ...(trace && fieldsOf(trace)), runType, source: record.source, model: models[0] }),
    metadata: JSON.parse(record.metadata.toString()) as Record<string, string>,
  }
}

function filterable(fields: Readonly<Record<string, string | boolean | null | undefined>>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as NonNullable<MeasuredRow['filterable']>
}
