import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { BatchedLookUps } from './batched-look-ups.ts'
import type { TraceDigest, TraceRecord } from '../../ports/traces/trace-record.ts'
import type { ProjectFilter } from '../../ports/traces/trace-store.ts'
import type { UsageTree } from '../rules/usage-tree.ts'

/** Latest versions of these distinct traces; traces that the project does not have are left out. */
type LoadTraces = (projectId: ProjectId, ids: readonly TraceId[]) => Promise<readonly TraceRecord[]>

/** The usage of all steps of this version of a trace. */
type LoadTree = (trace: TraceRecord) => Promise<UsageTree>

/** Steps of all usage trees in memory: about 70 MB. */
const MOST_TREE_STEPS = 100_000

interface Entry {
  trace: TraceRecord | null
  /** Of a trace that grows. It is right if it has the version of the trace. */
  tree: UsageTree | null
  treeSteps: number
  loadingTree: Promise<void> | null
  bytes: number
  /** Running operations that need the entry. It is not evicted while there are any. */
  holders: number
  /** What was read of it may be old. */
  isForgotten: boolean
  /**
   * Running loads, by the project that requested them: a project that requests another's trace finds nothing, which
   * must not be shared with the owner.
   */
  readonly loading: Map<ProjectId, Promise<void>>
}

/**
 * Latest committed versions of the traces that are being written, bounded in bytes. Evicts the least recently used
 * first.
 *
 * A holder sees every commit made since it called `hold`: a load never replaces a newer version, and held entries are
 * not evicted.
 */
export class TraceCache {
  readonly #entries = new Map<TraceId, Entry>()
  readonly #maxBytes: number
  readonly #loads: BatchedLookUps<TraceId, TraceRecord | undefined>
  readonly #loadTree: LoadTree
  #bytes = 0
  #treeSteps = 0

