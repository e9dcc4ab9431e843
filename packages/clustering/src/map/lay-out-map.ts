import type { Partition } from '../partition/partition.ts'
import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { alignTurn, type Rotation } from './align-turn.ts'
import { carryFrame, LEAST_COMMON } from './carry-frame.ts'
import type { MapFrame } from './map-frame.ts'
import { mapScatter, type MapScatter } from './map-scatter.ts'
import { partsAlong, principalDirections } from './principal-directions.ts'

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
 * carried over as closely as possible. Otherwise new directions are chosen, rotated and mirrored so that common traces
 * stay as near as possible to where they were.
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
  const raw = centredParts(points, scatter.centre, directions)
  const turned = turn(directions, previous === null ? [1, 0, 0, 1] : alignTurn(products(previous, raw, directions)))
  const parts = centredParts(points, scatter.centre, turned)
  const scale = parts.reduce((greatest, part) => Math.max(greatest, Math.abs(part)), 0)
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

/**
 * Sums of products of coordinates then and now, as `alignTurn` takes them: of traces on both maps or, when there are
 * hardly any, of the directions themselves.
 */
function products({ frame, indexes, comparable }: PreviousMap, raw: Float64Array, directions: Matrix): Rotation {
  const sums: [number, number, number, number] = [0, 0, 0, 0]
  const add = (thenX: number, thenY: number, nowX: number, nowY: number): void => {
    sums[0] += thenX * nowX
    sums[1] += thenX * nowY
    sums[2] += thenY * nowX
    sums[3] += thenY * nowY
  }
  let common = 0
  indexes.forEach((then, now) => {
    if (then < 0) return
    common++
    add(frame.positions[2 * then]!, frame.positions[2 * then + 1]!, raw[2 * now]!, raw[2 * now + 1]!)
  })
  if (common >= LEAST_COMMON || !comparable || frame.directions.columns !== directions.columns) return sums
  sums.fill(0)
  const [thenX, thenY] = [rowOf(frame.directions, 0), rowOf(frame.directions, 1)]
  const [nowX, nowY] = [rowOf(directions, 0), rowOf(directions, 1)]
  thenX.forEach((_, index) => add(thenX[index]!, thenY[index]!, nowX[index]!, nowY[index]!))
  return sums
}

function turn(directions: Matrix, [xx, xy, yx, yy]: Rotation): Matrix {
  const turned = zeroMatrix(2, directions.columns)
  const [x, y] = [rowOf(directions, 0), rowOf(directions, 1)]
  for (let index = 0; index < directions.columns; index++) {
    turned.values[index] = xx * x[index]! + xy * y[index]!
    turned.values[directions.columns + index] = yx * x[index]! + yy * y[index]!
  }
  return turned
}
