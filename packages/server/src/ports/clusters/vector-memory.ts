import type { ProjectId, TraceId } from '@spoor/contract/ids'

export interface StoredVector {
  /** 64 hex digits: SHA-256 of the source and the text. */
  readonly key: string
  /** How many numbers; 0 stands for the empty text, which has no vector. */
  readonly dimension: number
  /** As `encodeVector` has it; empty for the empty text. */
  readonly bytes: Uint8Array
}

/**
 * Vectors that an endpoint made of the texts of a project's traces, each kept while a trace has that text. Texts are
 * put by DiscoveryMemory.putFeatures. Guarantees as in DiscoveryMemory.
 */
export interface VectorMemory {
  /** Numbers in the vectors of the source; null while there is none but that of the empty text. */
  dimension(projectId: ProjectId, source: string): Promise<number | null>
  /** Those, in their order, that have a text but no vector of it by this source. */
  lacking(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): Promise<readonly TraceId[]>
  /** Undefined of a trace that is not there or was kept without one. */
  texts(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]>
  /** Those of which there is a vector. */
  known(projectId: ProjectId, keys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Keeps vectors and says of traces which is theirs, all in one transaction. A vector that is known stays as it was; a
   * trace that is not there is passed over.
   */
  put(
    projectId: ProjectId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): Promise<void>
  /** As they were put; undefined where there is none by this source. */
  read(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): Promise<readonly (Uint8Array | undefined)[]>
}
