import type { MetricEventId } from '@spoor/contract/ids'
import { REMOVED_EVENTS_MAX } from '@spoor/contract/limits'
import { DomainError } from '../lib/domain-error.ts'
import type { Principal } from '../ports/access/scopes.ts'
import type { Journal } from '../ports/journal/journal.ts'
import type { MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { MetricRecorder } from './metric-recorder.ts'

interface RemoveEventDependencies {
  readonly events: Pick<MetricEventStore, 'findById'>
  readonly journal: Pick<Journal, 'removedEvents'>
  readonly recorder: Pick<MetricRecorder, 'removeMetricEvent'>
}

/** See `MetricUseCases.remove`. A session is the author of what its key recorded, also through other sessions. */
export async function removeEvent(
  { events, journal, recorder }: RemoveEventDependencies,
  { projectId, keyId, scopes }: Principal,
  id: MetricEventId,
): Promise<void> {
  const event = await events.findById(projectId, id)
  if (event === undefined) throw new DomainError('not_found', 'There is no such metric event.')
  if (event.createdBy !== keyId && !scopes.has('manage')) {
    const detail = 'Only the key that recorded the event and keys with the scope manage remove it.'
    throw new DomainError('insufficient_scope', detail)
  }
  if ((await journal.removedEvents(projectId)).size >= REMOVED_EVENTS_MAX) {
    const detail = `${REMOVED_EVENTS_MAX} removed events have not left the disk yet. Try again in some minutes.`
    throw new DomainError('queue_full', detail, { retryAfterSeconds: 60 })
  }
  await recorder.removeMetricEvent(event)
}
