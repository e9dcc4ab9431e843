/** Load at which the table grows: a higher one makes look-ups slow, a lower one wastes memory. */
const FILL_LIMIT = 0.7
const FIRST_SLOTS = 1024

/**
 * Counts how often each of many lines was seen, by the first 48 bits of its hash, in 12 bytes a slot. An import of 10
 * million lines holds about 200 MB; a Map would hold four times as much and fail at 16 million.
 *
 * Two different lines with the same 48 bits share a count. This is harmless to an import: the key holds the whole hash
 * as well, so it stays unique, and the same file always gives the same numbers.
 */
export class OccurrenceCounter {
  /** The 48 bits, plus 1: 0 is an empty slot. */
  #marks = new Float64Array(FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #used = 0

  /** @returns how often lines with this hash were counted, including this time */
  count(hash: Buffer): number {
    if (this.#used >= this.#marks.length * FILL_LIMIT) this.#grow()
    const mark = hash.readUIntBE(0, 6) + 1
    const slot = this.#slotOf(mark)
    if (this.#marks[slot] === 0) {
      this.#marks[slot] = mark
      this.#used += 1
    }
    const counted = (this.#counts[slot] ?? 0) + 1
    this.#counts[slot] = counted
    return counted
  }

  /** The slot that holds `mark`, or the empty slot where it belongs. */
  #slotOf(mark: number): number {
    const slots = this.#marks.length
    let slot = mark % slots
    while (this.#marks[slot] !== 0 && this.#marks[slot] !== mark) slot = (slot + 1) % slots
    return slot
  }

  #grow(): void {
    const marks = this.#marks
    const counts = this.#counts
    this.#marks = new Float64Array(marks.length * 2)
    this.#counts = new Uint32Array(marks.length * 2)
    for (const [index, mark] of marks.entries()) {
      if (mark === 0) continue
      const slot = this.#slotOf(mark)
      this.#marks[slot] = mark
      this.#counts[slot] = counts[index] ?? 0
    }
  }
}
