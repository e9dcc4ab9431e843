import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { GatheredLookUps } from './gathered-look-ups.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/** Newest versions of these traces, distinct ones, as far as the project has them. */
type LoadTraces = (projectId: ProjectId, ids: readonly TraceId[]) => Promise<readonly TraceRecord[]>

interface Entry {
  trace: TraceRecord | null
  bytes: number
  /** Operations under way that need the entry: it is not evicted while there are any. */
  holders: number
  /**
   * Loads under way by the project that asks: one that asks for another's trace finds nothing, which says nothing to
   * the owner.
   */
  readonly loading: Map<ProjectId, Promise<void>>
}

/**
 * Newest committed versions of the traces that are being written to, bounded by bytes, the least recently used leaving
 * first.
 *
 * A holder is sure to see every commit made since it asked: a version that a load brings never replaces a newer one,
 * and held entries stay.
 */
export class TraceCache {
  readonly #entries = new Map<TraceId, Entry>()
  readonly #maxBytes: number
  readonly #loads: GatheredLookUps<TraceId, TraceRecord | undefined>
  #bytes = 0

  constructor(maxBytes: number, load: LoadTraces) {
    this.#maxBytes = maxBytes
    this.#loads = new GatheredLookUps(async (projectId, ids) => {
      const traces = new Map((await load(projectId, ids)).map((trace) => [trace.id, trace]))
      return (id) => traces.get(id)
    })
  }

  /** Holds the trace in memory until `release`. Null when the project has no such trace; then nothing is held. */
  async hold(projectId: ProjectId, id: TraceId): Promise<TraceRecord | null> {
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
    if (trace === null || trace.projectId !== projectId || trace.deleted) {
      this.release(id)
      return null
    }
    return trace
  }

  release(id: TraceId): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    entry.holders -= 1
    if (entry.holders === 0 && entry.trace === null) this.#entries.delete(id)
    this.#evict()
  }

  /** The newest committed version of a held trace. */
  current(id: TraceId): TraceRecord {
    const trace = this.#entries.get(id)?.trace
    if (!trace) throw new Error(`trace ${id} is not held in memory`)
    return trace
  }

  /** Takes the versions of a commit that is durable. */
  put(traces: readonly TraceRecord[]): void {
    for (const trace of traces) this.#set(this.#touch(trace.id), trace)
    this.#evict()
  }

  /** Loads held traces again: somebody else may have committed to them. */
  async refreshHeld(): Promise<void> {
    const held = [...this.#entries].filter(([, { holders, trace }]) => holders > 0 && trace !== null)
    await Promise.all(held.map(([id, entry]) => this.#fill((entry.trace as TraceRecord).projectId, id, entry)))
  }

  #touch(id: TraceId): Entry {
    const known = this.#entries.get(id)
    if (known !== undefined) {
      this.#entries.delete(id)
      this.#entries.set(id, known)
      return known
    }
    const entry: Entry = { trace: null, bytes: 0, holders: 0, loading: new Map() }
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
    // A slice of a request's body would keep the whole body alive.
    entry.trace = { ...trace, metadata: Buffer.from(trace.metadata) }
    entry.bytes = sizeOf(trace)
    this.#bytes += entry.bytes
  }

  #evict(): void {
    if (this.#bytes <= this.#maxBytes) return
    for (const [id, entry] of this.#entries) {
      if (entry.holders > 0) continue
      this.#entries.delete(id)
      this.#bytes -= entry.bytes
      if (this.#bytes <= this.#maxBytes) return
    }
  }
}

/** About what a record holds on to, bytes. */
function sizeOf(trace: TraceRecord): number {
  let bytes = 1000 + trace.metadata.length + trace.name.length * 2
  for (const model of trace.models) bytes += model.length * 2 + 32
  return bytes
}
