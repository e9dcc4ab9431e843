import type { Delivery } from './delivery.ts'
import type { Mask } from './json-text.ts'
import type { OpenSpans } from './open-spans.ts'
import type { Item } from './queue.ts'

/** `hold`: kept in memory until the trace has ended. `drop`: not recorded. */
export type Recording = 'send' | 'hold' | 'drop'

/** Shared state of all spans of one trace in this process. */
export class TraceScope {
  hasFailed = false
  readonly traceId: string
  readonly mask: Mask | undefined
  readonly open: OpenSpans
  /** Null: nothing is recorded. */
  readonly #delivery: Delivery | null
  readonly #startMs = Date.now() - performance.now()
  #recording: Recording
  #held: Item[] = []
  #calls: Item[] | null = []

  constructor(
    traceId: string,
    recording: Recording,
    delivery: Delivery | null,
    mask: Mask | undefined,
    open: OpenSpans,
  ) {
    this.traceId = traceId
    this.#recording = recording
    this.#delivery = delivery
    this.mask = mask
    this.open = open
  }

  get isRecorded(): boolean {
    return this.#recording !== 'drop'
  }

  warn(message: string): void {
    this.#delivery?.warn(message)
  }

  /** Milliseconds since 1970. Does not go back within a trace when the clock of the machine is set. */
  now(): number {
    return this.#startMs + performance.now()
  }

  /** Queues a span, or holds it. */
  take(span: Item): void {
    if (this.#recording === 'send') this.#delivery?.add(span)
    else if (this.#delivery?.hold(span.body.length) === true) this.#held.push(span)
    else this.#settle('drop')
  }

  /** Sends it after the trace has ended: the service must have the trace before. */
  afterEnd(call: Item): void {
    if (this.#calls !== null) this.#calls.push(call)
    else if (this.#recording === 'send') this.#delivery?.add(call)
  }

  /** The trace has ended: a held one is sent if it failed. */
  end(): void {
    if (this.#recording === 'hold') this.#settle(this.hasFailed ? 'send' : 'drop')
    const calls = this.#calls ?? []
    this.#calls = null
    for (const call of calls) this.afterEnd(call)
  }

  #settle(recording: Recording): void {
    this.#recording = recording
    const held = this.#held
    this.#held = []
    for (const span of held) {
      this.#delivery?.hold(-span.body.length)
      if (recording === 'send') this.#delivery?.add(span)
    }
  }
}
