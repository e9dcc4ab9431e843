import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { HistoryEntry, MonitorEvaluation, MonitorStore } from '../../../ports/monitors/monitor-store.ts'
import type { Monitor } from '../../../ports/monitors/monitor.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { monitorQueriesOn } from './monitor-queries.ts'
import { fromMonitor, printGroups, toHistoryEntry, toMonitor } from './monitor-rows.ts'

/** States change in the journal's transactions (monitor-changes.ts); everything else about monitors is written here. */
export class SqlMonitorStore extends storeOn(monitorQueriesOn) implements MonitorStore {
  create(monitor: Monitor, mostOfProject: number): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      const known = yield* first(sql.countOfProject({ projectId: monitor.projectId }))
      if (Number(known?.count) >= mostOfProject) return false
      yield* run(sql.insert(fromMonitor(monitor)))
      return true
    })
  }

  async find(projectId: ProjectId, id: MonitorId): Promise<Monitor | undefined> {
    return (await this.database.read(this.sql.byId({ projectId, id }))).map(toMonitor)[0]
  }

  async list(projectId: ProjectId, after: MonitorId | null, limit: number): Promise<readonly Monitor[]> {
    return (await this.database.read(this.sql.page({ projectId, after: after ?? '', limit }))).map(toMonitor)
  }

  async listEnabled(): Promise<readonly Monitor[]> {
    return (await this.database.read(this.sql.enabled({}))).map(toMonitor)
  }

  async replace(before: Monitor, after: Monitor): Promise<boolean> {
    const foundGroups = printGroups(before.groups)
    const found = { ...foundAs(before), foundEvaluatedAt: before.standing.lastEvaluatedAt, foundGroups }
    return (await this.run(this.sql.replace({ ...fromMonitor(after), ...found }))) === 1
  }

  remove(monitor: Monitor): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      if ((yield* run(sql.remove(foundAs(monitor)))) === 0) return false
      yield* run(sql.deleteHistory({ id: monitor.id }))
      return true
    })
  }

  recordEvaluations(evaluations: readonly MonitorEvaluation[], lease: LeaseEpoch): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      if ((yield* first(sql.currentLease(lease))) === undefined) return false
      for (const { monitor, state, previouslyEvaluatedAt, at, value, samples, breaches, groups } of evaluations) {
        const found = { id: monitor.id, foundRevision: monitor.revision, foundState: state }
        const evaluated = {
          breaches,
          value,
          samples,
          at,
          foundEvaluatedAt: previouslyEvaluatedAt,
          groups: printGroups(groups),
        }
        yield* run(sql.recordEvaluation({ ...found, ...evaluated }))
      }
      return true
    })
  }

  async history(
    projectId: ProjectId,
    id: MonitorId,
    before: number | null,
    limit: number,
  ): Promise<readonly HistoryEntry[]> {
    const page = { projectId, id, before: before ?? Number.MAX_SAFE_INTEGER, limit }
    return (await this.database.read(this.sql.history(page))).map(toHistoryEntry)
  }

  pruneHistory(recordedBefore: number, limit: number): Promise<number> {
    return this.run(this.sql.pruneHistory({ recordedBefore, limit }))
  }
}

function foundAs({ id, revision, standing }: Monitor) {
  return { id, foundRevision: revision, foundState: standing.state }
}
