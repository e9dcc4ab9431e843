import type { Cluster } from '@spoor/contract/schemas/cluster'
import type { FailurePattern } from '@spoor/contract/schemas/traces/failure-patterns'
import type { VersionRegression } from '@spoor/contract/schemas/versions'
import { NO_LABEL } from '../clusters/cluster.ts'
import type { JournalEvent } from './journal.ts'

type Member = keyof Cluster | keyof FailurePattern | keyof typeof VersionRegression

/**
 * Members of the data of events that are made from texts of traces: words, and values of arguments and metadata. The
 * values that replace them keep to the schemas of the contract.
 */
const CLEARED: Readonly<Partial<Record<Member, unknown>>> = {
  label: NO_LABEL,
  description: '',
  keywords: [],
  name: '',
  value: null,
  what: '',
  filters: null,
  version: '',
  compared_with: '',
  patterns: [],
}

/** An event of a cluster or a version without texts of traces; other events do not change. */
export function withoutTexts(event: JournalEvent): JournalEvent {
  if (!('data' in event)) return event
  const data: unknown = JSON.parse(event.data, (member, value: unknown) =>
    Object.hasOwn(CLEARED, member) ? CLEARED[member as Member] : value,
  )
  return { ...event, data: JSON.stringify(data) }
}
