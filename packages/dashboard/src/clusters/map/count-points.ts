import type { MapPoints, Place } from './map-points.ts'
import type { Size, View } from './view.ts'

/** Side of a cell, CSS pixels. */
const CELL = 4

/**
 * Counts the points of a drawing once, so that each question is four look-ups, however many points there are. Returns
 * the number of points in the cells that a box touches.
 */
export function countPoints(points: MapPoints, view: View, size: Size): (box: Place & Size) => number {
  const columns = Math.ceil(size.width / CELL) + 1
  const rows = Math.ceil(size.height / CELL) + 1
  /** Points above and to the left of each corner. */
  const sums = new Uint32Array(columns * rows)
  for (let index = 0; index < points.count; index += 1) {
    const x = Math.floor(((points.xs[index]! - view.x) * view.scale + size.width / 2) / CELL)
    const y = Math.floor(((view.y - points.ys[index]!) * view.scale + size.height / 2) / CELL)
    if (x >= 0 && y >= 0 && x < columns - 1 && y < rows - 1) sums[(y + 1) * columns + x + 1]! += 1
  }
  for (let y = 1; y < rows; y += 1)
    for (let x = 1; x < columns; x += 1)
      sums[y * columns + x]! +=
        sums[y * columns + x - 1]! + sums[(y - 1) * columns + x]! - sums[(y - 1) * columns + x - 1]!
  const at = (value: number, most: number) => Math.max(0, Math.min(most, value))
  return ({ x, y, width, height }) => {
    const [left, right] = [at(Math.floor(x / CELL), columns - 1), at(Math.ceil((x + width) / CELL), columns - 1)]
    const [top, bottom] = [at(Math.floor(y / CELL), rows - 1), at(Math.ceil((y + height) / CELL), rows - 1)]
    const sum = (row: number, column: number) => sums[row * columns + column]!
    return sum(bottom, right) - sum(top, right) - sum(bottom, left) + sum(top, left)
  }
}
