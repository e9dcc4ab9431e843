import { CLUSTER_SELECTIONS_MAX } from '@spoor/contract/limits'
import { CLUSTER_KINDS } from '@spoor/contract/schemas/cluster'
import type { ClusterId, JobId, ProjectId, SelectionId, TraceId } from '@spoor/contract/ids'
import { type ClusterSetId, clusterSetOf } from '../cluster-set.ts'
import { type ClusterFilter, NO_CLUSTER } from '@spoor/contract/trace-filters'
import { NO_PLACE } from '../discovery-memory.ts'
import { type ClusterNews, NO_LABEL } from '../cluster.ts'
import type {
  ClusterDetail,
  ClusterPlace,
  ClusterStore,
  FoundCluster,
  KeptTrace,
  MapPoint,
  PlacedRun,
  RunSummary,
  Selection,
} from '../cluster-store.ts'
import { type MemoryClusterData, toDetail, toPlacedRun } from './memory-cluster-data.test-support.ts'
import type { MemoryDiscoveryJobs } from './memory-discovery-jobs.test-support.ts'

/** For tests: clusters in maps. */
export class MemoryClusterStore implements ClusterStore {
  readonly #data: MemoryClusterData
  readonly #jobs: MemoryDiscoveryJobs

  constructor(data: MemoryClusterData, jobs: MemoryDiscoveryJobs) {
    this.#data = data
    this.#jobs = jobs
  }

  async selections(projectId: ProjectId): Promise<readonly Selection[]> {
    return this.#data.selections.get(projectId) ?? []
  }

  async addSelection(projectId: ProjectId, selection: Selection): Promise<boolean> {
    const known = await this.selections(projectId)
    if (known.some(({ id }) => id === selection.id)) return true
    if (known.length >= CLUSTER_SELECTIONS_MAX) return false
    this.#data.selections.set(projectId, [...known, selection])
    return true
  }

  async dropSelection(projectId: ProjectId, id: SelectionId): Promise<boolean> {
    for (const setId of CLUSTER_KINDS.map((kind) => clusterSetOf(projectId, kind, id))) {
      this.#jobs.drop(setId)
      this.#data.labels.delete(setId)
      this.#data.runs = this.#data.runs.filter(({ made }) => made.setId !== setId)
    }
    const left = (await this.selections(projectId)).filter((one) => one.id !== id)
    this.#data.selections.set(projectId, left)
    return false
  }

  async currentRun(setId: ClusterSetId): Promise<PlacedRun | undefined> {
    const run = this.#data.newest(setId)
    return run && toPlacedRun(run)
  }

  async findRun(id: JobId): Promise<PlacedRun | undefined> {
    const run = this.#data.runs.find(({ made }) => made.id === id)
    return run && toPlacedRun(run)
  }

  async runs(setId: ClusterSetId, before: number | null, limit: number): Promise<readonly RunSummary[]> {
    const own = this.#data.runs.filter(({ made, place }) => made.setId === setId && place < (before ?? Infinity))
    return own
      .toReversed()
      .slice(0, limit)
      .map((run) => {
        const clusters = run.made.clusters.map(({ id, label, size }) => ({ id, label, size }))
        return Object.assign(toPlacedRun(run), { clusters })
      })
  }

  async clusters({ place }: PlacedRun): Promise<readonly FoundCluster[]> {
    const run = this.#data.at(place)
    if (run === undefined) return []
    const found = run.made.clusters.map((_, index) => {
      const { centroid: _centroid, ...one } = toDetail(run, index)
      return one
    })
    return found.sort((a, b) => b.cluster.size - a.cluster.size)
  }

  async find({ place }: PlacedRun, id: ClusterId): Promise<ClusterDetail | undefined> {
    const run = this.#data.at(place)
    const index = run?.made.clusters.findIndex((cluster) => cluster.id === id) ?? -1
    return run === undefined || index < 0 ? undefined : toDetail(run, index)
  }

