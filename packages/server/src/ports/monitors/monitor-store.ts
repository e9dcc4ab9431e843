import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { TransitionCause } from '../journal/monitor-transition.ts'
import type { Monitor, MonitorState } from './monitor.ts'

/** An evaluation that changed no state. */
export interface MonitorEvaluation {
  readonly monitor: Pick<Monitor, 'id' | 'revision'>
  readonly state: MonitorState
  /** As it was read, or as the last transition left it. */
  readonly previouslyEvaluatedAt: number | null
  readonly at: number
  readonly value: number | null
  readonly samples: number
  readonly breaches: number
}

/** A change of state, as the journal's commit recorded it. */
export interface HistoryEntry {
  /** Counts the changes of the monitor, from 1. */
  readonly sequence: number
  readonly to: MonitorState
  readonly at: number
  readonly value: number | null
  readonly samples: number
  readonly threshold: number
  readonly cause: TransitionCause
  readonly revision: number
  readonly recordedAt: number
}

/** Kept of each monitor; older changes of state are dropped as new ones come. */
export const HISTORY_OF_A_MONITOR = 10_000

/**
 * Where monitors are kept. Several processes may use it at once, so every write says what it found and is refused when that no longer holds. Changes of state come with a
 * commit of the journal, never through here. Rejects with DomainError `disk_full` or `storage_unavailable`: nothing is written then.
 */
export interface MonitorStore {
  /** False when the project has `mostOfProject` already. */
  create(monitor: Monitor, mostOfProject: number): Promise<boolean>
  find(projectId: ProjectId, id: MonitorId): Promise<Monitor | undefined>
  /** In the order of ids, those behind `after`. */
  list(projectId: ProjectId, after: MonitorId | null, limit: number): Promise<readonly Monitor[]>
  /** All that are evaluated, of all projects. */
  listEnabled(): Promise<readonly Monitor[]>
  /** `after` has the next revision. False, and nothing happens, when revision or state are not those of `before` any more. */
  replace(before: Monitor, after: Monitor): Promise<boolean>
  /** With its history. False, and nothing happens, when revision or state are not these any more. */
  remove(monitor: Monitor): Promise<boolean>
  /** All in one transaction; one whose monitor is not as it was read is left out. */
  recordEvaluations(evaluations: readonly MonitorEvaluation[]): Promise<void>
  /** Newest first, those before `before`. Empty for a monitor that is not there. */
  history(projectId: ProjectId, id: MonitorId, before: number | null, limit: number): Promise<readonly HistoryEntry[]>
  /** Drops changes recorded before `recordedBefore` (ms), at most `limit`; returns how many. */
  pruneHistory(recordedBefore: number, limit: number): Promise<number>
}

/** Who evaluates: of several services on one store, one. */
export interface EvaluationLease {
  /**
   * Takes or renews it until `now + durationMs`. False while another holds it. One that ends later than anybody could have taken it for (a clock that stepped back) counts as
   * ended.
   */
  take(holder: string, now: number, durationMs: number): Promise<boolean>
  /** So that another need not wait for its end. Nothing happens when `holder` does not have it. */
  release(holder: string): Promise<void>
}
