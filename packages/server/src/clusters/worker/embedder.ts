import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { StoredBasis } from '../../ports/clusters/discovery-memory.ts'
import type { Tries } from '@spoor/clustering/embedding/text-embedder'
import type { Matrix } from '@spoor/clustering/matrix'

/**
 * What makes vectors of traces: the built-in embedding, or an endpoint. One of a process, from its start to its end.
 */
export interface Embedder {
  /** Whether traces are to be kept with the text that it embeds. */
  readonly needsText: boolean
  /** Those of which something is to be asked for before they have a vector. */
  lacking(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<readonly TraceId[]>
  /** Asks for it and keeps it. Rejects with EndpointFailure. */
  ask(projectId: ProjectId, traceIds: readonly TraceId[], tries: Tries): Promise<void>
  /**
   * How the project's traces are seen: as before, as long as that fits what is to be embedded, else fitted anew.
   * `traceIds` ascending, lacking nothing; `former` are those of the last run, which a new view must see as well.
   */
  viewFor(projectId: ProjectId, traceIds: readonly TraceId[], former: readonly TraceId[]): Promise<View>
  /** How a run saw them; null when that is not there any more. */
  viewOf(projectId: ProjectId, embedderVersion: string): Promise<View | null>
}

/** A way of seeing a project's traces, under a name of its own: vectors of two views cannot be compared. */
export interface View {
  readonly embedderVersion: string
  /** To be kept when it was fitted now. */
  readonly stored: StoredBasis | null
  /** Traces of which nothing is kept are left out: they are gone. */
  embed(traceIds: readonly TraceId[], onShare?: (share: number) => void): Promise<TraceEmbeddings>
}

export interface TraceEmbeddings {
  /** Unit rows. */
  readonly points: Matrix
  readonly traceIds: readonly TraceId[]
  /** The place of each in what was asked for. */
  readonly places: Uint32Array
}
