import { backoffDelayMs } from '../../lib/time/backoff.ts'
import type { SplitLine } from '../../lib/lines/ndjson.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { FlowLimit } from './flow-limit.ts'
import { ImportCounts, type LinePlace } from './import-counts.ts'
import { needsLines } from './line-request.ts'
import type { SendTrace } from './send-trace.ts'

/** A line to send, or one that cannot be sent. `file`: the file that it is of, if there are several. */
export type InputLine = (
  SplitLine | { readonly kind: 'refused'; readonly number: number; readonly code: string; readonly detail: string }
) & { readonly file?: string }

export interface ImportRequest {
  readonly lines: AsyncIterable<InputLine>
  /**
   * Called when no more lines are wanted, also while the source is being awaited: the source MUST then end, with or
   * without an error.
   */
  readonly closeLines: () => void
  readonly maxLineBytes: number
  readonly concurrency: number
  /** The import stops when no line has got a result for this long. */
  readonly patienceMs: number
  /** When aborted, no new line is started and waits end, but requests in flight are answered. */
  readonly stop: AbortSignal
  /** When aborted, requests in flight are cancelled as well. */
  readonly abandon: AbortSignal
}

export interface ImportDependencies {
  readonly send: SendTrace
  readonly keyOf: (line: Buffer) => string
  readonly timers: Timers
  /** In [0, 1). */
  readonly random: () => number
}

export interface RunningImport {
  readonly counts: ImportCounts
  /** Why lines are being retried at the moment, or null. */
  readonly trouble: string | null
  /** Resolves when every line has a result or the import has stopped; with the reason if it stopped by itself. */
  readonly finished: Promise<string | null>
}

/** Bytes of lines in flight: two of the longest, or many of the usual size. */
const MAX_BYTES_UNDER_WAY = 32 * 1024 * 1024
const BACKOFF = { firstMs: 200, maxMs: 5000 }
/**
 * An internal error of the service may be caused by this very line. After this many tries, the line counts as refused,
 * so that the others continue.
 */
const TRIES_OF_A_BROKEN_LINE = 4
/** If the service requests a longer wait, the request is repeated after this time: the service may be back sooner. */
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Commits each line as a trace, or sends records of a recorder, several at a time, each until it has a result.
 * Temporary failures are retried with the same idempotency key, so that a line counts once however often it was sent.
 * Memory: the lines in flight.
 */
export function importTraces(request: ImportRequest, dependencies: ImportDependencies): RunningImport {
  return new TraceImport(request, dependencies)
}

class TraceImport implements RunningImport {
  readonly counts = new ImportCounts()
  readonly finished: Promise<string | null>
  readonly #request: ImportRequest
  readonly #dependencies: ImportDependencies
  readonly #flow: FlowLimit
  readonly #failed = new AbortController()
  readonly #halted: AbortSignal
  #lastVerdictAt: number
  #trouble: string | null = null
  #failure: string | null = null

  constructor(request: ImportRequest, dependencies: ImportDependencies) {
    this.#request = request
    this.#dependencies = dependencies
    this.#flow = new FlowLimit(request.concurrency, MAX_BYTES_UNDER_WAY)
    this.#halted = AbortSignal.any([request.stop, this.#failed.signal])
    this.#halted.addEventListener('abort', () => request.closeLines(), { once: true })
    this.#lastVerdictAt = dependencies.timers.now()
    this.finished = this.#run()
  }

  get trouble(): string | null {
    return this.#trouble
  }

  async #run(): Promise<string | null> {
    try {
      await this.#sendAll()
    } catch (error) {
      // A source that was closed on purpose may report that as an error.
      if (this.#halted.aborted) return this.#failure
      if (!isSystemError(error)) throw error
      this.#failure = `the input could not be read: ${error.message}`
    } finally {
      await this.#flow.idle()
    }
    return this.#failure
  }

  async #sendAll(): Promise<void> {
    let othersUnderWay = false
    for await (const line of this.#request.lines) {
      const place = { line: line.number, ...(line.file === undefined ? {} : { file: line.file }) }
      if (line.kind !== 'line') {
        const tooLarge = `The line is longer than ${this.#request.maxLineBytes} bytes.`
        const { code, detail } = line.kind === 'refused' ? line : { code: 'line_too_large', detail: tooLarge }
        this.counts.refuse({ ...place, code, detail })
        continue
      }
      const needs = needsLines(line.bytes)
      // Its trace may be in a line before it that is still under way.
      if (needs === 'all' || (needs === 'others' && othersUnderWay)) await this.#flow.idle()
      othersUnderWay = needs !== 'others'
      // Keys are assigned in the order of the file, whatever the results of the lines.
      const key = this.#dependencies.keyOf(line.bytes)
      await this.#flow.take(line.bytes.length)
      if (this.#halted.aborted) {
        this.#flow.release(line.bytes.length)
        return
      }
      void this.#settle(place, line.bytes, key)
    }
  }

  async #settle(place: LinePlace, bytes: Buffer, key: string): Promise<void> {
    this.counts.unsettled += 1
    try {
      for (let attempt = 1; !(await this.#try(place, bytes, key, attempt)); attempt++) {
        if (this.#halted.aborted) return
      }
      this.counts.unsettled -= 1
      this.counts.bytes += bytes.length + 1
    } finally {
      this.#flow.release(bytes.length)
    }
  }

  /** @returns whether the line has its result */
  async #try(place: LinePlace, bytes: Buffer, key: string, attempt: number): Promise<boolean> {
    const outcome = await this.#dependencies.send(bytes, key, this.#request.abandon)
    switch (outcome.kind) {
      case 'committed':
      case 'replayed':
        this.counts[outcome.kind] += 1
        if (outcome.change !== undefined) this.counts.change({ ...place, ...outcome.change })
        return this.#gotThrough()
      case 'refused':
        this.counts.refuse({ ...place, code: outcome.code, detail: outcome.detail })
        return this.#gotThrough()
      case 'fatal':
        this.#fail(outcome.reason)
        return false
      case 'broken':
        this.#trouble = `${outcome.code}: ${outcome.detail}`
        if (attempt < TRIES_OF_A_BROKEN_LINE) return this.#pause(0, attempt)
        this.counts.refuse({ ...place, code: outcome.code, detail: outcome.detail })
        return this.#gotThrough()
      case 'unavailable':
        this.#trouble = outcome.reason
        return this.#pause(outcome.retryAfterMs, attempt)
    }
  }

  #gotThrough(): true {
    this.#lastVerdictAt = this.#dependencies.timers.now()
    this.#trouble = null
    return true
  }

  async #pause(retryAfterMs: number, attempt: number): Promise<false> {
    const { timers, random } = this.#dependencies
    if (timers.now() - this.#lastVerdictAt >= this.#request.patienceMs) {
      this.#fail(`nothing got through for ${Math.round(this.#request.patienceMs / 1000)} s. ${this.#trouble}`)
      return false
    }
    const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
    const delayMs = Math.max(asked, backoffDelayMs(BACKOFF, attempt, random()))
    await waitUnlessAborted(timers, delayMs, this.#halted)
    return false
  }

  #fail(reason: string): void {
    this.#failure ??= reason
    this.#failed.abort()
  }
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

async function waitUnlessAborted(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = timers.after(delayMs, resolve)
  const wake = () => resolve()
  signal.addEventListener('abort', wake, { once: true })
  await promise
  signal.removeEventListener('abort', wake)
  cancel()
}
