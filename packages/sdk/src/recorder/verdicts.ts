import type { FlushVerdicts } from './recorder-options.ts'

const MOST_REASONS = 10

/** Totals since the recorder began. */
interface Totals {
  readonly stored: number
  readonly refused: number
  readonly dropped: number
  /** Changes so far. */
  readonly changes: number
}

/**
 * What became of items. A flush reports what changed since the last one that had ended when it began: nothing twice,
 * unless two run at once.
 */
export class Verdicts {
  #totals: Totals = { stored: 0, refused: 0, dropped: 0, changes: 0 }
  #reported = this.#totals
  /** The change at which each came last, latest at the end. */
  readonly #reasons = new Map<string, number>()

  add(of: 'stored' | 'refused' | 'dropped', count: number, reason = ''): void {
    const changes = this.#totals.changes + 1
    this.#totals = { ...this.#totals, [of]: this.#totals[of] + count, changes }
    if (reason === '') return
    this.#reasons.delete(reason)
    this.#reasons.set(reason, changes)
    for (const oldest of this.#reasons.keys()) if (this.#reasons.size > MOST_REASONS) this.#reasons.delete(oldest)
  }

  /** Returns a function that ends it, with what waits by now and why. */
  begin(): (waiting: Pick<FlushVerdicts, 'spooled' | 'pending'>, problem: string) => FlushVerdicts {
    const since = this.#reported
    return ({ spooled, pending }, problem) => {
      const now = (this.#reported = this.#totals)
      const stored = now.stored - since.stored
      const refused = now.refused - since.refused
      const dropped = now.dropped - since.dropped
      const reasons = [...this.#reasons].filter(([, at]) => at > since.changes).map(([reason]) => reason)
      if (spooled + pending > 0 && problem !== '') reasons.push(problem)
      const ok = refused + dropped + spooled + pending === 0
      return { ok, stored, refused, dropped, spooled, pending, reasons }
    }
  }
}
