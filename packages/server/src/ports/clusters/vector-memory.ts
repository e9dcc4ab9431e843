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
 * Vectors that an endpoint made of the texts of a project's traces, for as long as a trace has that text. As DiscoveryMemory: of the worker alone, synchronous, and made again when it is lost.
 */
export interface VectorMemory {
  /** Numbers in the vectors of the source; null while there is none. */
  dimension(projectId: ProjectId, source: string): number | null
  /** Those that have a text but no vector of it by this source. */
  lacking(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): readonly TraceId[]
  /** Undefined of a trace that is not there or was kept without one. */
  texts(projectId: ProjectId, traceIds: readonly TraceId[]): readonly (string | undefined)[]
  /** Those that are there. */
  known(projectId: ProjectId, keys: readonly string[]): ReadonlySet<string>
  /** Keeps vectors and says of traces which is theirs, all in one transaction. */
  put(
    projectId: ProjectId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): void
  /** As they were put; undefined where there is none by this source. */
  read(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): readonly (Uint8Array | undefined)[]
}
