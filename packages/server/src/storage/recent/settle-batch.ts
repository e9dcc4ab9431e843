import type { TraceId } from '@spoor/contract/ids'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import { ByteWriter } from '../clickhouse/rows/byte-writer.ts'
import { writeMetricEventRow } from '../clickhouse/rows/metric-event-row.ts'
import type { RowBytes } from './settled-rows.ts'
import { writeStepRow } from '../clickhouse/rows/step-row.ts'
import { writeTraceRow } from '../clickhouse/rows/trace-row.ts'

/** Where the row of a version lies. */
interface Place {
  readonly version: number
  readonly start: number
  readonly end: number
}

interface Written {
  readonly commit: StoredCommit
  readonly begin: { readonly traces: number; readonly steps: number; readonly metricEvents: number }
  readonly places: readonly (readonly [TraceId, Place])[]
}

/**
 * Commits that go into the engine together. Their rows are written once, into buffers that are used again: the log
 * takes the part of each commit, the engine later takes all.
 */
export class SettleBatch {
  readonly #traceRows = new ByteWriter()
  readonly #stepRows = new ByteWriter()
  readonly #metricEventRows = new ByteWriter()
  readonly #fullText: boolean
  #written: Written | null = null
  #commits: StoredCommit[] = []
  /** Where the newest row of each trace lies. */
  readonly #newest = new Map<TraceId, Place>()
  #traceCount = 0

  /** `fullText`: whether the words of steps are stored for search. */
  constructor(fullText: boolean) {
    this.#fullText = fullText
  }

  /**
   * The rows of one more commit, valid until the next call. They count once `keep` is called, and are gone after
   * `undo`. Yields between rows.
   */
  *write(commit: StoredCommit): Generator<void, RowBytes> {
    const [traces, steps, metricEvents] = [this.#traceRows, this.#stepRows, this.#metricEventRows]
    const begin = { traces: traces.length, steps: steps.length, metricEvents: metricEvents.length }
    const places: (readonly [TraceId, Place])[] = []
    // First, so that what breaks off in between can be undone too.
    this.#written = { commit, begin, places }
    for (const trace of commit.traces) {
      const start = traces.length
      writeTraceRow(traces, trace)
      places.push([trace.id, { version: trace.version, start, end: traces.length }])
    }
    for (const step of commit.steps) {
      yield* writeStepRow(steps, step, this.#fullText)
      yield
    }
    for (const event of commit.metricEvents) writeMetricEventRow(metricEvents, event)
    return {
      traces: traces.written().subarray(begin.traces),
      steps: steps.written().subarray(begin.steps),
      metricEvents: metricEvents.written().subarray(begin.metricEvents),
    }
  }

  keep(): void {
    if (this.#written === null) return
    const { commit, places } = this.#written
    this.#written = null
    this.#commits.push(commit)
    this.#traceCount += places.length
    for (const [id, place] of places) {
      if (place.version > (this.#newest.get(id)?.version ?? 0)) this.#newest.set(id, place)
    }
  }

  undo(): void {
    if (this.#written === null) return
    this.#traceRows.truncate(this.#written.begin.traces)
    this.#stepRows.truncate(this.#written.begin.steps)
    this.#metricEventRows.truncate(this.#written.begin.metricEvents)
    this.#written = null
  }

  get commits(): readonly StoredCommit[] {
    return this.#commits
  }

  get bytes(): number {
    return this.#traceRows.length + this.#stepRows.length + this.#metricEventRows.length
  }

  /** All steps and metric events, and the newest version of each trace: earlier versions need not be stored. */
  rows(): RowBytes {
    const traces = this.#traceRows.written()
    const steps = this.#stepRows.written()
    const metricEvents = this.#metricEventRows.written()
    if (this.#newest.size === this.#traceCount) return { traces, steps, metricEvents }
    return {
      traces: Buffer.concat([...this.#newest.values()].map(({ start, end }) => traces.subarray(start, end))),
      steps,
      metricEvents,
    }
  }

  reset(): void {
    this.#traceRows.reset()
    this.#stepRows.reset()
    this.#metricEventRows.reset()
    this.#commits = []
    this.#newest.clear()
    this.#traceCount = 0
    this.#written = null
  }
}
