import type { FlushVerdicts } from './recorder-options.ts'
import type { Item } from './queue.ts'

interface Tally {
  stored: number
  refused: number
  dropped: number
  reasons: string[]
}

export interface Flush {
  readonly newest: number
  readonly tally: Tally
  /** Items that it waits for. */
  remaining: number
  onChange: () => void
}

const MOST_REASONS = 10

/** What became of items. Each flush is given what no earlier one has reported, also if several run at once. */
export class Verdicts {
  #unreported = noTally()
  readonly #flushes = new Set<Flush>()

  begin(newest: number, remaining: number): Flush {
    const flush = { newest, remaining, tally: this.#unreported, onChange: () => undefined }
    this.#unreported = noTally()
    this.#flushes.add(flush)
    return flush
  }

  /** `problem`: why the rest waits. */
  end(flush: Flush, spooled: number, problem: string | null): FlushVerdicts {
    this.#flushes.delete(flush)
    const { stored, refused, dropped, reasons } = flush.tally
    const pending = flush.remaining
    if (pending + spooled > 0 && problem !== null) addReason(flush.tally, problem)
    const ok = refused + dropped + spooled + pending === 0
    return { ok, stored, refused, dropped, spooled, pending, reasons }
  }

  /** `refused` of the items are refused; the service does not say which. */
  settle(items: readonly Item[], refused: number, reason: string): void {
    this.#each(items, (tally, count) => {
      tally.refused += Math.min(refused, count)
      tally.stored += Math.max(0, count - refused)
      if (refused > 0) addReason(tally, reason)
    })
  }

  setAside(items: readonly Item[]): void {
    this.#each(items, () => undefined)
  }

  drop(items: readonly Item[]): void {
    this.#each(items, (tally, count) => (tally.dropped += count))
  }

  /** Of what was never queued. */
  dropNew(count: number): void {
    this.#unreported.dropped += count
  }

  refuse(count: number, reason: string): void {
    this.#unreported.refused += count
    addReason(this.#unreported, reason)
  }

  changed(): void {
    for (const { onChange } of this.#flushes) onChange()
  }

  #each(items: readonly Item[], count: (tally: Tally, count: number) => void): void {
    let isReported = false
    for (const flush of this.#flushes) {
      const waited = items.filter(({ sequence }) => sequence <= flush.newest)
      flush.remaining -= waited.filter(({ sequence }) => sequence > 0).length
      if (waited.length === 0) continue
      count(flush.tally, countOf(items))
      isReported = true
    }
    if (!isReported) count(this.#unreported, countOf(items))
    this.changed()
  }
}

export function countOf(items: readonly Item[]): number {
  return items.reduce((total, { count }) => total + count, 0)
}

function noTally(): Tally {
  return { stored: 0, refused: 0, dropped: 0, reasons: [] }
}

function addReason(tally: Tally, reason: string): void {
  if (tally.reasons.length < MOST_REASONS && !tally.reasons.includes(reason)) tally.reasons.push(reason)
}
