import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { MemoryClusterData } from './memory-cluster-data.test-support.ts'
import type { StoredVector, VectorMemory } from '../vector-memory.ts'

/** For tests: vectors in a map. */
export class MemoryVectorMemory implements VectorMemory {
  readonly #data: MemoryClusterData

  constructor(data: MemoryClusterData) {
    this.#data = data
  }

  async dimension(projectId: ProjectId, source: string): Promise<number | null> {
    const own = [...this.#data.vectors].filter(([key, vector]) => key.startsWith(projectId) && vector.source === source)
    return own.find(([, { dimension }]) => dimension > 0)?.[1].dimension ?? null
  }

  async lacking(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): Promise<readonly TraceId[]> {
    const texts = await this.texts(projectId, traceIds)
    const vectors = await this.read(projectId, source, traceIds)
    return traceIds.filter((_, index) => texts[index] !== undefined && vectors[index] === undefined)
  }

  async texts(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]> {
    return traceIds.map((id) => this.#data.features.get(`${projectId} ${id}`)?.text ?? undefined)
  }

  async known(projectId: ProjectId, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(keys.filter((key) => this.#data.vectors.has(`${projectId} ${key}`)))
  }

  async put(
    projectId: ProjectId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): Promise<void> {
    for (const vector of vectors) {
      const name = `${projectId} ${vector.key}`
      if (!this.#data.vectors.has(name)) this.#data.vectors.set(name, { ...vector, source })
    }
    for (const { traceId, key } of traces) {
      const kept = this.#data.features.get(`${projectId} ${traceId}`)
      if (kept !== undefined) this.#data.features.set(`${projectId} ${traceId}`, { ...kept, key })
    }
  }

  async read(
    projectId: ProjectId,
    source: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return traceIds.map((id) => {
      const key = this.#data.features.get(`${projectId} ${id}`)?.key ?? null
      const vector = key === null ? undefined : this.#data.vectors.get(`${projectId} ${key}`)
      return vector?.source === source ? vector.bytes : undefined
    })
  }
}
