import type { MetricEventRecord } from '../ports/journal/metric-event.ts'
import type { MetricEventQuery } from '../ports/metrics/metric-event-store.ts'

/** The fields of their trace that events store. */
export interface EventOrigin {
  readonly runType: string
  readonly models: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The meaning of a metadata filter: a value by its JSON text, a string also by its content. */
export function hasMetadata(
  event: Pick<MetricEventRecord, 'metadata'>,
  origin: EventOrigin,
  { key, value }: MetricEventQuery['metadata'][number],
): boolean {
  const all: Record<string, unknown> = { ...origin.metadata, ...JSON.parse(event.metadata.toString()) }
  return Object.hasOwn(all, key) && (value === null || all[key] === value || JSON.stringify(all[key]) === value)
}
