import { dotProduct, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import type { MapFrame } from './map-frame.ts'

/**
 * The last map's frame for points of another embedder: the orthogonal directions along which the traces of both runs
 * lie as nearly as possible as they did (least squares), with the centre and the scale they had. Null where the common
 * traces do not determine two directions.
 *
 * @param indexes for each point its index in the last run, -1 for none
 */
export function carryFrame(
  points: Matrix,
  { positions }: MapFrame,
  indexes: Int32Array,
): Omit<MapFrame, 'positions'> | null {
  const common = [...indexes.keys()].filter((row) => indexes[row]! >= 0)
  if (common.length < LEAST_COMMON) return null
  const step = Math.max(1, common.length / SAMPLE)
  const rows = Array.from({ length: Math.min(common.length, SAMPLE) }, (_, at) => common[Math.floor(at * step)]!)
  const now = centred(rows.map((row) => rowOf(points, row)))
  const then = centred(rows.map((row) => positions.subarray(2 * indexes[row]!, 2 * indexes[row]! + 2)))
  const fitted = [0, 1].map((axis) =>
    leastSquares(
      now.rows,
      then.rows.map((place) => place[axis]!),
    ),
  )
  const directions = nearestOrthogonal(fitted[0]!, fitted[1]!)
  if (directions === null) return null
  const [x, y] = [rowOf(directions, 0), rowOf(directions, 1)]
  const spread = (pairs: readonly (readonly [number, number])[]): number =>
    Math.sqrt(pairs.reduce((squares, [first, second]) => squares + first * first + second * second, 0))
  const scale =
    spread(now.rows.map((row) => [dotProduct(x, row, 0), dotProduct(y, row, 0)])) /
    spread(then.rows.map((place) => [place[0]!, place[1]!]))
  const [middleX, middleY] = then.middle
  const centre = Float32Array.from(
    now.middle,
    (value, index) => value - scale * (middleX! * x[index]! + middleY! * y[index]!),
  )
  return { directions, centre, scale }
}

/** Fewer common traces do not determine a plane. */
export const LEAST_COMMON = 3
/** More traces do not improve two directions. */
const SAMPLE = 2000
/** Points closer to a line than this share of its length are on it, but for rounding. */
const NEGLIGIBLE = 1e-6
/**
 * Ridge, relative to the mean square along a direction: directions in which common traces hardly differ say little
 * about the other traces.
 */
const RIDGE = 0.1
const MOST_STEPS = 50
/** Stops when the residual is this share of the first one. */
const LEAST_LEFT = 1e-4

function centred(given: readonly Float32Array[]): { readonly rows: Float64Array[]; readonly middle: Float64Array } {
  const middle = new Float64Array(given[0]!.length)
  for (const row of given) row.forEach((value, index) => (middle[index]! += value / given.length))
  return { rows: given.map((row) => Float64Array.from(row, (value, index) => value - middle[index]!)), middle }
}

/**
 * The direction along which the rows come nearest to the targets, by conjugate gradients on the normal equations with a
 * ridge.
 */
function leastSquares(rows: readonly Float64Array[], targets: readonly number[]): Float64Array {
  const columns = rows[0]!.length
  const back = (weightOf: (row: Float64Array, at: number) => number): Float64Array => {
    const sum = new Float64Array(columns)
    rows.forEach((row, at) => {
      const weight = weightOf(row, at)
      for (let index = 0; index < columns; index++) sum[index]! += weight * row[index]!
    })
    return sum
  }
  const ridge = (RIDGE * rows.reduce((sum, row) => sum + product(row, row), 0)) / columns
  const solution = new Float64Array(columns)
  const residual = back((_, at) => targets[at]!)
  let direction = residual.slice()
  let left = product(residual, residual)
  const enough = LEAST_LEFT ** 2 * left
  for (let step = 0; step < MOST_STEPS && left > enough; step++) {
    const image = back((row) => product(row, direction)).map((value, index) => value + ridge * direction[index]!)
    const length = left / product(direction, image)
    for (let index = 0; index < columns; index++) {
      solution[index]! += length * direction[index]!
      residual[index]! -= length * image[index]!
    }
    const next = product(residual, residual)
    direction = direction.map((value, index) => residual[index]! + (next / left) * value)
    left = next
  }
  return solution
}

function product(first: Float64Array, second: Float64Array): number {
  let sum = 0
  for (let index = 0; index < first.length; index++) sum += first[index]! * second[index]!
  return sum
}

/** The two orthogonal directions of length 1 nearest to these: their polar factor. Null where they span no plane. */
function nearestOrthogonal(first: Float64Array, second: Float64Array): Matrix | null {
  let [xx, xy, yy] = [0, 0, 0]
  first.forEach((value, index) => {
    xx += value * value
    xy += value * second[index]!
    yy += second[index]! * second[index]!
  })
  // The root of the positive matrix (xx xy; xy yy) is (the matrix + the root of its determinant) / the root of (trace +
  // 2 × that root); the inverse follows.
  const root = Math.sqrt(Math.max(0, xx * yy - xy * xy))
  if (!(root > NEGLIGIBLE * (xx + yy))) return null
  const share = root * Math.sqrt(xx + yy + 2 * root)
  const directions = zeroMatrix(2, first.length)
  first.forEach((x, index) => {
    const y = second[index]!
    directions.values[index] = ((yy + root) * x - xy * y) / share
    directions.values[first.length + index] = ((xx + root) * y - xy * x) / share
  })
  return directions
}
