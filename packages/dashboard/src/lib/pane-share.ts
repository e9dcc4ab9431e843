/** How a row of two panes is shared out: percent of the first. */
export interface PaneShare {
  /** In the browser's storage. */
  readonly name: string
  readonly initial: number
  readonly least: number
  readonly most: number
}

/** What the reader chose last, or what it is at first. */
export function storedShare({ name, initial, least, most }: PaneShare, storage: Pick<Storage, 'getItem'>): number {
  const stored = Number(storage.getItem(name) ?? NaN)
  return stored >= least && stored <= most ? stored : initial
}

/**
 * The share of a first pane that ends at `at` in a row from `from` with this width, pixels; to a tenth of a percent.
 */
export function shareAt({ least, most }: PaneShare, at: number, from: number, width: number): number {
  const share = width <= 0 ? least : ((at - from) / width) * 100
  return Math.min(most, Math.max(least, Math.round(share * 10) / 10))
}

const KEY_STEP = 2

/** What a key makes of it; null for keys that mean nothing here. */
export function shareByKey({ least, most }: PaneShare, share: number, key: string): number | null {
  const next = { ArrowLeft: share - KEY_STEP, ArrowRight: share + KEY_STEP, Home: least, End: most }[key]
  return next === undefined ? null : Math.min(most, Math.max(least, next))
}
