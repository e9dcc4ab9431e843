import type { TraceId } from '@spoor/contract/ids'
import type { StoredCommit } from '../../traces/trace-store.ts'
import { ByteWriter } from './byte-writer.ts'
import { writeStepRow } from './step-row.ts'
import { writeTraceRow } from './trace-row.ts'

/** Rows of both tables as the engine takes them. */
export interface RowBytes {
  readonly traces: Buffer
  readonly steps: Buffer
}

/** Where the row of a version lies. */
interface Place {
  readonly version: number
  readonly start: number
  readonly end: number
}

interface Written {
  readonly commit: StoredCommit
  readonly begin: { readonly traces: number; readonly steps: number }
  readonly places: readonly (readonly [TraceId, Place])[]
}

/**
 * Commits that go into the engine together. Their rows are written once, into two buffers that are used again: the log takes the part of each commit, the
 * engine later takes all.
 */
export class SettleBatch {
  readonly #traceRows = new ByteWriter()
  readonly #stepRows = new ByteWriter()
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

  /** The rows of one more commit, valid until the next call. They count once `keep` is called, and are gone after `undo`. */
  write(commit: StoredCommit): RowBytes {
    const [traces, steps] = [this.#traceRows, this.#stepRows]
    const begin = { traces: traces.length, steps: steps.length }
    const places: (readonly [TraceId, Place])[] = []
    // First, so that what breaks off in between can be undone too.
    this.#written = { commit, begin, places }
    for (const trace of commit.traces) {
      const start = traces.length
      writeTraceRow(traces, trace)
      places.push([trace.id, { version: trace.version, start, end: traces.length }])
    }
    for (const step of commit.steps) writeStepRow(steps, step, this.#fullText)
    return { traces: traces.written().subarray(begin.traces), steps: steps.written().subarray(begin.steps) }
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
    this.#written = null
  }

  get commits(): readonly StoredCommit[] {
    return this.#commits
  }

  get bytes(): number {
    return this.#traceRows.length + this.#stepRows.length
  }

  /** All steps, and the newest version of each trace: what replaces another at once need not be stored at all. */
  rows(): RowBytes {
    const traces = this.#traceRows.written()
    const steps = this.#stepRows.written()
    if (this.#newest.size === this.#traceCount) return { traces, steps }
    return {
      traces: Buffer.concat([...this.#newest.values()].map(({ start, end }) => traces.subarray(start, end))),
      steps,
    }
  }

  reset(): void {
    this.#traceRows.reset()
    this.#stepRows.reset()
    this.#commits = []
    this.#newest.clear()
    this.#traceCount = 0
    this.#written = null
  }
}
