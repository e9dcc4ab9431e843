import { isIP } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { buildConnector, Pool } from 'undici'
import type { Timers } from '../lib/time/timers.ts'
import {
  type AnswerHead,
  type NodeClient,
  type NodeRequest,
  NodeSilentError,
  NotReachedError,
  type OtherNode,
} from '../ports/nodes/nodes.ts'

/** Nodes are near one another. Until a connection has failed, requests for its node wait for it. */
const CONNECT_MS = 1000
/** While a request waits for the head of its answer, its node is probed: it may hang and keep its place in the list. */
const PROBE_EVERY_MS = 3000
const PROBE_MS = 2000
const MOST_MISSES = 2

/** What is kept of a node. */
interface Link {
  readonly pool: Pool
  /** One for each request that waits for the head of its answer. */
  readonly waiters: Set<object>
  /** Consecutive probes without an answer. */
  misses: number
  endProbes: () => void
}

/** Kept connections, each for one request at a time: a long stream of lines does not hold up others. */
export class UndiciNodeClient implements NodeClient {
  readonly #connect: buildConnector.connector
  readonly #timers: Timers
  /** By holders: a process that follows another one at its address has connections of its own. */
  readonly #links = new Map<string, Link>()
  /** Holders that did not answer the last probe. */
  readonly #silent = new Set<string>()

  /** @param ca certificates (PEM) of the authorities for addresses with https; null: those that Node knows */
  constructor(ca: readonly string[] | null, timers: Timers) {
    this.#timers = timers
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
    const link = this.#linkTo(node)
    if (this.#silent.has(node.holder)) {
      if (!(await this.#answers(link))) throw new NotReachedError(silence(node))
      this.#silent.delete(node.holder)
    }
    const endWait = this.#wait(node, link)
    try {
      await link.pool.stream(sent, ({ statusCode: status, headers: answered }) => {
        endWait()
        return begin({ status, headers: answered })
      })
    } finally {
      endWait()
    }
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
    for (const holder of this.#links.keys()) void this.#take(holder)?.close()
  }

  #take(holder: string): Pool | undefined {
    const link = this.#links.get(holder)
    this.#links.delete(holder)
    this.#silent.delete(holder)
    return link?.pool
  }

  #linkTo({ holder, address }: OtherNode): Link {
    const known = this.#links.get(holder)
    if (known !== undefined) return known
    // The client and the other node limit the time of bodies and answers.
    const pool = new Pool(address, { connect: this.#connect, headersTimeout: 0, bodyTimeout: 0, allowH2: false })
    const link: Link = { pool, waiters: new Set(), misses: 0, endProbes: () => undefined }
    this.#links.set(holder, link)
    return link
  }

  /** Probes the node until each waiting request has called the returned function. */
  #wait(node: OtherNode, link: Link): () => void {
    const waiter = {}
    if (link.waiters.size === 0) {
      link.misses = 0
      link.endProbes = this.#timers.every(PROBE_EVERY_MS, () => void this.#probe(node, link))
    }
    link.waiters.add(waiter)
    return () => {
      link.waiters.delete(waiter)
      if (link.waiters.size === 0) link.endProbes()
    }
  }

  async #probe(node: OtherNode, link: Link): Promise<void> {
    link.misses = (await this.#answers(link)) ? 0 : link.misses + 1
    if (link.misses < MOST_MISSES || link.waiters.size === 0) return
    this.#links.delete(node.holder)
    this.#silent.add(node.holder)
    await link.pool.destroy(new NodeSilentError(silence(node)))
  }

  /** A node that closes the connection is alive: it may have too many. */
  async #answers({ pool }: Link): Promise<boolean> {
    const late = new AbortController()
    const cancel = this.#timers.after(PROBE_MS, () => late.abort())
    try {
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/healthz', signal: late.signal })
      await body.dump()
      return statusCode < 500
    } catch (error) {
      return !late.signal.aborted && !(error instanceof NotReachedError)
    } finally {
      cancel()
    }
  }
}

function silence({ address }: OtherNode): string {
  return `the node at ${address} does not answer`
}
