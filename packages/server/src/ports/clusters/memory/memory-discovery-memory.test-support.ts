import { CLUSTER_RUNS_KEPT, CLUSTER_TRACES_MAX } from '@spoor/contract/limits'
import type { TraceId } from '@spoor/contract/ids'
import { type ClusterSetId, wholeSetOf } from '../cluster-set.ts'
import {
  EARLIER_RUNS,
  EARLIER_TRACES,
  type DiscoveryMemory,
  type NewMember,
  type NewRun,
  type RememberedCentroids,
  type RememberedRun,
  type StoredBasis,
  type StoredTemplate,
  type TraceFeatures,
} from '../discovery-memory.ts'
import type { KeptRun, MemoryClusterData } from './memory-cluster-data.test-support.ts'
import type { MemoryDiscoveryJobs } from './memory-discovery-jobs.test-support.ts'
import { MemoryVectorMemory } from './memory-vector-memory.test-support.ts'

/** For tests: the memory of discoveries, in maps. */
export class MemoryDiscoveryMemory implements DiscoveryMemory {
  readonly vectors: MemoryVectorMemory
  readonly #data: MemoryClusterData
  readonly #jobs: MemoryDiscoveryJobs
  readonly #bases = new Map<ClusterSetId, StoredBasis>()
  readonly #templates = new Map<ClusterSetId, StoredTemplate>()
  #made = 0

  constructor(data: MemoryClusterData, jobs: MemoryDiscoveryJobs) {
    this.#data = data
    this.#jobs = jobs
    this.vectors = new MemoryVectorMemory(data)
  }

  async withoutFeatures(
    setId: ClusterSetId,
    traces: readonly { readonly id: TraceId; readonly version: number }[],
    embedder: string,
    { withText, inputPath, template }: Parameters<DiscoveryMemory['withoutFeatures']>[3],
  ): Promise<readonly TraceId[]> {
    const isKept = ({ id, version }: { readonly id: TraceId; readonly version: number }): boolean => {
      const kept = this.#data.features.get(`${wholeSetOf(setId)} ${id}`)
      if (kept?.embedder !== embedder || kept.inputPath !== inputPath || kept.template !== template) return false
      return kept.version >= version && (kept.text !== null || !withText)
    }
    return traces.filter((trace) => !isKept(trace)).map(({ id }) => id)
  }

  async template(setId: ClusterSetId): Promise<StoredTemplate | undefined> {
    return this.#templates.get(wholeSetOf(setId))
  }

  async putTemplate(setId: ClusterSetId, template: StoredTemplate): Promise<void> {
    this.#templates.set(wholeSetOf(setId), template)
  }

  async putFeatures(setId: ClusterSetId, embedder: string, rows: readonly TraceFeatures[]): Promise<void> {
    const whole = wholeSetOf(setId)
    for (const row of rows) {
      this.#data.features.set(`${whole} ${row.traceId}`, { ...row, setId: whole, embedder, key: null })
    }
  }

  async features(
    setId: ClusterSetId,
    embedder: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const kept = traceIds.map((id) => this.#data.features.get(`${wholeSetOf(setId)} ${id}`))
    return kept.map((one) => (one?.embedder === embedder ? one.features : undefined))
  }

  async excerpts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]> {
    return traceIds.map((id) => this.#data.features.get(`${wholeSetOf(setId)} ${id}`)?.excerpt)
  }

  async basis(setId: ClusterSetId): Promise<StoredBasis | undefined> {
    return this.#bases.get(setId)
  }

  async lastRun(setId: ClusterSetId): Promise<RememberedRun | undefined> {
    const run = this.#data.newest(setId)
    if (run === undefined) return undefined
    const { place, made } = run
    const ofProject = this.#data.runs.filter((one) => one.made.setId === setId)
    const earliest = ofProject.slice(-EARLIER_RUNS)[0]!
    const { embedderVersion, clusters, centroids, refusedGain, parameters, map } = made
    const members = placedMembers(run)
    return {
      place,
      earlier: earliest.made.traceIds.toSorted(byEnd).slice(0, EARLIER_TRACES),
      firstSeenAt: clusters.map(({ firstSeenAt }) => firstSeenAt),
      names: clusters.map(({ label, description, keywords, parent, namedBy }) => ({
        label,
        description,
        keywords,
        parent,
        namedBy,
      })),
      previous: {
        embedderVersion,
        clusters: clusters.map(({ id, size, cohesion }) => ({ id, size, cohesion })),
        centroids,
        traceIds: members.map(([id]) => id),
        assignments: Int32Array.from(members, ([, { cluster }]) => cluster),
        refusedGain,
        kMin: parameters.kMin,
        kMax: parameters.kMax,
        map: { ...map, positions: Float32Array.from(members.flatMap(([, { at }]) => at)) },
      },
    }
  }

  async centroids(setId: ClusterSetId): Promise<RememberedCentroids | undefined> {
    const run = this.#data.newest(setId)
    if (run === undefined) return undefined
    const { id, embedderVersion, centroids, reaches } = run.made
    return { place: run.place, id, embedderVersion, centroids, reaches }
  }

  async applyRun(made: NewRun): Promise<boolean> {
    if (!this.#jobs.isHeld(made)) return false
    if (this.#data.runs.some((run) => run.made.id === made.id)) throw new Error('the job has a run')
    const { positions } = made.map
    const members = made.traceIds.map((id, index) => {
      const at = [positions[2 * index]!, positions[2 * index + 1]!] as const
      return [id, { cluster: made.assignments[index]!, at }] as const
    })
    const assignedThrough = made.traceIds.toSorted().at(-1)!
    this.#data.runs.push({ place: ++this.#made, made, members: new Map(members), assignedThrough, told: false })
    if (made.basis !== null) this.#bases.set(made.setId, made.basis)
    return true
  }

  async addMembers(setId: ClusterSetId, place: number, members: readonly NewMember[], through: TraceId): Promise<void> {
    const run = this.#data.newest(setId)
    if (run?.place !== place) return
    for (const { traceId, cluster } of members) {
      if (!run.members.has(traceId)) run.members.set(traceId, { cluster, at: null })
    }
    if (through > run.assignedThrough) run.assignedThrough = through
  }

  async tidy(setId: ClusterSetId): Promise<boolean> {
    const data = this.#data
    const [newest, ...older] = data.runs.filter(({ made }) => made.setId === setId).toReversed()
    for (const run of older) run.members.clear()
    const found = new Set(newest?.made.clusters.map(({ id }) => id))
    const labels = data.labels.get(setId)
    for (const id of labels?.keys() ?? []) if (!found.has(id)) labels?.delete(id)
    const dropped = new Set(older.slice(CLUSTER_RUNS_KEPT - 1))
    data.runs = data.runs.filter((run) => !dropped.has(run))
    const kept = [...data.features].filter(([, one]) => one.setId === wholeSetOf(setId))
    const byAge = kept.sort(([, a], [, b]) => (a.traceId < b.traceId ? 1 : -1))
    for (const [key] of byAge.slice(CLUSTER_TRACES_MAX)) data.features.delete(key)
    for (const { key } of data.vectors.values()) data.dropVectorWithout(wholeSetOf(setId), key)
    return false
  }
}

/** Members with a position on the map, by id. */
function placedMembers({ members }: KeptRun) {
  const placed = [...members].flatMap(([id, { cluster, at }]) => (at === null ? [] : [[id, { cluster, at }] as const]))
  return placed.sort(([a], [b]) => (a < b ? -1 : 1))
}

const byEnd = (one: TraceId, other: TraceId) => (one.slice(-8) < other.slice(-8) ? -1 : 1)
