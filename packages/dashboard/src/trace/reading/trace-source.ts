import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { ApiError, asApiError } from '../../api/client/api-error.ts'
import { openTrace, readStepPage } from '../../api/trace.ts'
import { appendBatch, emptyBatch, type StepBatch } from '../model/step-batch.ts'
import type { Turn } from '../../conversation/turn.ts'
import { Listeners } from '../../lib/listeners.ts'
import { shownTraces } from '../../lib/shown-traces.ts'
import { parseExactJson } from '@spoor/payloads/exact-json'
import type { Exchange } from '../model/exchange.ts'
import type { TraceHead } from './trace-head.ts'
import type { ArchiveReads, WorkerMessage, WorkerRequest } from './worker-messages.ts'

export interface TraceSnapshot {
  readonly head: TraceHead | null
  /** Grows in place; the first `count` steps belong to this snapshot. */
  readonly steps: StepBatch
  readonly count: number
  /** Whether everything has been received. */
  readonly complete: boolean
  readonly error: unknown
  readonly search: { readonly text: string; readonly steps: readonly number[]; readonly upTo: number }
}

const NO_SEARCH = { text: '', steps: [], upTo: 0 }
const NOTHING: Omit<TraceSnapshot, 'steps'> = { head: null, count: 0, complete: false, error: null, search: NO_SEARCH }

/** Minimum time between renders while a long trace loads: each layout takes some milliseconds. */
const DRAW_EVERY_MS = 400
/** A restarting service is away for a few seconds: only then the error is shown. */
const SILENT_TRIES = 6
const LONGEST_WAIT_MS = 5000

function startWorker(): Worker {
  return new Worker(new URL('./trace-worker.ts', import.meta.url), { type: 'module' })
}

/** Started for the first trace before the screen is rendered. */
let spareWorker: Worker | null = startWorker()

/**
 * Reads one trace into a worker and publishes snapshots: first the trace itself, then its steps as columns. Step
 * contents stay in the worker and are read one by one. The page fetches the bytes, because the page's policy does not
 * allow its worker to, and transfers them without a copy.
 */
export class TraceSource {
  readonly #traceId: string
  readonly #abort = new AbortController()
  readonly #listeners = new Listeners()
  readonly #answers = new Map<number, (value: never) => void>()
  #worker: Worker | null = null
  #lastRequest = 0
  #snapshot: TraceSnapshot = { ...NOTHING, steps: emptyBatch() }
  #steps = emptyBatch()
  #drawnAt = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The cursor of the last known page of steps. */
  #cursor: string | null = null
  #readingMore = false

  constructor(traceId: string) {
    this.#traceId = traceId
    shownTraces.set(traceId, this)
    void this.#read()
  }

  readonly subscribe = this.#listeners.subscribe

  readonly snapshot = (): TraceSnapshot => this.#snapshot

  /** One step as JSON text, by order of arrival. */
  stepText(step: number): Promise<string> {
    return this.#readArchive('stepText', step)
  }

  /** The exact JSON text of the trace. */
  text(): Promise<string> {
    return this.#readArchive('text')
  }

  exchange(): Promise<Exchange> {
    return this.#readArchive('exchange')
  }

  /** The first turns of the conversation: `least`, and those up to the turn of a step; `count` is of all. */
  async turns(least: number, stepId: string | null) {
    const text = await this.#readArchive('turnsText', least, stepId)
    return parseExactJson(text) as { readonly count: number; readonly turns: readonly Turn[] }
  }

  /** Searches all loaded and future steps; the matches are in the snapshot. */
  search(text: string): void {
    this.#change({ search: { ...NO_SEARCH, text } })
    this.#tell({ kind: 'search', text })
  }

  /** Takes the current list row of the trace. */
  setRow(row: TraceRow, flagReason?: string | null): void {
    const { head } = this.#snapshot
    if (head === null) return
    this.#change({ head: { ...head, ...row, ...(flagReason === undefined ? {} : { flag_reason: flagReason }) } })
  }

  /** Takes an event that was recorded since. */
  addMetricEvent(event: MetricEvent): void {
    const { head } = this.#snapshot
    if (head?.metric_events === undefined) return
    this.#change({ head: { ...head, metric_events: [...head.metric_events, event] } })
  }

  /** Leaves out an event that was removed since. */
  removeMetricEvent({ id }: MetricEvent): void {
    const { head } = this.#snapshot
    if (head?.metric_events === undefined) return
    this.#change({ head: { ...head, metric_events: head.metric_events.filter((event) => event.id !== id) } })
  }

