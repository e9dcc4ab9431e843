/** One event of a stream of Server-Sent Events. */
export interface StreamEvent {
  readonly type: string
  /** The last id that the stream has sent. */
  readonly id: string
  readonly data: string
}

/**
 * Reads Server-Sent Events from pieces of a stream. A block with an id and no data is an event with empty data.
 * Comments, `retry` and an event that is cut off are left out.
 */
export class EventStreamReader {
  #rest = ''
  #id = ''
  #named = false
  #type = ''
  #data: string[] = []
  readonly #decoder = new TextDecoder()

  /** The events that this piece completes. */
  read(piece: Uint8Array): StreamEvent[] {
    const lines = (this.#rest + this.#decoder.decode(piece, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line) ?? [])
  }

  #line(line: string): StreamEvent | undefined {
    if (line === '') return this.#finish()
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'id') {
      this.#id = value
      this.#named = true
    }
    if (field === 'event') this.#type = value
    if (field === 'data') this.#data.push(value)
    return undefined
  }

  #finish(): StreamEvent | undefined {
    const event = { type: this.#type || 'message', id: this.#id, data: this.#data.join('\n') }
    const complete = this.#named || this.#data.length > 0
    this.#named = false
    this.#type = ''
    this.#data = []
    return complete ? event : undefined
  }
}