  async labels(setId: ClusterSetId): Promise<ReadonlyMap<ClusterId, string>> {
    return new Map(this.#data.labels.get(setId))
  }

  async putLabel(setId: ClusterSetId, clusterId: ClusterId, label: string | null): Promise<void> {
    const labels = this.#data.labels.get(setId) ?? new Map<ClusterId, string>()
    if (label === null) labels.delete(clusterId)
    else labels.set(clusterId, label)
    this.#data.labels.set(setId, labels)
  }

  async map({ place }: PlacedRun, limit: number): Promise<readonly MapPoint[]> {
    const run = this.#data.at(place)
    const points = [...(run?.members ?? [])].flatMap(([traceId, { cluster, at }]) =>
      at === null ? [] : [{ traceId, x: at[0], y: at[1], clusterId: run!.made.clusters[cluster]!.id }],
    )
    // By the end of the ids, which is random.
    const ends = (id: TraceId) => [...id].toReversed().join('')
    return points.sort((a, b) => (ends(a.traceId) < ends(b.traceId) ? -1 : 1)).slice(0, limit)
  }

  async place(projectId: ProjectId, id: ClusterFilter): Promise<ClusterPlace | null> {
    const sets = id === NO_CLUSTER ? [projectId] : this.#data.setsOf(projectId)
    const runs = sets.flatMap((setId) => this.#data.newest(setId) ?? [])
    const hasIt = ({ made }: { readonly made: { readonly clusters: readonly { readonly id: ClusterId }[] } }) =>
      id === NO_CLUSTER || made.clusters.some((cluster) => cluster.id === id)
    const run = runs.find(hasIt)
    if (run === undefined) return null
    const index = run.made.clusters.findIndex((cluster) => cluster.id === id)
    const ids = this.#membersOf(run.place, index)
    const [lowestId, highestId] = [ids[0], ids.at(-1)]
    return lowestId === undefined || highestId === undefined ? null : { run: run.place, index, lowestId, highestId }
  }

  async members(
    { run, index }: ClusterPlace,
    after: TraceId | null,
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<readonly TraceId[]> {
    const ids = this.#membersOf(run, index)
    const ordered = order === 'asc' ? ids : ids.toReversed()
    const isBehind = (id: TraceId) => after === null || (order === 'asc' ? id > after : id < after)
    return ordered.filter(isBehind).slice(0, limit)
  }

  async membersAmong({ run, index }: ClusterPlace, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    return new Set(this.#membersOf(run, index)).intersection(new Set(traceIds))
  }

  async countAmong({ place }: PlacedRun, traceIds: readonly TraceId[]): Promise<ReadonlyMap<ClusterFilter, number>> {
    const run = this.#data.at(place)
    const found = traceIds.flatMap((id) => run?.members.get(id) ?? [])
    const byCluster = Map.groupBy(found, ({ cluster }) => run!.made.clusters[cluster]?.id ?? NO_CLUSTER)
    return new Map([...byCluster].map(([id, members]) => [id, members.length]))
  }

  async countUnassigned({ place }: PlacedRun): Promise<number> {
    return this.#membersOf(place, NO_PLACE).length
  }

  async pending(limit: number): Promise<readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[]> {
    const pending = this.#data.runs.filter(({ told, made }) => !told && made.news.length > 0)
    return pending.slice(0, limit).map((run) => ({ run: toPlacedRun(run), news: run.made.news }))
  }

  async markEmitted(id: JobId): Promise<void> {
    for (const run of this.#data.runs) if (run.made.id === id) run.told = true
  }

  async keptTraces(after: KeptTrace | null, limit: number): Promise<readonly KeptTrace[]> {
    const keyOf = ({ setId, traceId }: KeptTrace) => `${setId} ${traceId}`
    return [...this.#data.features.values()]
      .map(({ setId, traceId }) => ({ setId, traceId }))
      .filter((kept) => after === null || keyOf(kept) > keyOf(after))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .slice(0, limit)
  }

  async forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    for (const setId of this.#data.setsOf(projectId)) this.#forgetIn(setId, traceIds)
  }

  #forgetIn(setId: ClusterSetId, traceIds: readonly TraceId[]): void {
    for (const traceId of traceIds) {
      const key = this.#data.features.get(`${setId} ${traceId}`)?.key ?? null
      this.#data.features.delete(`${setId} ${traceId}`)
      if (key !== null) this.#data.dropVectorWithout(setId, key)
      this.#data.newest(setId)?.members.delete(traceId)
    }
  }

  async forgetTexts(projectId: ProjectId): Promise<boolean> {
    const sets = this.#data.setsOf(projectId)
    const isOwn = ({ made }: { readonly made: { readonly setId: ClusterSetId } }) => sets.includes(made.setId)
    const isRunning = sets.some((setId) => this.#jobs.isRunning(setId))
    if (isRunning || this.#data.runs.some((run) => isOwn(run) && !run.told)) return false
    this.#data.runs = this.#data.runs.map((run) => {
      if (!isOwn(run)) return run
      const clusters = run.made.clusters.map((cluster) => ({
        ...cluster,
        label: NO_LABEL,
        description: '',
        keywords: [],
        parent: null,
        namedBy: null,
      }))
      return { ...run, made: { ...run.made, clusters, news: [] } }
    })
    return true
  }

  #membersOf(place: number, index: number): TraceId[] {
    const members = [...(this.#data.at(place)?.members ?? [])]
    return members.flatMap(([id, { cluster }]) => (cluster === index ? [id] : [])).sort()
  }
}
