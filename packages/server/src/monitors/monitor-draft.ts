import type { MonitorMeasure } from '../ports/monitors/monitor-measures.ts'
import type { Monitor, MonitorDefinition, MonitorSource } from '../ports/monitors/monitor.ts'

/** A monitor as a client defines it: each field has its type, but their combination is not checked yet. */
export interface MonitorDraft extends Omit<MonitorDefinition, 'source'> {
  readonly name: string
  readonly enabled: boolean
  /** Null: not given. */
  readonly source: {
    readonly kind: MonitorSource['kind']
    readonly metric: string | null
    readonly measure: MonitorMeasure | null
    readonly option: string | null
  }
}

/** The starting point of a change. */
export function toDraft({ name, enabled, definition }: Monitor): MonitorDraft {
  const { source } = definition
  const { metric, option } = source.kind === 'metric' ? source : { metric: null, option: null }
  const measure = source.kind === 'metric' ? null : source.measure
  return { ...definition, name, enabled, source: { kind: source.kind, metric, measure, option } }
}
