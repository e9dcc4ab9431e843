import type { Writable } from 'node:stream'
import type { ProjectId } from '@spoor/contract/ids'

/** Another node of this cluster. */
export interface OtherNode {
  /** Names its process. */
  readonly holder: string
  /** Where other nodes reach it: scheme, host and port. */
  readonly address: string
}

/** Which node commits for which project. */
export interface NodeDirectory {
  /**
   * Null: this one. Nodes may disagree for some seconds, while nodes come and go. That costs conflicts of commits and
   * nothing else.
   */
  ownerOf(projectId: ProjectId): OtherNode | null
  /**
   * Call it when the node could not be connected to, or hangs: until the list is read again, another one is chosen
   * instead.
   */
  setUnreachable(node: OtherNode): void
}

export interface NodeRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  /** It is read as the other node takes it. Null: none. */
  readonly body: AsyncIterable<Buffer> | null
}

export interface AnswerHead {
  readonly status: number
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The node could not be connected to: nothing was sent, and the body was not read. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError'
}

/** The node hangs, or the network to it. What it was sent may have been done. */
export class NodeSilentError extends Error {
  override readonly name = 'NodeSilentError'
}

/** Sends requests to other nodes. */
export interface NodeClient {
  /**
   * Writes the body of the answer into what `begin` returns, and ends it. Resolves when it has taken everything.
   * Rejects with NotReachedError, with NodeSilentError, with the error of the body, or with another one if the answer
   * did not come or broke off; then what `begin` returned is destroyed.
   */
  send(to: OtherNode, request: NodeRequest, begin: (head: AnswerHead) => Writable): Promise<void>
}

/** Of requests for other nodes: answered, not sent, or sent without a whole answer. */
type ForwardOutcome = 'answered' | 'unreachable' | 'unknown'

/** The other nodes of a cluster, and the key that all of them have. */
export interface Forwarding {
  readonly nodes: NodeDirectory
  readonly client: NodeClient
  readonly key: Uint8Array
  /** Counted by the Forwarder. */
  readonly outcomes: Record<ForwardOutcome, number>
}

export function noOutcomes(): Forwarding['outcomes'] {
  return { answered: 0, unreachable: 0, unknown: 0 }
}
