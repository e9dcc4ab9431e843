import { type Bounds, type MapPoints, median, type Place } from './map-points.ts'

/** Points by square cells of the map, to find the ones near a place without visiting all. */
export interface PointGrid {
  readonly points: MapPoints
  readonly columns: number
  readonly rows: number
  readonly cellSize: number
  /** Offset of each cell's points in `order`, plus the end. */
  readonly starts: Uint32Array
  /** Point indexes, cell by cell. */
  readonly order: Uint32Array
}

const POINTS_PER_CELL = 4
const MAX_ACROSS = 512

export function buildGrid(points: MapPoints): PointGrid {
  const { count, xs, ys, bounds } = points
  const { left, right, bottom, top } = bounds
  const across = Math.min(MAX_ACROSS, Math.max(1, Math.ceil(Math.sqrt(count / POINTS_PER_CELL))))
  const cellSize = Math.max(right - left, top - bottom, 1e-6) / across
  const columns = Math.max(1, Math.ceil((right - left) / cellSize))
  const rows = Math.max(1, Math.ceil((top - bottom) / cellSize))
  const cells = new Uint32Array(count)
  const starts = new Uint32Array(columns * rows + 1)
  for (let index = 0; index < count; index += 1) {
    const column = Math.min(columns - 1, Math.floor((xs[index]! - left) / cellSize))
    const row = Math.min(rows - 1, Math.floor((ys[index]! - bottom) / cellSize))
    cells[index] = row * columns + column
    starts[cells[index]! + 1]! += 1
  }
  for (let cell = 0; cell < columns * rows; cell += 1) starts[cell + 1]! += starts[cell]!
  const next = starts.slice()
  const order = new Uint32Array(count)
  for (let index = 0; index < count; index += 1) {
    const cell = cells[index]!
    order[next[cell]!] = index
    next[cell]! += 1
  }
  return { points, columns, rows, cellSize, starts, order }
}

/** Visits every point of the cells that a box touches: all points inside it, and some around it. */
export function visitNear(grid: PointGrid, box: Bounds, visit: (index: number) => void): void {
  const { points, columns, rows, cellSize, starts, order } = grid
  const { left, bottom } = points.bounds
  const at = (value: number, most: number) => Math.min(most - 1, Math.max(0, Math.floor(value / cellSize)))
  const lastRow = at(box.top - bottom, rows)
  const firstColumn = at(box.left - left, columns)
  const lastColumn = at(box.right - left, columns)
  for (let row = at(box.bottom - bottom, rows); row <= lastRow; row += 1) {
    const end = starts[row * columns + lastColumn + 1]!
    for (let entry = starts[row * columns + firstColumn]!; entry < end; entry += 1) visit(order[entry]!)
  }
}

/** The number of points inside a box. */
export function pointsIn(grid: PointGrid, box: Bounds): number {
  let count = 0
  visitInside(grid, box, () => (count += 1))
  return count
}

function visitInside(grid: PointGrid, box: Bounds, visit: (index: number) => void): void {
  const { xs, ys } = grid.points
  visitNear(grid, box, (index) => {
    const [x, y] = [xs[index]!, ys[index]!]
    if (x >= box.left && x <= box.right && y >= box.bottom && y <= box.top) visit(index)
  })
}

/**
 * The point in the middle of a cluster's points inside a box: the nearest to their median. It is that of the given
 * cluster, or of the one with the most points there; null without points.
 */
export function middlePoint(grid: PointGrid, box: Bounds, cluster: number | null): number | null {
  const { points } = grid
  const inside = new Map<number, number[]>()
  visitInside(grid, box, (index) => {
    const own = inside.get(points.clusters[index]!)
    if (own === undefined) inside.set(points.clusters[index]!, [index])
    else own.push(index)
  })
  const most = [...inside.values()].sort((one, other) => other.length - one.length)[0]
  const members = (cluster === null ? undefined : inside.get(cluster)) ?? most
  if (members === undefined) return null
  const [x, y] = [median(members.map((index) => points.xs[index]!)), median(members.map((index) => points.ys[index]!))]
  const distance = (index: number) => Math.hypot(points.xs[index]! - x, points.ys[index]! - y)
  return members.reduce((best, index) => (distance(index) < distance(best) ? index : best))
}

/** The nearest point, whatever its distance. There MUST be one. */
export function nearestOfAll(grid: PointGrid, at: Place): number {
  for (let radius = grid.cellSize; ; radius *= 2) {
    const found = nearestPoint(grid, at, radius)
    if (found !== null) return found
  }
}

/** The nearest point within the radius; null if there is none. */
export function nearestPoint(grid: PointGrid, { x, y }: Place, radius: number): number | null {
  const { xs, ys } = grid.points
  let found: number | null = null
  let least = radius * radius
  visitNear(grid, { left: x - radius, right: x + radius, bottom: y - radius, top: y + radius }, (index) => {
    const distance = (xs[index]! - x) ** 2 + (ys[index]! - y) ** 2
    if (distance > least) return
    least = distance
    found = index
  })
  return found
}
