import { isIP } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { buildConnector, Pool } from 'undici'
import {
  type AnswerHead,
  type NodeClient,
  type NodeRequest,
  NotReachedError,
  type OtherNode,
} from '../ports/nodes/nodes.ts'

/** Nodes are near one another. Until a connection has failed, requests for its node wait for it. */
const CONNECT_MS = 1000

/** Kept connections, each for one request at a time: a long stream of lines does not hold up others. */
export class UndiciNodeClient implements NodeClient {
  readonly #connect: buildConnector.connector
  /** By holders: a process that follows another one at its address has connections of its own. */
  readonly #pools = new Map<string, Pool>()

  /** @param ca certificates (PEM) of the authorities for addresses with https; null: those that Node knows */
  constructor(ca: readonly string[] | null) {
    const connect = buildConnector({ timeout: CONNECT_MS, ...(ca === null ? {} : { ca: [...ca] }) })
    this.#connect = (target, callback) =>
      // Else the name in the certificate would have to be the one of the client's Host header.
      connect({ ...target, servername: isIP(target.hostname) === 0 ? target.hostname : '' }, (...[error, socket]) => {
        if (error === null) callback(null, socket)
        else callback(new NotReachedError(error.message, { cause: error }), null)
      })
  }

  async send(node: OtherNode, request: NodeRequest, begin: (head: AnswerHead) => Writable): Promise<void> {
    const { method, path, headers, body } = request
    // undici reads any iterable; its types do not say so.
    const sent = { method: method as 'POST', path, headers: [...headers], body: body as unknown as Readable | null }
    await this.#poolOf(node).stream(sent, ({ statusCode: status, headers: answered }) =>
      begin({ status, headers: answered }),
    )
  }

  /** Requests that are under way go on. */
  leave({ holder }: OtherNode): void {
    void this.#take(holder)?.close()
  }

  /** Requests that are under way fail: the node may never answer them. */
  abandon({ holder, address }: OtherNode): void {
    void this.#take(holder)?.destroy(new Error(`the node at ${address} has not renewed its place among the nodes`))
  }

  close(): void {
    for (const holder of this.#pools.keys()) void this.#take(holder)?.close()
  }

  #take(holder: string): Pool | undefined {
    const pool = this.#pools.get(holder)
    this.#pools.delete(holder)
    return pool
  }

  #poolOf({ holder, address }: OtherNode): Pool {
    const known = this.#pools.get(holder)
    if (known !== undefined) return known
    // The client and the other node limit the time of bodies and answers.
    const pool = new Pool(address, { connect: this.#connect, headersTimeout: 0, bodyTimeout: 0, allowH2: false })
    this.#pools.set(holder, pool)
    return pool
  }
}
