/** Requests of the native API. Their bodies are JSON objects. */
export interface Call {
  readonly kind: 'metric' | 'flag'
  readonly path: string
  readonly body: string
}

export interface SpanItem {
  readonly kind: 'span'
  readonly path?: undefined
  /** JSON of one span, or of a whole request if it comes from the spool. */
  readonly body: string
}

export type Item = (Call | SpanItem) & {
  /** What it counts as in verdicts: a request of the spool has many spans. */
  readonly count: number
  readonly bytes: number
  /** The order of arrival, from 1. Items of the spool have 0. */
  readonly sequence: number
}

/** Parts of a list, each at least one item and no larger than a size. */
export function partsOf(items: readonly Item[], bytes: number): readonly (readonly Item[])[] {
  const parts: Item[][] = []
  let room = 0
  for (const item of items) {
    if (item.bytes > room || parts.length === 0) {
      parts.push([])
      room = bytes
    }
    parts.at(-1)?.push(item)
    room -= item.bytes
  }
  return parts
}

/** First in, first out. */
export class Queue {
  #items: Item[] = []
  #first = 0
  bytes = 0
  /** The sequence of the newest item. */
  newest = 0

  get length(): number {
    return this.#items.length - this.#first
  }

  add(item: Call | SpanItem, bytes: number): void {
    this.#items.push({ ...item, bytes, count: 1, sequence: ++this.newest })
    this.bytes += bytes
  }

  /** The oldest items: at least one, and more up to a size. */
  take(bytes: number): readonly Item[] {
    let end = this.#first
    let size = 0
    for (let item = this.#items[end]; item !== undefined; item = this.#items[end]) {
      if (end > this.#first && size + item.bytes > bytes) break
      size += item.bytes
      end++
    }
    const taken = this.#items.slice(this.#first, end)
    this.bytes -= size
    this.#first = end
    if (this.#first > this.#items.length / 2) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    return taken
  }

  clear(): readonly Item[] {
    const items = this.#items.slice(this.#first)
    this.#items = []
    this.#first = 0
    this.bytes = 0
    return items
  }
}
