/**
 * Measures the cost of embedding and grouping in a process of its own; memory is the process's peak. See
 * cluster-cost.ts.
 */
import { chooseK } from '../../../packages/clustering/src/partition/choose-k.ts'
import { createRandom } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { decodeFeatures, encodeFeatures } from '../../../packages/clustering/src/text/feature-codec.ts'
import { featuresOf } from '../../../packages/clustering/src/text/features.ts'
import { textOf } from '../../../packages/clustering/src/text/trace-text.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../../../packages/clustering/src/matrix.ts'
import type { CostJob, CostResult } from '../clusters/cluster-cost.ts'
import { embedTraces } from '../clusters/embed-traces.ts'
import { asked } from '../clusters/labelled-traces.ts'
import { sentence } from '../vocabulary.ts'
import { answerJobs } from './worker-process.ts'

const TOPICS = 12
const RANGE = { kMin: 2, kMax: 12 }
const KB_PER_MB = 1024
const BYTES_PER_MB = 1024 * 1024

answerJobs<CostJob, CostResult>(async (job) => {
  const random = createRandom(1)
  const points = job.kind === 'points' ? noisyPoints(job.count, job.dimensions, random) : null
  // The memory of an idle Node process is subtracted; the points themselves count.
  const beforeMb = process.memoryUsage.rss() / BYTES_PER_MB - (points?.values.byteLength ?? 0) / BYTES_PER_MB
  const before = process.cpuUsage()
  const vectors = points ?? embedShortTraces(job.count, job.dimensions, random)
  const { k } = chooseK(vectors, { ...RANGE, random })
  const { user, system } = process.cpuUsage(before)
  return { k, cpuSeconds: (user + system) / 1e6, memoryMb: process.resourceUsage().maxRSS / KB_PER_MB - beforeMb }
})

/**
 * From text to vectors as in a project: features are computed and stored when a trace is first seen, and a job reads
 * them.
 */
function embedShortTraces(count: number, rank: number, random: () => number): Matrix {
  const stored = Array.from({ length: count }, (_, index) =>
    encodeFeatures(featuresOf(textOf([asked(request(index, random))]))),
  )
  return embedTraces(count, (index) => decodeFeatures(stored[index]!)!, rank, random)
}

/** A dozen random words and four of its topic. */
function request(index: number, random: () => number): string {
  const own = Array.from(
    { length: 4 },
    () => `topic${'abcdefghijkl'[index % TOPICS]}${'pqrstuvw'[Math.floor(random() * 8)]}`,
  )
  return `${sentence(12, random)} ${own.join(' ')}`
}

function noisyPoints(rows: number, columns: number, random: () => number): Matrix {
  const middles = zeroMatrix(TOPICS, columns)
  middles.values.forEach((_, index) => (middles.values[index] = random() - 0.5))
  const points = zeroMatrix(rows, columns)
  for (let row = 0; row < rows; row++) {
    const point = rowOf(points, row)
    rowOf(middles, row % TOPICS).forEach((value, index) => (point[index] = value + 3 * (random() - 0.5)))
    normaliseRow(point)
  }
  return points
}
