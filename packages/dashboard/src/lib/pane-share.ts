/** The share of the first of two panes, in percent. */
export interface PaneShare {
  /** Storage key. */
  readonly name: string
  /** The custom property of CSS with the share. */
  readonly property: string
  readonly initial: number
  readonly least: number
  readonly most: number
}

/** The stored share, or the initial one. */
export function storedShare({ name, initial, least, most }: PaneShare, storage: Pick<Storage, 'getItem'>): number {
  const stored = Number(storage.getItem(name) ?? NaN)
  return stored >= least && stored <= most ? stored : initial
}

/**
 * The share, to a tenth of a percent, of a first pane that ends at `at` in a row that starts at `from` with this width,
 * in pixels.
 */
export function shareAt({ least, most }: PaneShare, at: number, from: number, width: number): number {
  const share = width <= 0 ? least : ((at - from) / width) * 100
  return Math.min(most, Math.max(least, Math.round(share * 10) / 10))
}

const KEY_STEP = 2

/** The share after a key; null for other keys. */
export function shareByKey({ least, most }: PaneShare, share: number, key: string): number | null {
  const next = { ArrowLeft: share - KEY_STEP, ArrowRight: share + KEY_STEP, Home: least, End: most }[key]
  return next === undefined ? null : Math.min(most, Math.max(least, next))
}
