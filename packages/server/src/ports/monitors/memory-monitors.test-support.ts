import { MONITOR_HISTORY_MAX } from '@spoor/contract/limits'
import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { MonitorTransition } from '../journal/monitor-transition.ts'
import type { LeaseEpoch } from '../leases/lease-store.ts'
import type { MemoryLeaseStore } from '../leases/memory-leases.test-support.ts'
import { groupsAfter, stateOfGroups } from './group-standings.ts'
import type { Monitor } from './monitor.ts'
import type { HistoryEntry, MonitorEvaluation, MonitorStore } from './monitor-store.ts'

/** For tests: monitors of given projects and their history in maps. */
export class MemoryMonitorStore implements MonitorStore {
  readonly #projectIds: readonly ProjectId[]
  readonly #leases: Pick<MemoryLeaseStore, 'isCurrent'>
  readonly #monitors = new Map<MonitorId, Monitor>()
  readonly #history = new Map<MonitorId, HistoryEntry[]>()

  constructor(projectIds: readonly ProjectId[], leases: Pick<MemoryLeaseStore, 'isCurrent'>) {
    this.#projectIds = projectIds
    this.#leases = leases
  }

  /** As a commit of the journal does it. */
  async apply(transition: MonitorTransition, recordedAt: number): Promise<boolean> {
    const { projectId, monitorId, revision, to, cause, at, value, samples } = transition
    const monitor = await this.find(projectId, monitorId)
    if (monitor?.revision !== revision) return false
    const { group } = transition
    if (group !== null) {
      const groups = groupsAfter(monitor.groups, transition)
      if (groups === null) return false
      const state = stateOfGroups(groups)
      const stateSince = state === monitor.standing.state ? monitor.standing.stateSince : at
      this.#monitors.set(monitorId, { ...monitor, groups, standing: { ...monitor.standing, state, stateSince } })
      this.#addHistory(transition, recordedAt)
      return true
    }
    if (monitor.standing.state === to) return false
    const isEvaluated = cause === 'evaluation'
    if (isEvaluated && monitor.standing.lastEvaluatedAt !== transition.previouslyEvaluatedAt) return false
    const evaluated = isEvaluated ? { lastValue: value, lastSamples: samples, lastEvaluatedAt: at } : {}
    const standing = { ...monitor.standing, ...evaluated, state: to, stateSince: at, breaches: 0 }
    this.#monitors.set(monitorId, { ...monitor, standing })
    this.#addHistory(transition, recordedAt)
    return true
  }

  #addHistory(
    { monitorId, group, to, at, value, samples, threshold, cause, revision }: MonitorTransition,
    recordedAt: number,
  ): void {
    const kept = this.#history.get(monitorId) ?? []
    const sequence = (kept.at(-1)?.sequence ?? 0) + 1
    kept.push({ sequence, group, to, at, value, samples, threshold, cause, revision, recordedAt })
    this.#history.set(
      monitorId,
      kept.filter((entry) => entry.sequence > sequence - MONITOR_HISTORY_MAX),
    )
  }

  async create(monitor: Monitor, mostOfProject: number): Promise<boolean> {
    if ([...this.#monitors.values()].filter(({ projectId }) => projectId === monitor.projectId).length >= mostOfProject)
      return false
    if (!this.#projectIds.includes(monitor.projectId)) throw new Error('the project does not exist')
    this.#monitors.set(monitor.id, monitor)
    return true
  }

  async find(projectId: ProjectId, id: MonitorId): Promise<Monitor | undefined> {
    const monitor = this.#monitors.get(id)
    return monitor?.projectId === projectId ? monitor : undefined
  }

  async list(projectId: ProjectId, after: MonitorId | null, limit: number): Promise<readonly Monitor[]> {
    return this.#sorted()
      .filter((monitor) => monitor.projectId === projectId && (after === null || monitor.id > after))
      .slice(0, limit)
  }

  async listEnabled(): Promise<readonly Monitor[]> {
    return this.#sorted().filter(({ enabled }) => enabled)
  }

  async replace(before: Monitor, after: Monitor): Promise<boolean> {
    const { id, revision, standing } = before
    const present = this.#monitors.get(id)
    if (present?.revision !== revision || present.standing.state !== standing.state) return false
    if (present.standing.lastEvaluatedAt !== standing.lastEvaluatedAt) return false
    this.#monitors.set(id, after)
    return true
  }

  async remove({ id, revision, standing }: Monitor): Promise<boolean> {
    const present = this.#monitors.get(id)
    if (present?.revision !== revision || present.standing.state !== standing.state) return false
    this.#history.delete(id)
    return this.#monitors.delete(id)
  }

  async recordEvaluations(evaluations: readonly MonitorEvaluation[], lease: LeaseEpoch): Promise<boolean> {
    if (!this.#leases.isCurrent(lease)) return false
    for (const { monitor, state, previouslyEvaluatedAt, at, value, samples, breaches, groups } of evaluations) {
      const present = this.#monitors.get(monitor.id)
      if (present?.revision !== monitor.revision || present.standing.state !== state) continue
      if (present.standing.lastEvaluatedAt !== previouslyEvaluatedAt) continue
      const evaluated = { breaches, lastValue: value, lastSamples: samples, lastEvaluatedAt: at }
      this.#monitors.set(monitor.id, { ...present, groups, standing: { ...present.standing, ...evaluated } })
    }
    return true
  }

  async history(
    projectId: ProjectId,
    id: MonitorId,
    before: number | null,
    limit: number,
  ): Promise<readonly HistoryEntry[]> {
    if ((await this.find(projectId, id)) === undefined) return []
    const entries = (this.#history.get(id) ?? []).filter(({ sequence }) => before === null || sequence < before)
    return entries.toReversed().slice(0, limit)
  }

  async pruneHistory(recordedBefore: number, limit: number): Promise<number> {
    const old = [...this.#history]
      .flatMap(([id, entries]) => entries.map((entry) => ({ id, entry })))
      .filter(({ entry }) => entry.recordedAt < recordedBefore)
      .toSorted((a, b) => a.entry.recordedAt - b.entry.recordedAt)
      .slice(0, limit)
    for (const { id, entry } of old) {
      this.#history.set(
        id,
        (this.#history.get(id) ?? []).filter((one) => one !== entry),
      )
    }
    return old.length
  }

  #sorted(): Monitor[] {
    const place = ({ projectId, id }: Monitor) => `${projectId} ${id}`
    return [...this.#monitors.values()].toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  }
}
