import type { DatabaseSync } from 'node:sqlite'
import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type {
  EvaluationLease,
  HistoryEntry,
  MonitorEvaluation,
  MonitorStore,
} from '../../../ports/monitors/monitor-store.ts'
import type { Monitor } from '../../../ports/monitors/monitor.ts'
import { standingValues, toHistoryEntry, toMonitor } from './monitor-rows.ts'
import { type MonitorStatements, prepareMonitors } from './monitor-statements.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

/** Monitors in SQLite. States change in the journal's transactions (monitor-changes.ts); everything else about monitors is written here. */
export class SqliteMonitorStore implements MonitorStore, EvaluationLease {
  readonly #database: DatabaseSync
  readonly #sql: MonitorStatements
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#sql = prepareMonitors(database)
    this.#onReadError = onReadError
  }

  async create(monitor: Monitor, mostOfProject: number): Promise<boolean> {
    const { id, projectId, name, enabled, definition, revision, createdAt, updatedAt, standing } = monitor
    const about = [id, projectId, name, enabled ? 1 : 0, JSON.stringify(definition), revision, createdAt, updatedAt]
    return runAtomically(this.#database, () => {
      if (Number(this.#sql.countOfProject.get(projectId)?.['count']) >= mostOfProject) return false
      this.#sql.insert.run(...about, ...standingValues(standing))
      return true
    })
  }

  async find(projectId: ProjectId, id: MonitorId): Promise<Monitor | undefined> {
    const row = this.#read(() => this.#sql.find.get(id, projectId))
    return row === undefined ? undefined : toMonitor(row)
  }

  async list(projectId: ProjectId, after: MonitorId | null, limit: number): Promise<readonly Monitor[]> {
    return this.#read(() => this.#sql.list.all(projectId, after ?? '', limit)).map(toMonitor)
  }

  async listEnabled(): Promise<readonly Monitor[]> {
    return this.#read(() => this.#sql.listEnabled.all()).map(toMonitor)
  }

  async replace(before: Monitor, after: Monitor): Promise<boolean> {
    const { name, enabled, definition, revision, updatedAt, standing } = after
    const { state, lastEvaluatedAt } = before.standing
    const about = [name, enabled ? 1 : 0, JSON.stringify(definition), revision, updatedAt]
    const found = [before.id, before.revision, state, lastEvaluatedAt]
    const { changes } = runAtomically(this.#database, () =>
      this.#sql.replace.run(...about, ...standingValues(standing), ...found),
    )
    return changes === 1
  }

  async remove({ id, revision, standing }: Monitor): Promise<boolean> {
    return runAtomically(this.#database, () => {
      if (this.#sql.remove.run(id, revision, standing.state).changes === 0) return false
      this.#sql.deleteHistory.run(id)
      return true
    })
  }

  async recordEvaluations(evaluations: readonly MonitorEvaluation[]): Promise<void> {
    runAtomically(this.#database, () => {
      for (const { monitor, state, previouslyEvaluatedAt, at, value, samples, breaches } of evaluations) {
        const found = [monitor.id, monitor.revision, state, previouslyEvaluatedAt]
        this.#sql.recordEvaluation.run(breaches, value, samples, at, ...found)
      }
    })
  }

  async history(
    projectId: ProjectId,
    id: MonitorId,
    before: number | null,
    limit: number,
  ): Promise<readonly HistoryEntry[]> {
    const from = before ?? Number.MAX_SAFE_INTEGER
    return this.#read(() => this.#sql.history.all(id, projectId, from, limit)).map(toHistoryEntry)
  }

  async pruneHistory(recordedBefore: number, limit: number): Promise<number> {
    return runAtomically(this.#database, () => {
      const old = this.#sql.oldestHistory.all(recordedBefore, limit)
      for (const row of old) this.#sql.deleteHistoryEntry.run(row['monitor_id'] as string, row['sequence'] as number)
      return old.length
    })
  }

  async take(holder: string, now: number, durationMs: number): Promise<boolean> {
    const { changes } = runAtomically(this.#database, () =>
      this.#sql.takeLease.run(holder, now + durationMs, now, now + 2 * durationMs),
    )
    return changes === 1
  }

  async release(holder: string): Promise<void> {
    runAtomically(this.#database, () => this.#sql.releaseLease.run(holder))
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }
}
