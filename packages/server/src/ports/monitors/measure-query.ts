import type { MeasureQuery, MeasureSource } from './monitor-measures.ts'
import type { MonitorDefinition, MonitorSource } from './monitor.ts'

/** The query of a definition. */
export function toMeasureQuery({ source, filters, aggregation, forEach }: MonitorDefinition): MeasureQuery {
  const option = source.kind === 'metric' ? source.option : null
  return { source: toMeasureSource(source), filters, aggregation, option, forEach }
}

function toMeasureSource(source: MonitorSource): MeasureSource {
  return source.kind === 'metric' ? { kind: 'metric', metricId: source.metricId } : source
}
