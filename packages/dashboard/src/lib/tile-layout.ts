import { DASHBOARD_COLUMNS } from '@spoor/contract/schemas/dashboard'

interface Placed {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

const HALF = DASHBOARD_COLUMNS / 2
const ROWS = 4

/** As they are read: by row, then by column. */
export function inOrder<T extends Placed>(tiles: readonly T[]): readonly T[] {
  return tiles.toSorted((a, b) => a.y - b.y || a.x - b.x)
}

/** Each behind the one before it, or below if the row is full. */
function packed<T extends Placed>(tiles: readonly T[]): readonly T[] {
  let [x, y, height] = [0, 0, 0]
  return tiles.map((tile) => {
    if (x + tile.w > DASHBOARD_COLUMNS) [x, y, height] = [0, y + height, 0]
    const placed = { ...tile, x, y }
    x += tile.w
    height = Math.max(height, tile.h)
    return placed
  })
}

/** `from` and `to` are places in the order; a place beyond the ends is the last or first one. */
export function moved<T extends Placed>(tiles: readonly T[], from: number, to: number): readonly T[] {
  const ordered = inOrder(tiles)
  const [tile] = ordered.slice(from, from + 1)
  const others = ordered.toSpliced(from, 1)
  return tile === undefined ? ordered : packed(others.toSpliced(Math.max(0, to), 0, tile))
}

export function isWide({ w }: Pick<Placed, 'w'>): boolean {
  return w > HALF
}

/** Over the whole width, or half of it. */
export function resized<T extends Placed>(tiles: readonly T[], at: number): readonly T[] {
  const ordered = inOrder(tiles)
  const tile = ordered[at]
  if (tile === undefined) return ordered
  return packed(ordered.with(at, { ...tile, w: isWide(tile) ? HALF : DASHBOARD_COLUMNS }))
}

export function without<T extends Placed>(tiles: readonly T[], at: number): readonly T[] {
  return packed(inOrder(tiles).toSpliced(at, 1))
}

/** With a new one behind the others. */
export function withTile<T extends object>(tiles: readonly (T & Placed)[], tile: T): readonly (T & Placed)[] {
  return packed([...inOrder(tiles), { ...tile, x: 0, y: 0, w: HALF, h: ROWS }])
}
