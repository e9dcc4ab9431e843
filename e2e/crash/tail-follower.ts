import { openTail, type Tail } from '../lib/tail.ts'

export interface SeenTrace {
  readonly position: number
  readonly id: string
}

/** Reads the tail of a project from the beginning, over all processes of the service, like a client that reconnects. */
export class TailFollower {
  readonly seen: SeenTrace[] = []
  readonly violations: string[] = []
  connections = 0
  #lastEventId = '0'
  #tail: Tail | null = null
  #taken = 0

  /** Rejects when there is no answer, or one with a status of `mayRefuse`. */
  async connect(
    service: { readonly url: string; readonly key: string },
    mayRefuse: (status: number) => boolean = () => false,
  ): Promise<void> {
    this.#tail = await openTail(service.url, service.key, { 'last-event-id': this.#lastEventId })
    this.#taken = 0
    this.connections += 1
    if (mayRefuse(this.#tail.status)) throw new Error(`the tail answered ${this.#tail.status}`)
    if (this.#tail.status !== 200) this.violations.push(`the tail answered ${this.#tail.status}: ${this.#tail.text}`)
  }

  /** Call it when the connection is closed. Takes what arrived, without an incomplete event at the end. */
  async disconnect(): Promise<void> {
    this.#tail?.close()
    await this.#tail?.ended
    this.take()
    this.#tail = null
  }

  take(): void {
    const tail = this.#tail
    if (tail === null) return
    for (const { id, event, data } of tail.events.slice(this.#taken)) {
      if (event !== 'trace.committed') this.violations.push(`the tail sent ${event} ${data}`)
      else this.seen.push({ position: Number(id), id: (JSON.parse(data) as { id: string }).id })
    }
    this.#taken = tail.events.length
    this.#lastEventId = tail.lastEventId ?? this.#lastEventId
  }

  /** Waits for the event with this id. */
  async until(id: string): Promise<void> {
    await this.#tail?.until(({ events }) => events.some(({ data }) => data.includes(id)))
    this.take()
  }
}
