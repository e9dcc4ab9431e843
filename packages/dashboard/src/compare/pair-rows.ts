import type { StepPair } from '@spoor/contract/schemas/traces/trace-comparison'

/** A row of the comparison: a pair, or a folded stretch of pairs that are the same. */
export interface PairRow {
  /** Its first pair. */
  readonly at: number
  /** How many pairs it stands for; 1 if it is a pair. */
  readonly count: number
}

/** `unfolded`: the first pairs of stretches that are shown. A single pair is not folded. */
export function pairRows(pairs: readonly StepPair[], unfolded: ReadonlySet<number>): readonly PairRow[] {
  const rows: PairRow[] = []
  for (let at = 0; at < pairs.length;) {
    let end = at
    while (pairs[end]?.kind === 'same') end += 1
    if (end - at > 1 && !unfolded.has(at)) rows.push({ at, count: end - at })
    else for (let each = at; each < Math.max(end, at + 1); each += 1) rows.push({ at: each, count: 1 })
    at = Math.max(end, at + 1)
  }
  return rows
}
