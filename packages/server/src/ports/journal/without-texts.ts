import { NO_LABEL } from '../clusters/cluster.ts'
import type { JournalEvent } from './journal.ts'

/**
 * Members of the data of events that are made from texts of traces: words, and values of arguments and metadata. The
 * values that replace them keep to the schemas of the contract.
 */
const CLEARED: Readonly<Record<string, unknown>> = {
  label: NO_LABEL,
  description: '',
  keywords: [],
  name: '',
  value: null,
  sentence: '',
  filters: null,
  version: '',
  compared_with: '',
  patterns: [],
}

/** An event of a cluster or a version without texts of traces; other events do not change. */
export function withoutTexts(event: JournalEvent): JournalEvent {
  if (!('data' in event)) return event
  const data: unknown = JSON.parse(event.data, (member, value: unknown) =>
    Object.hasOwn(CLEARED, member) ? CLEARED[member] : value,
  )
  return { ...event, data: JSON.stringify(data) }
}
