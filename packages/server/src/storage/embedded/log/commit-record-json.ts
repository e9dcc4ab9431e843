import type { CommitRecord, JournalEvent } from '../../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'

/** A run's events by their places among the events of its project. */
interface StoredRun {
  readonly projectId: CommitRecord['clusterRuns'][number]['projectId']
  readonly runId: CommitRecord['clusterRuns'][number]['runId']
  readonly events: readonly number[]
}

type StoredRecord = Omit<CommitRecord, 'monitorTransitions' | 'clusterRuns'> & {
  readonly clusterRuns: readonly StoredRun[]
}

/** A commit as the commit log keeps it for the journal: JSON. Transitions of monitors stand in their events alone. */
export function encodeCommitRecord({ monitorTransitions: _, clusterRuns, ...rest }: CommitRecord): Buffer {
  const stored: StoredRecord = {
    ...rest,
    clusterRuns: clusterRuns.map(({ projectId, runId, events }) => {
      const all = rest.projects.find((project) => project.projectId === projectId)?.events ?? []
      return { projectId, runId, events: events.map((event) => all.indexOf(event)) }
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
  const { clusterRuns, ...rest } = parsed as StoredRecord
  const events = (projectId: string) => rest.projects.find((project) => project.projectId === projectId)?.events ?? []
  return {
    ...rest,
    monitorTransitions: rest.projects.flatMap((project) => project.events.flatMap(transitionOf)),
    clusterRuns: clusterRuns.map((run) => ({
      projectId: run.projectId,
      runId: run.runId,
      events: run.events.map((place) => events(run.projectId)[place] as JournalEvent),
    })),
  }
}

function transitionOf(event: JournalEvent): readonly MonitorTransition[] {
  return 'transition' in event ? [event.transition] : []
}
