import type { MeasureQuestion, MeasureSource } from './monitor-measures.ts'
import type { MonitorDefinition, MonitorSource } from './monitor.ts'

/** What the store is asked for a definition. */
export function toQuestion({ source, filters, aggregation }: MonitorDefinition): MeasureQuestion {
  const option = source.kind === 'metric' ? source.option : null
  return { source: toMeasureSource(source), filters, aggregation, option }
}

function toMeasureSource(source: MonitorSource): MeasureSource {
  return source.kind === 'metric' ? { kind: 'metric', metricId: source.metricId } : source
}
