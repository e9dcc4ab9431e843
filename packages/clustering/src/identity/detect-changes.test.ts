import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroMatrix } from '../matrix.ts'
import { detectChanges } from './detect-changes.ts'
import { countOverlap } from './overlap.ts'
import type { PreviousRun } from './previous-run.ts'
import { IDENTITY_THRESHOLDS } from './thresholds.ts'

/** Traces by their former and current cluster; a former cluster of -1 is a new trace. */
type Moves = readonly (readonly [then: number, now: number, traces: number])[]

/** The events if clusters of this run match the clusters of the last run by `pairs`. */
function detect(moves: Moves, pairs: readonly (number | null)[], gone: readonly number[] = []) {
  const flat = moves.flatMap(([then, now, traces]) => Array.from({ length: traces }, () => [then, now] as const))
  const before = Int32Array.from(flat, ([then]) => then)
  const now = Int32Array.from(flat, ([, cluster]) => cluster)
  const previousSizes = countSizes(before)
  gone.forEach((traces, cluster) => (previousSizes[cluster] = (previousSizes[cluster] ?? 0) + traces))
  const previousK = previousSizes.length
  const overlap = countOverlap(before, previousK, now, pairs.length)
  const sizes = Uint32Array.from({ length: pairs.length }, (_, index) => countSizes(now)[index] ?? 0)
  const previous: PreviousRun = {
    embedderVersion: 'one',
    clusters: previousSizes.map((size, index) => ({ id: `clu_${index}`, size, cohesion: 1 })),
    centroids: zeroMatrix(previousK, 1),
    traceIds: Array.from({ length: previousSizes.reduce((sum, size) => sum + size, 0) }, (_, index) => `tr_${index}`),
    assignments: new Int32Array(0),
    refusedGain: 0,
    kMin: 2,
    kMax: 12,
    map: { directions: zeroMatrix(2, 1), centre: new Float32Array(1), scale: 1, positions: new Float32Array(0) },
  }
  const matches = pairs.map((then, cluster) => {
    if (then === null) return null
    const both = overlap.counts[then * pairs.length + cluster]!
    const commonTraces = overlap.previous[then]! + overlap.current[cluster]! - both
    return { previous: then, jaccard: both / commonTraces, commonTraces, cosine: 0.95, likeness: 1 }
  })
  return detectChanges({ previous, matches, overlap, sizes, traceCount: now.length }, IDENTITY_THRESHOLDS)
}

function countSizes(assignments: Int32Array): number[] {
  const sizes: number[] = []
  for (const cluster of assignments) if (cluster >= 0) sizes[cluster] = (sizes[cluster] ?? 0) + 1
  return Array.from(sizes, (size) => size ?? 0)
}

const emitted = (changes: ReturnType<typeof detect>) =>
  changes.map((change) => (change.kind === 'created' ? [change.cluster, 'created'] : [change.cluster, change.reason]))

test('clusters with the same traces emit no event', () => {
  assert.deepEqual(
    detect(
      [
        [0, 0, 80],
        [0, 1, 10],
        [1, 1, 90],
        [1, 0, 10],
      ],
      [0, 1],
    ),
    [],
  )
})

test('a cluster without a match is created', () => {
  assert.deepEqual(
    emitted(
      detect(
        [
          [0, 0, 100],
          [-1, 1, 50],
        ],
        [0, null],
      ),
    ),
    [[1, 'created']],
  )
})

test('after a split the larger part keeps the id and reports where the rest went', () => {
  const changes = detect(
    [
      [0, 0, 60],
      [0, 2, 40],
      [1, 1, 100],
    ],
    [0, 1, null],
  )
  assert.deepEqual(emitted(changes), [
    [0, 'split'],
    [2, 'created'],
  ])
  assert.ok(changes[0]?.kind === 'shifted')
  assert.deepEqual(changes[0].splitInto, [2])
  assert.deepEqual([changes[0].left, changes[0].joined, changes[0].similarity], [40, 0, 0.6])
})

test('after a merge the clusters that were taken in are reported', () => {
  const changes = detect(
    [
      [0, 0, 60],
      [1, 0, 40],
      [2, 1, 100],
    ],
    [0, 2],
  )
  assert.deepEqual(emitted(changes), [[0, 'merged']])
  assert.ok(changes[0]?.kind === 'shifted')
  assert.deepEqual(changes[0].mergedFrom, ['clu_1'])
  assert.deepEqual([changes[0].left, changes[0].joined], [0, 40])
})

test('traces exchanged with many others are reported as a change of membership', () => {
  const moves: Moves = [
    [0, 0, 60],
    [0, 1, 12],
    [0, 2, 12],
    [0, 3, 12],
    [1, 1, 100],
    [2, 2, 100],
    [3, 3, 100],
  ]
  assert.deepEqual(emitted(detect(moves, [0, 1, 2, 3])), [[0, 'membership']])
})

test('a change of the share is reported only from five points and half of what it was, when significant', () => {
  const share = (before: number, after: number, total: number) =>
    // Other traces, so that the clusters match by their centroids.
    emitted(
      detect(
        [
          [-1, 0, after],
          [-1, 1, total - after],
        ],
        [0, 1],
        [before, total - before],
      ),
    )
  assert.deepEqual(share(100, 200, 1000), [[0, 'grew']])
  assert.deepEqual(share(200, 100, 1000), [[0, 'shrank']])
  assert.deepEqual(share(100, 140, 1000), [], 'four points')
  assert.deepEqual(share(300, 400, 1000), [], 'a third')
  assert.deepEqual(share(5, 10, 50), [], 'z is 1.4')
})
