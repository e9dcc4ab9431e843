/** Something that goes on. */
interface Open {
  readonly hasFailed: boolean
  end(): void
  fail(error: unknown): void
}

/** More than a program has at once. Of one that never ends its spans, the newest. */
const MOST_SPANS = 1000

/** The spans that have not ended, in the order of their starts. */
export class OpenSpans {
  readonly #spans = new Set<Open>()

  add(span: Open): void {
    this.#spans.add(span)
    if (this.#spans.size <= MOST_SPANS) return
    const [oldest] = this.#spans
    this.#spans.delete(oldest as Open)
  }

  remove(span: Open): void {
    this.#spans.delete(span)
  }

  /** Inner ones before those around them. */
  get latestFirst(): readonly Open[] {
    const spans = [...this.#spans]
    spans.reverse()
    return spans
  }
}
