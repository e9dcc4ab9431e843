import type { Delivery } from './delivery.ts'
import type { Mask } from './json-text.ts'

/** `hold`: kept in memory until the trace has ended. `drop`: not recorded. */
export type Recording = 'send' | 'hold' | 'drop'

/** What all spans of one trace in this process share. */
export class TraceScope {
  hasFailed = false
  readonly traceId: string
  readonly mask: Mask | undefined
  readonly warn: (message: string) => void
  /** Null: nothing is recorded. */
  readonly #delivery: Delivery | null
  readonly #startMs = Date.now()
  readonly #startTick = performance.now()
  #recording: Recording
  #held: string[] = []
  #calls: (() => void)[] | null = []

  constructor(traceId: string, recording: Recording, delivery: Delivery | null, mask: Mask | undefined) {
    this.traceId = traceId
    this.#recording = recording
    this.#delivery = delivery
    this.mask = mask
    this.warn = (message) => delivery?.warn(message)
  }

  get isRecorded(): boolean {
    return this.#recording !== 'drop'
  }

  /** Milliseconds since 1970. Does not go back within a trace when the clock of the machine is set. */
  now(): number {
    return this.#startMs + performance.now() - this.#startTick
  }

  /** Queues the text of a span, or holds it. */
  take(text: string): void {
    if (this.#recording === 'send') return this.#delivery?.addSpan(text)
    if (this.#recording === 'drop') return
    if (this.#delivery?.hold(text) === true) this.#held.push(text)
    else this.#drop()
  }

  /** Runs it after the trace has ended: the service must have the trace before. */
  afterEnd(call: (delivery: Delivery) => void): void {
    const queue = () => {
      if (this.#recording === 'send' && this.#delivery !== null) call(this.#delivery)
    }
    if (this.#calls === null) queue()
    else this.#calls.push(queue)
  }

  /** The trace has ended: a held one is sent if it failed. */
  end(): void {
    if (this.#recording === 'hold') {
      const held = this.#held
      if (!this.hasFailed) this.#drop()
      else {
        this.#recording = 'send'
        this.#held = []
        for (const text of held) {
          this.#delivery?.release(text)
          this.#delivery?.addSpan(text)
        }
      }
    }
    const calls = this.#calls ?? []
    this.#calls = null
    for (const call of calls) call()
  }

  #drop(): void {
    this.#recording = 'drop'
    for (const text of this.#held) this.#delivery?.release(text)
    this.#held = []
  }
}
