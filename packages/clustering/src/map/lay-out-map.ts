import { Matrix as Dense, SingularValueDecomposition } from 'ml-matrix'
import { createRandom } from '../partition/seeded-random.ts'
import { allEntries, truncatedSvd } from '../embedding/truncated-svd.ts'
import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import type { Partition } from '../partition/partition.ts'
import { carryFrame } from './carry-frame.ts'
import type { MapFrame } from './map-frame.ts'
import { mapScatter, type MapScatter } from './map-scatter.ts'

/** The last run's map, and the indexes of this run's points on it. */
export interface PreviousMap {
  readonly frame: MapFrame
  /** For each point of this run its index in the last one, -1 for none. */
  readonly indexes: Int32Array
  /** Whether the same embedder made the points, so that its directions apply here. */
  readonly comparable: boolean
}

/**
 * Places points on a plane along the two directions that separate the clusters best. While the last map's directions
 * are still nearly as good, they are kept, and every trace stays where it was; the directions of another embedder are
 * carried over as closely as possible. Otherwise new directions are chosen, turned and mirrored towards the last ones.
 */
export function layOutMap(
  points: Matrix,
  partition: Pick<Partition, 'assignments' | 'k'>,
  previous: PreviousMap | null,
): MapFrame {
  const scatter = mapScatter(points, partition)
  const directions = principalDirections(scatter.rows)
  const kept = previous === null ? null : keptFrame(points, previous)
  if (kept !== null && stillShows(kept, scatter, directions)) return place(points, kept)
  const turned = kept === null ? directions : turnedTo(kept.directions, directions)
  const scale = centredParts(points, scatter.centre, turned).reduce((most, part) => Math.max(most, Math.abs(part)), 0)
  return place(points, { directions: turned, centre: scatter.centre, scale: scale === 0 ? 1 : scale })
}

/** Share of the spread that the best directions show. */
const GOOD_ENOUGH = 0.8
function keptFrame(points: Matrix, { frame, indexes, comparable }: PreviousMap): Omit<MapFrame, 'positions'> | null {
  if (!comparable) return carryFrame(points, frame, indexes)
  return frame.directions.columns === points.columns ? frame : null
}

function stillShows({ directions }: Omit<MapFrame, 'positions'>, { rows }: MapScatter, best: Matrix): boolean {
  return spread(rows, directions) >= GOOD_ENOUGH * spread(rows, best)
}

function spread(rows: Matrix, directions: Matrix): number {
  return partsAlong(rows, directions).reduce((squares, part) => squares + part * part, 0)
}

function place(points: Matrix, { directions, centre, scale }: Omit<MapFrame, 'positions'>): MapFrame {
  const parts = centredParts(points, centre, directions)
  const positions = Float32Array.from(parts, (part) => Math.min(1, Math.max(-1, part / scale)))
  return { directions, centre, scale, positions }
}

function centredParts(points: Matrix, centre: Float32Array, directions: Matrix): Float64Array {
  const origin = partsAlong({ rows: 1, columns: centre.length, values: centre }, directions)
  return partsAlong(points, directions).map((part, index) => part - origin[index % 2]!)
}

/** The same plane, turned and mirrored so that its directions are nearest to these ones (orthogonal Procrustes). */
function turnedTo(then: Matrix, now: Matrix): Matrix {
  const [before, after] = [then, now].map(({ values }) => Dense.from1DArray(2, now.columns, values)) as [Dense, Dense]
  const { leftSingularVectors, rightSingularVectors } = new SingularValueDecomposition(before.mmul(after.transpose()))
  const turned = leftSingularVectors.mmul(rightSingularVectors.transpose()).mmul(after)
  return { ...now, values: Float32Array.from(turned.to1DArray()) }
}

/**
 * The two orthogonal unit directions along which the rows have the greatest sum of squares; rows of zeros where there
 * are none.
 */
function principalDirections(rows: Matrix): Matrix {
  const { columns } = rows
  const svd = truncatedSvd(allEntries(rows), 2, createRandom(1))
  const directions = zeroMatrix(2, columns)
  for (let direction = 0; direction < svd.rank; direction++) {
    const row = rowOf(directions, direction)
    for (let index = 0; index < columns; index++) row[index] = svd.directions[index * svd.rank + direction]!
  }
  return directions
}

/** The component of each row along each direction, row by row. */
function partsAlong(rows: Matrix, directions: Matrix): Float64Array {
  const parts = new Float64Array(rows.rows * directions.rows)
  for (let row = 0; row < rows.rows; row++) {
    const values = rowOf(rows, row)
    for (let direction = 0; direction < directions.rows; direction++) {
      const unit = rowOf(directions, direction)
      let sum = 0
      for (let index = 0; index < values.length; index++) sum += values[index]! * unit[index]!
      parts[row * directions.rows + direction] = sum
    }
  }
  return parts
}
