import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { TransitionCause } from '../journal/monitor-transition.ts'
import type { LeaseEpoch } from '../leases/lease-store.ts'
import type { Groups, Monitor, MonitorState } from './monitor.ts'

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
  readonly groups: Groups
}

/** A change of state, as the journal's commit recorded it. */
export interface HistoryEntry {
  /** Counts the changes of the monitor, from 1. */
  readonly sequence: number
  /** The group whose state changed; null without `forEach`. */
  readonly group: string | null
  readonly to: MonitorState
  readonly at: number
  readonly value: number | null
  readonly samples: number
  readonly threshold: number
  readonly cause: TransitionCause
  readonly revision: number
  readonly recordedAt: number
}

/**
 * Where monitors are kept. Several processes may use it at once, so every write names the state that it found and is
 * refused if that has changed. Changes of state come with a commit of the journal, never through here. Writes of a
 * method are durable when it resolves, and every later read sees them. Methods reject with DomainError
 * `storage_unavailable`, and methods that write also with `disk_full`: nothing is written then.
 */
export interface MonitorStore {
  /**
   * False, and nothing is written, when the project has `mostOfProject` already. Rejects when the project does not
   * exist.
   */
  create(monitor: Monitor, mostOfProject: number): Promise<boolean>
  find(projectId: ProjectId, id: MonitorId): Promise<Monitor | undefined>
  /** In the order of ids, those after `after`. */
  list(projectId: ProjectId, after: MonitorId | null, limit: number): Promise<readonly Monitor[]>
  /** All that are evaluated, of all projects, by project and id. */
  listEnabled(): Promise<readonly Monitor[]>
  /**
   * `after` is `before` with the next revision. False, and nothing happens, if revision, state or last evaluation
   * differ from `before`. Other fields are not compared.
   */
  replace(before: Monitor, after: Monitor): Promise<boolean>
  /** With its history. False, and nothing happens, when revision or state are not these any more. */
  remove(monitor: Monitor): Promise<boolean>
  /**
   * All in one transaction, under the evaluator's lease; an entry whose monitor has changed since it was read is left
   * out. False, and nothing is written, when the epoch is stale: another evaluates.
   */
  recordEvaluations(evaluations: readonly MonitorEvaluation[], lease: LeaseEpoch): Promise<boolean>
  /**
   * Newest first, with a sequence below `before`; null: from the newest. Empty for a monitor that does not exist, or is
   * another project's.
   */
  history(projectId: ProjectId, id: MonitorId, before: number | null, limit: number): Promise<readonly HistoryEntry[]>
  /** Drops changes recorded before `recordedBefore` (ms), the oldest first, at most `limit`; returns how many. */
  pruneHistory(recordedBefore: number, limit: number): Promise<number>
}
