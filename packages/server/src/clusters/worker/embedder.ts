import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import type { StoredBasis } from '../../ports/clusters/discovery-memory.ts'
import type { Matrix } from '@spoor/clustering/matrix'
import type { KeepRequest } from './messages.ts'

/** Embeds traces: the built-in embedding or an endpoint. A process has one from its start to its end. */
export interface Embedder {
  /** Whether traces are stored with the text that it embeds. */
  readonly needsText: boolean
  /** Traces that need a request before they have a vector. */
  lacking(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly TraceId[]>
  /** Requests and stores the vectors. Rejects with EndpointFailure. */
  ask(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<void>
  /**
   * The current view of the project's traces while it fits the traces to embed, else a newly fitted one. `traceIds` are
   * ascending and lack no vectors; `former` are the traces of the last run, which a new view must embed as well.
   */
  viewFor(setId: ClusterSetId, traceIds: readonly TraceId[], former: readonly TraceId[]): Promise<View>
  /** The view of a run; null when it no longer exists. */
  viewOf(setId: ClusterSetId, embedderVersion: string): Promise<View | null>
}

/** How a project's traces become vectors, with a name: vectors of two views cannot be compared. */
export interface View {
  readonly embedderVersion: string
  /** Set when it was fitted now and must be stored. */
  readonly stored: StoredBasis | null
  /** Traces without stored data are left out: they are deleted. */
  embed(traceIds: readonly TraceId[], onShare?: (share: number) => void): Promise<TraceEmbeddings>
  /**
   * Embeds traces by their steps; what `embed` needs need not be stored. Rejects with EndpointFailure when an endpoint
   * does not answer at the first attempt.
   */
  embedNew(request: KeepRequest): Promise<Pick<TraceEmbeddings, 'points' | 'traceIds'>>
}

export interface TraceEmbeddings {
  /** Unit rows. */
  readonly points: Matrix
  readonly traceIds: readonly TraceId[]
  /** The index of each trace in the request. */
  readonly places: Uint32Array
}
