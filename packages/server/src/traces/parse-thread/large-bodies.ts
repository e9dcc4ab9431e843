import type { ProjectId } from '@spoor/contract/ids'
import type { Masking } from '@spoor/contract/schemas/masking'
import type { Limits } from '@spoor/contract/limits'
import { Lanes } from '../../lib/flow/lanes.ts'
import { memoryOf } from '../../lib/flow/passing-bytes.ts'
import { type Outcome, refused, valueOf } from '../../lib/validation/refusal.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { type MissingMedia, NONE_MISSING } from '../intake/linkable-media.ts'
import type { PreparedExport, PreparedSpan, PreparedStep, PreparedTrace } from '../../ports/traces/prepared.ts'
import type { TraceForm } from '../intake/parse-trace.ts'
import type { SpanForm } from '../otlp/otlp-encoding.ts'
import type { FromThread, Holds, Item, PackedItem, PackedStep, Rest, ToThread } from './messages.ts'

/** A thread that sends one reply to each message. */
export interface ParseThread {
  /** Rejects when the thread ends before it has replied. */
  exchange(message: ToThread, transferred?: readonly ArrayBuffer[]): Promise<FromThread>
  end(): Promise<void>
}

export interface LargeBodiesDependencies {
  readonly startThread: () => ParseThread
  readonly timers: Timers
  readonly limits: Limits
  /** Resolves in the next turn of the event loop. */
  readonly nextTurn: () => Promise<void>
}

export interface LargeBody {
  readonly projectId: ProjectId
  /** Transferred to the thread: nobody may read it afterwards. */
  readonly bytes: Buffer
  readonly missing: MissingMedia
  /** What the thread masks; null: nothing. */
  readonly masking: Masking | null
}

/**
 * Bodies and lines of at least this many bytes go to the thread. The slowest text (Thai) takes about 7 ms to parse at
 * this length. The body of an ordinary trace with ten steps has 10 to 20 KB and is not worth the transfer.
 */
export const LARGE_BODY_BYTES = 64 * 1024

/** The idle thread ends after this time: it holds tens of megabytes, after a large body hundreds. */
const IDLE_MS = 10_000
/** Uris of media looked up in one turn of the event loop. */
const LOOKED_UP_TOGETHER = 200

interface Parsed extends Rest {
  readonly items: readonly Item[]
}

interface Job {
  readonly holds: Holds
  readonly body: LargeBody
  readonly resolve: (parsed: Outcome<Parsed>) => void
  readonly reject: (error: unknown) => void
}

/** A longer body is decoded by the first thread alone, so only one of them is in memory as values. */
const LONG_BODY_BYTES = 1024 * 1024

/**
 * Parses large trace bodies, step lines and exports in two threads, each one at a time, projects in turn. Parsing 16 MB
 * takes up to seconds, which would block the event loop; meanwhile the second thread parses shorter bodies. A thread
 * starts when it gets a body. If it dies, the body that it was parsing fails, and its next body starts a new thread.
 */
export class LargeBodies {
  readonly #long = new Lanes<Job>()
  readonly #short = new Lanes<Job>()
  readonly #parsers: readonly BodyParser[]

  constructor(dependencies: LargeBodiesDependencies) {
    const next = () => this.#long.next() ?? this.#short.next()
    this.#parsers = [new BodyParser(dependencies, next), new BodyParser(dependencies, () => this.#short.next())]
  }

  /** Resolves and rejects as `parseTrace` returns and throws. */
  async parseTrace(body: LargeBody, holds: TraceForm): Promise<PreparedTrace> {
    const { trace, items } = valueOf(await this.#wait(holds, body))
    return { ...trace!, steps: items as readonly PreparedStep[] }
  }

  /** Resolves as `parseStep` returns. */
  async parseStep(line: LargeBody): Promise<Outcome<PreparedStep>> {
    const outcome = await this.#wait('step', line)
    return 'refusal' in outcome ? outcome : { value: outcome.value.items[0] as PreparedStep }
  }

  /** Resolves and rejects as `parseExport` returns and throws. */
  async parseExport(encoding: SpanForm, body: Omit<LargeBody, 'missing'>): Promise<PreparedExport> {
    const { items, media, rejected } = valueOf(await this.#wait(encoding, { ...body, missing: NONE_MISSING }))
    return { spans: items as readonly PreparedSpan[], media, rejected: rejected! }
  }

  #wait(holds: Holds, body: LargeBody): Promise<Outcome<Parsed>> {
    return new Promise((resolve, reject) => {
      const waiting = body.bytes.length > LONG_BODY_BYTES ? this.#long : this.#short
      waiting.add(body.projectId, { holds, body, resolve, reject })
      for (const parser of this.#parsers) void parser.run()
    })
  }

  /** Call it when nothing is being parsed. */
  async close(): Promise<void> {
    await Promise.all(this.#parsers.map((parser) => parser.close()))
  }
}

/** One of the threads. */
class BodyParser {
  readonly #dependencies: LargeBodiesDependencies
  readonly #next: () => Job | undefined
  #busy = false
  #thread: ParseThread | null = null
  #cancelIdle: () => void = () => undefined

  constructor(dependencies: LargeBodiesDependencies, next: () => Job | undefined) {
    this.#dependencies = dependencies
    this.#next = next
  }

  /** Parses what waits, unless it does so already. */
  async run(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      this.#cancelIdle()
      try {
        job.resolve(await this.#parse(job))
      } catch (error) {
        await this.#endThread()
        job.reject(error)
      }
      this.#cancelIdle = this.#dependencies.timers.after(IDLE_MS, () => void this.#endThread())
    }
    this.#busy = false
  }

  async close(): Promise<void> {
    this.#cancelIdle()
    await this.#endThread()
  }

  async #parse({ holds, body: { projectId, bytes, missing, masking } }: Job): Promise<Outcome<Parsed>> {
    const { startThread, limits } = this.#dependencies
    const thread = (this.#thread ??= startThread())
    let reply = await thread.exchange({ kind: 'parse', holds, bytes, projectId, limits, masking }, memoryOf(bytes))
    if (reply.kind === 'media') {
      reply = await thread.exchange({ kind: 'missing', uris: await this.#lookUp(reply.uris, missing) })
    }
    const items: Item[] = []
    while (reply.kind === 'steps') {
      for (const item of reply.items) items.push(unpack(item, reply.bodies))
      await this.#dependencies.nextTurn()
      reply = await thread.exchange({ kind: 'more' })
    }
    if (reply.kind === 'refused') return refused(reply.code, reply.detail, reply.errors)
    if (reply.kind !== 'parsed') throw unexpected(reply)
    const { trace, rejected, media } = reply
    return { value: { trace: trace && { ...trace, metadata: toBuffer(trace.metadata) }, rejected, media, items } }
  }

  async #lookUp(uris: readonly string[], missing: MissingMedia): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (let from = 0; from < uris.length; from += LOOKED_UP_TOGETHER) {
      for (const uri of await missing(uris.slice(from, from + LOOKED_UP_TOGETHER))) found.add(uri)
      await this.#dependencies.nextTurn()
    }
    return found
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.end()
  }
}

function unpack(item: PackedItem, bodies: Uint8Array): Item {
  const unpacked = (step: PackedStep) => ({ ...step, body: toBuffer(bodies.subarray(...step.body)) })
  return 'step' in item ? { ...item, step: unpacked(item.step) } : unpacked(item)
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function unexpected(reply: FromThread): Error {
  if (reply.kind === 'failed') return new Error(`the thread that parses large bodies failed: ${reply.stack}`)
  return new Error(`the thread that parses large bodies answered ${reply.kind}`)
}
