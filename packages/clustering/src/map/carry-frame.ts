import { CholeskyDecomposition, EigenvalueDecomposition, Matrix as Dense } from 'ml-matrix'
import { rowOf, type Matrix } from '../matrix.ts'
import { evenSample } from '../partition/seeded-random.ts'
import type { MapFrame } from './map-frame.ts'

/**
 * The last map's frame for points of another embedder: the orthogonal directions along which the traces of both runs
 * lie as nearly as possible as they did (ridge regression), with the centre and the scale they had. Null where the
 * common traces do not determine two directions.
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
  const rows = Array.from(evenSample(common.length, SAMPLE), (at) => common[at]!)
  const now = new Dense(rows.map((row) => rowOf(points, row)))
  const then = new Dense(rows.map((row) => positions.subarray(2 * indexes[row]!, 2 * indexes[row]! + 2)))
  const [middleNow, middleThen] = [now.mean('column'), then.mean('column')]
  now.subRowVector(middleNow)
  then.subRowVector(middleThen)
  const directions = nearestOrthogonal(regress(now, then))
  if (directions === null) return null
  const scale = now.mmul(directions).norm() / then.norm()
  const shift = directions.mmul(Dense.columnVector(middleThen)).mul(scale).to1DArray()
  return {
    directions: { rows: 2, columns: points.columns, values: Float32Array.from(directions.transpose().to1DArray()) },
    centre: Float32Array.from(middleNow, (value, index) => value - shift[index]!),
    scale,
  }
}

/** Fewer common traces do not determine a plane. */
const LEAST_COMMON = 3
/** More traces do not improve two directions. */
const SAMPLE = 500
/** Points closer to a line than this share of its length are on it, but for rounding. */
const NEGLIGIBLE = 1e-6
/**
 * Ridge, relative to the mean square along a direction: directions in which common traces hardly differ say little
 * about the other traces.
 */
const RIDGE = 0.1

/** The columns along which the rows come nearest to the targets. */
function regress(rows: Dense, targets: Dense): Dense {
  const products = rows.mmul(rows.transpose())
  const ridge = (RIDGE * products.trace()) / rows.columns
  if (ridge === 0) return Dense.zeros(rows.columns, targets.columns)
  const weights = new CholeskyDecomposition(products.add(Dense.eye(rows.rows).mul(ridge))).solve(targets)
  return rows.transpose().mmul(weights)
}

/** The two orthogonal directions of length 1 nearest to these: their polar factor. Null where they span no plane. */
function nearestOrthogonal(directions: Dense): Dense | null {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(directions.transpose().mmul(directions))
  const [least, greatest] = realEigenvalues as [number, number]
  if (!(Math.sqrt(least * greatest) > NEGLIGIBLE * (least + greatest))) return null
  const root = Dense.diag(realEigenvalues.map((value) => 1 / Math.sqrt(value)))
  return directions.mmul(eigenvectorMatrix).mmul(root).mmul(eigenvectorMatrix.transpose())
}
