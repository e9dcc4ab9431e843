import type { Matrix } from '../matrix.ts'

/** How points were placed on a plane; stored so that the next run's map stays the same. */
export interface MapFrame {
  /** Two rows: the directions along which x and y are measured. */
  readonly directions: Matrix
  /** The point at (0, 0). */
  readonly centre: Float32Array
  /** Length along a direction that becomes 1. */
  readonly scale: number
  /** x and y of each point, from -1 to 1. */
  readonly positions: Float32Array
}
