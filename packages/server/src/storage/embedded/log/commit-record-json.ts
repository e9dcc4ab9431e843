import type { CommitRecord, JournalEvent } from '../../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'

/** Events by their places among the events of its project. */
interface StoredOnce {
  readonly projectId: CommitRecord['onceEvents'][number]['projectId']
  readonly key: string
  readonly events: readonly number[]
}

type StoredRecord = Omit<CommitRecord, 'monitorTransitions' | 'onceEvents'> & {
  readonly onceEvents: readonly StoredOnce[]
}

/** A commit as the commit log keeps it for the journal: JSON. Transitions of monitors stand in their events alone. */
export function encodeCommitRecord({ monitorTransitions: _, onceEvents, ...rest }: CommitRecord): Buffer {
  const stored: StoredRecord = {
    ...rest,
    onceEvents: onceEvents.map(({ projectId, key, events }) => {
      const all = rest.projects.find((project) => project.projectId === projectId)?.events ?? []
      return { projectId, key, events: events.map((event) => all.indexOf(event)) }
    }),
  }
  return Buffer.from(JSON.stringify(stored))
}

/** The record that was encoded. Events are the same objects wherever the record names them, as the journal expects. */
export function decodeCommitRecord(bytes: Buffer): CommitRecord {
  return recordFromJson(JSON.parse(bytes.toString()))
}

/** As `decodeCommitRecord`, of a record whose JSON is parsed already. */
export function recordFromJson(parsed: unknown): CommitRecord {
  const { onceEvents, ...rest } = parsed as StoredRecord
  const events = (projectId: string) => rest.projects.find((project) => project.projectId === projectId)?.events ?? []
  return {
    ...rest,
    monitorTransitions: rest.projects.flatMap((project) => project.events.flatMap(transitionOf)),
    onceEvents: onceEvents.map((once) => ({
      projectId: once.projectId,
      key: once.key,
      events: once.events.map((place) => events(once.projectId)[place] as JournalEvent),
    })),
  }
}

function transitionOf(event: JournalEvent): readonly MonitorTransition[] {
  return 'transition' in event ? [event.transition] : []
}
