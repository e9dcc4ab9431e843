import type { Matrix } from '../matrix.ts'

/** How points were laid out on a plane, kept so that the next run's map is the same one. */
export interface MapFrame {
  /** Two rows: the directions along which x and y are measured. */
  readonly directions: Matrix
  /** What lies at (0, 0). */
  readonly centre: Float32Array
  /** Length along a direction that becomes 1. */
  readonly scale: number
  /** x and y of each point, from -1 to 1. */
  readonly positions: Float32Array
}