  /** Loads steps that arrived since. */
  async readMore(): Promise<void> {
    if (this.#readingMore || !this.#snapshot.complete) return
    this.#readingMore = true
    try {
      for (;;) {
        const bytes = await readStepPage(this.#traceId, this.#cursor, this.#abort.signal)
        const next: string | null = await this.#ask((id) => ({ kind: 'page', id, bytes }))
        if (next === null) return
        this.#cursor = next
      }
    } catch {
      // The next poll retries.
    } finally {
      this.#readingMore = false
    }
  }

  close(): void {
    if (shownTraces.get(this.#traceId) === this) shownTraces.delete(this.#traceId)
    this.#abort.abort()
    this.#worker?.terminate()
    clearTimeout(this.#timer)
  }

  async #read(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        this.#start()
        const response = await openTrace(this.#traceId, this.#abort.signal)
        if (this.#snapshot.error !== null) this.#change({ error: null })
        const reader = response.body?.getReader()
        for (;;) {
          const piece = await reader?.read()
          if (piece === undefined || piece.done) break
          const bytes = piece.value
          this.#worker?.postMessage({ kind: 'bytes', bytes } satisfies WorkerRequest, [bytes.buffer])
        }
        this.#tell({ kind: 'end' })
        return
      } catch (error) {
        if (this.#abort.signal.aborted) return
        const away = !(error instanceof ApiError) || error.status === 0 || error.status === 503
        if (!away || tries >= SILENT_TRIES) this.#change({ error: asApiError(error) })
        if (!away) return
        await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** tries, LONGEST_WAIT_MS)))
      }
    }
  }

  #start(): void {
    this.#worker?.terminate()
    this.#steps = emptyBatch()
    this.#worker = spareWorker ?? startWorker()
    spareWorker = null
    this.#worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data))
    this.#worker.addEventListener('error', () =>
      this.#change({ error: new Error("This trace can't be read: the response is not JSON.") }),
    )
    if (this.#snapshot.search.text !== '') this.#tell({ kind: 'search', text: this.#snapshot.search.text })
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case 'read': {
        const { head, batch } = message
        if (batch !== null) appendBatch(this.#steps, batch)
        if (batch !== null && this.#snapshot.complete) this.#addCosts(batch)
        // The first steps are published at once.
        if (head !== null) this.#change({ head, ...this.#drawn() })
        else if (this.#snapshot.count === 0) this.#change(this.#drawn())
        else this.#drawSoon()
        break
      }
      case 'end':
        clearTimeout(this.#timer)
        this.#change({ head: message.head, complete: true, ...this.#drawn() })
        break
      case 'cut-off':
        this.#change({ error: new Error('The response was truncated.') })
        break
      case 'answer':
        this.#answers.get(message.id)?.(message.value as never)
        this.#answers.delete(message.id)
        break
      case 'found': {
        const { text, steps } = this.#snapshot.search
        if (message.text !== text) break
        this.#change({ search: { text, steps: [...steps, ...message.steps], upTo: message.upTo } })
      }
    }
  }

  /** For steps that arrived after the trace was read: its list row has no cost. */
  #addCosts({ costs }: StepBatch): void {
    const { head } = this.#snapshot
    const known = costs.filter((cost) => !Number.isNaN(cost))
    if (head === null || known.length === 0) return
    const cost = known.reduce((sum, each) => sum + each, head.cost_usd ?? 0)
    this.#snapshot = { ...this.#snapshot, head: { ...head, cost_usd: cost } }
  }

  #drawSoon(): void {
    const wait = this.#drawnAt + DRAW_EVERY_MS - performance.now()
    clearTimeout(this.#timer)
    if (wait <= 0) this.#change(this.#drawn())
    else this.#timer = setTimeout(() => this.#change(this.#drawn()), wait)
  }

  #drawn(): Pick<TraceSnapshot, 'steps' | 'count'> {
    this.#drawnAt = performance.now()
    return { steps: this.#steps, count: this.#steps.ids.length }
  }

  #change(change: Partial<TraceSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    this.#listeners.tell()
  }

  #readArchive<Of extends keyof ArchiveReads>(
    of: Of,
    ...given: Parameters<ArchiveReads[Of]>
  ): Promise<ReturnType<ArchiveReads[Of]>> {
    return this.#ask((id) => ({ kind: 'read', id, of, given }))
  }

  #ask<T>(request: (id: number) => WorkerRequest): Promise<T> {
    const id = ++this.#lastRequest
    const answer = new Promise<T>((resolve) => this.#answers.set(id, resolve))
    this.#tell(request(id))
    return answer
  }

  #tell(request: WorkerRequest): void {
    this.#worker?.postMessage(request)
  }
}
