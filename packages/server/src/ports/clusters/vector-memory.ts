import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'

export interface StoredVector {
  /** 64 hex digits: SHA-256 of the source and the text. */
  readonly key: string
  /** Number of components; 0 for the empty text, which has no vector. */
  readonly dimension: number
  /** As encoded by `encodeVector`; empty for the empty text. */
  readonly bytes: Uint8Array
}

/**
 * Vectors by an endpoint for the texts of a project's traces, each stored while a trace has that text.
 * DiscoveryMemory.putFeatures stores the texts. Guarantees as in DiscoveryMemory.
 */
export interface VectorMemory {
  /** Number of components of the source's vectors; null while there is none but that of the empty text. */
  dimension(setId: ClusterSetId, source: string): Promise<number | null>
  /** Returns those traces, in their order, that have a text but no vector of it by this source. */
  lacking(setId: ClusterSetId, source: string, traceIds: readonly TraceId[]): Promise<readonly TraceId[]>
  /** Undefined for a trace that does not exist or has no text. */
  texts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]>
  /** Returns those keys that have a vector. */
  known(setId: ClusterSetId, keys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Stores vectors and assigns them to traces, in one transaction. A stored vector stays as it was; a trace that does
   * not exist is ignored.
   */
  put(
    setId: ClusterSetId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): Promise<void>
  /** As stored; undefined without a vector by this source. */
  read(setId: ClusterSetId, source: string, traceIds: readonly TraceId[]): Promise<readonly (Uint8Array | undefined)[]>
}