  constructor(maxBytes: number, load: LoadTraces, loadTree: LoadTree) {
    this.#maxBytes = maxBytes
    this.#loadTree = loadTree
    this.#loads = new BatchedLookUps(async (projectId, ids) => {
      const traces = new Map((await load(projectId, ids)).map((trace) => [trace.id, trace]))
      return (id) => traces.get(id)
    })
  }

  /**
   * Holds the trace in memory until `release`. Null when the project has no such trace, or it is deleted, unless it is
   * held to be restored; then nothing is held.
   */
  async hold(projectId: ProjectId, id: TraceId, toRestore = false): Promise<TraceRecord | null> {
    const entry = this.#touch(id)
    entry.holders += 1
    try {
      if (entry.trace === null) {
        const loading = entry.loading.get(projectId) ?? this.#fill(projectId, id, entry)
        entry.loading.set(projectId, loading)
        await loading
      }
    } catch (error) {
      this.release(id)
      throw error
    }
    const { trace } = entry
    if (trace === null || trace.projectId !== projectId || (trace.deleted && !toRestore)) {
      this.release(id)
      return null
    }
    return trace
  }

  release(id: TraceId): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    entry.holders -= 1
    if (entry.holders === 0 && (entry.trace === null || entry.isForgotten)) this.#remove(id, entry)
    this.#evict()
  }

  /**
   * Forgets all traces of these projects. An operation that holds one fails with `storage_unavailable`, unless a later
   * version is put: it must not go on with one that may be old.
   */
  forget(isOf: ProjectFilter): void {
    for (const [id, entry] of this.#entries) {
      const { trace, loading } = entry
      if (![...loading.keys(), ...(trace === null ? [] : [trace.projectId])].some(isOf)) continue
      this.#forgetTree(entry)
      if (entry.holders > 0) entry.isForgotten = true
      else this.#remove(id, entry)
    }
  }

  /** The latest committed version of a held trace. */
  current(id: TraceId): TraceRecord {
    const { trace = null, isForgotten = false } = this.#entries.get(id) ?? {}
    if (isForgotten) throw mayBeOld()
    if (trace === null) throw new Error(`trace ${id} is not held in memory`)
    return trace
  }

  /** The usage tree of a held trace, of any version of it. */
  usageTree(id: TraceId): UsageTree | null {
    return this.#entries.get(id)?.tree ?? null
  }

  /** Reads the usage tree of a held trace, once for all that need it. */
  async loadTree(id: TraceId): Promise<void> {
    const entry = this.#touch(id)
    const load = async () => {
      const tree = await this.#loadTree(this.current(id))
      // A commit that has its own tree may have come meanwhile.
      if (entry.tree?.version !== entry.trace?.version) this.putTrees([[id, tree]])
    }
    entry.loadingTree ??= load().finally(() => (entry.loadingTree = null))
    await entry.loadingTree
  }

  /** Ignores trees of traces that are not in memory. */
  putTrees(trees: readonly (readonly [TraceId, UsageTree])[]): void {
    for (const [id, tree] of trees) {
      const entry = this.#entries.get(id)
      if (!entry?.trace) continue
      this.#treeSteps += tree.size - entry.treeSteps
      entry.tree = tree
      entry.treeSteps = tree.size
    }
    this.#evict()
  }

  /** Stores the versions of a durable commit, of this or another writer. */
  put(traces: readonly TraceRecord[]): void {
    for (const trace of traces) {
      const entry = this.#touch(trace.id)
      this.#set(entry, trace)
      entry.isForgotten = false
    }
    this.#evict()
  }

  #touch(id: TraceId): Entry {
    const known = this.#entries.get(id)
    if (known !== undefined) {
      this.#entries.delete(id)
      this.#entries.set(id, known)
      return known
    }
    const entry: Entry = {
      trace: null,
      tree: null,
      treeSteps: 0,
      loadingTree: null,
      bytes: 0,
      holders: 0,
      isForgotten: false,
      loading: new Map(),
    }
    this.#entries.set(id, entry)
    return entry
  }

  async #fill(projectId: ProjectId, id: TraceId, entry: Entry): Promise<void> {
    try {
      const trace = await this.#loads.find(projectId, id)
      if (trace !== undefined && (entry.trace === null || entry.trace.version < trace.version)) this.#set(entry, trace)
    } finally {
      entry.loading.delete(projectId)
    }
  }

  #set(entry: Entry, trace: TraceRecord): void {
    this.#bytes -= entry.bytes
    // A slice of a request body would keep the whole body alive.
    if (entry.trace !== trace) entry.trace = { ...trace, metadata: Buffer.from(trace.metadata) }
    entry.bytes = sizeOf(trace)
    this.#bytes += entry.bytes
  }

  #remove(id: TraceId, { bytes }: Entry): void {
    this.#entries.delete(id)
    this.#bytes -= bytes
  }

  #forgetTree(entry: Entry): void {
    this.#treeSteps -= entry.treeSteps
    entry.tree = null
    entry.treeSteps = 0
  }

  #evict(): void {
    for (const [id, entry] of this.#entries) {
      const isFull = this.#bytes > this.#maxBytes
      if (!isFull && this.#treeSteps <= MOST_TREE_STEPS) return
      if (entry.holders > 0) continue
      this.#forgetTree(entry)
      if (isFull) this.#remove(id, entry)
    }
  }
}

function mayBeOld(): DomainError {
  return new DomainError('storage_unavailable', 'This node has just taken over the project; send the request again.', {
    retryAfterSeconds: 1,
  })
}

/** Approximate memory of a record, bytes. */
function sizeOf(trace: TraceRecord): number {
  let bytes = 1000 + trace.metadata.length + trace.name.length * 2
  for (const model of trace.models) bytes += model.length * 2 + 32
  bytes += digestBytes(trace.digest)
  return bytes
}

function digestBytes(digest: TraceDigest): number {
  const said = [digest.input?.text, digest.output?.text, digest.error?.text, ...digest.errorTypes]
  const texts = said.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  return (digest.usage ?? []).reduce((sum, { model }) => sum + model.length * 2 + 200, texts * 2 + 200)
}
