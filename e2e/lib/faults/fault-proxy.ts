import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { CommitRecognizer } from './commit-recognizer.ts'

/**
 * What happens to a connection whose client commits: the server never gets it, or its answer is lost, or the client
 * loses the connection and the server gets the commit a while later.
 */
export type CommitCut = 'unsent' | 'unanswered' | 'late'

/** How late the server gets the commit. */
const LATE_MS = 150

/** A TCP proxy in front of a part, which makes that part fail on command. */
export class FaultProxy implements AsyncDisposable {
  /** Delays each chunk in both directions. */
  latencyMs = 0
  /** Closes new connections at once, as a part that does not run. */
  refuses = false
  /** Accepts connections and lets no byte through, as a part that hangs. Bytes that waited go on after it. */
  hangs = false
  /** Cuts each connection after this many bytes of the server's, counted from its last request; null cuts none. */
  answerBytes: number | null = null
  readonly port: number
  readonly #target: { readonly host: string; readonly port: number }
  readonly #server: Server
  readonly #links = new Set<Link>()
  readonly #commitCuts: CommitCut[] = []
  readonly #commits = new CommitRecognizer()
  #cutCommits = 0

  private constructor(server: Server, target: { readonly host: string; readonly port: number }) {
    this.#server = server
    this.#target = target
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (client) => this.#accept(client))
  }

  /** On a free port of loopback, before the host and port of `url`. */
  static async before(url: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(url)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FaultProxy(server, { host: hostname, port: Number(port) })
  }

  /** The same URL with the proxy's host and port. */
  through(url: string): string {
    const changed = new URL(url)
    changed.host = `127.0.0.1:${this.port}`
    return changed.href
  }

  /** Connections that were cut at a commit. */
  get cutCommits(): number {
    return this.#cutCommits
  }

  /** Cuts the next connection that commits in PostgreSQL; repeated calls queue. */
  cutNextCommit(how: CommitCut): void {
    this.#commitCuts.push(how)
  }

  /** Resets all open connections. */
  cutAll(): void {
    for (const link of this.#links) link.cut()
  }

  /** Back to health. Open connections stay. */
  heal(): void {
    this.latencyMs = 0
    this.refuses = false
    this.hangs = false
    this.answerBytes = null
    this.#commitCuts.length = 0
  }

  #accept(client: Socket): void {
    if (this.refuses) {
      client.resetAndDestroy()
      return
    }
    const server = connect(this.#target)
    const link = new Link(this, client, server, (chunk) => {
      const cut = this.#commits.isCommit(chunk) ? this.#commitCuts.shift() : undefined
      if (cut !== undefined) this.#cutCommits += 1
      return cut
    })
    this.#links.add(link)
    server.once('close', () => this.#links.delete(link))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cutAll()
    await closed
  }
}

/** One connection of a client, and that to the server behind it. */
class Link {
  readonly #faults: FaultProxy
  readonly #client: Socket
  readonly #server: Socket
  /** Bytes of the server since the client sent anything. */
  #answered = 0
  #losesAnswer = false
  /** The client has lost the connection, and the server will get its last bytes. */
  #isLate = false

  constructor(faults: FaultProxy, client: Socket, server: Socket, cutOf: (chunk: Buffer) => CommitCut | undefined) {
    this.#faults = faults
    this.#client = client
    this.#server = server
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => this.#end())
      socket.on('close', () => this.#end())
    }
    void this.#carry(client, (chunk) => {
      this.#answered = 0
      const cut = cutOf(chunk)
      if (cut === 'unsent') return this.cut()
      this.#losesAnswer ||= cut !== undefined
      if (cut === 'late') return this.#sendLate(chunk)
      server.write(chunk)
    })
    void this.#carry(server, (chunk) => {
      const { answerBytes } = faults
      // The transaction has committed before its answer is sent.
      if (this.#losesAnswer) return this.cut()
      const rest = answerBytes === null ? Infinity : Math.max(answerBytes - this.#answered, 0)
      this.#answered += chunk.length
      if (chunk.length <= rest) return void client.write(chunk)
      client.write(chunk.subarray(0, rest), () => this.cut())
    })
  }

  cut(): void {
    for (const socket of [this.#client, this.#server]) if (!socket.destroyed) socket.resetAndDestroy()
  }

  #sendLate(chunk: Buffer): void {
    this.#isLate = true
    this.#client.resetAndDestroy()
    setTimeout(() => {
      this.#isLate = false
      if (!this.#server.destroyed) this.#server.write(chunk)
    }, LATE_MS)
  }

  /** A side has ended, and so does the other. */
  #end(): void {
    if (!this.#isLate) this.cut()
  }

  /** Passes each chunk on in order, later when the proxy is slow or hangs. */
  async #carry(from: Socket, pass: (chunk: Buffer) => void): Promise<void> {
    try {
      for await (const chunk of from) {
        const { latencyMs } = this.#faults
        if (latencyMs > 0) await pause(latencyMs)
        while (this.#faults.hangs && !from.destroyed) await pause(20)
        if (this.#client.destroyed || this.#server.destroyed) this.#end()
        else pass(chunk as Buffer)
      }
    } catch {
      // A reset of either side; the other is closed below.
    }
    this.#end()
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
