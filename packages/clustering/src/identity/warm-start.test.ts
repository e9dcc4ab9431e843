import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../partition/seeded-random.ts'
import { discover, toPreviousRun, type ClusteringRequest } from '../discover.ts'
import { normaliseRow, rowOf, zeroMatrix } from '../matrix.ts'
import type { PreviousRun } from './previous-run.ts'

const TOPICS = 8
const COLUMNS = 16

interface VagueTrace {
  readonly id: string
  readonly topic: number
  readonly row: Float32Array
}

/**
 * Traces that lie nearly as far from the centre of their topic as topics from one another; traces of topic 0 lie
 * between topics 1 and 2.
 */
function vagueTraces(random: () => number): VagueTrace[] {
  return Array.from({ length: 30 * TOPICS }, (_, index) => {
    const topic = index % TOPICS
    const row = Float32Array.from({ length: COLUMNS }, () => 1.6 * (random() - 0.5))
    row[topic]! += topic === 0 ? 0.6 : 1
    if (topic === 0) {
      row[1]! += 0.6
      row[2]! += 0.5
    }
    normaliseRow(row)
    return { id: `tr_${String(index).padStart(4, '0')}`, topic, row }
  })
}

function requestOf(traces: readonly VagueTrace[], previous: PreviousRun | null): ClusteringRequest {
  const points = zeroMatrix(traces.length, COLUMNS)
  traces.forEach(({ row }, index) => rowOf(points, index).set(row))
  return { points, traceIds: traces.map(({ id }) => id), embedderVersion: 'one', previous, kMin: 2, kMax: 12, seed: 1 }
}

test('a new topic among vague ones does not take the ids of the others', () => {
  for (let seed = 0; seed < 40; seed++) {
    const traces = vagueTraces(createRandom(seed))
    const old = traces.filter(({ topic }) => topic !== 0)
    const first = requestOf(old.slice(0, 168), null)
    const before = discover(first)!
    const previous = toPreviousRun(
      before,
      first,
      before.clusters.map((_, index) => `clu_${index}`),
    )
    const coming = new Set(traces.filter(({ topic }) => topic === 0).slice(0, 20))
    const window = traces.filter((trace) => coming.has(trace) || old.indexOf(trace) >= old.length - 168)
    const after = discover(requestOf(window, previous))!
    const kept = after.clusters.filter(({ id }) => id !== null).length
    assert.ok(kept >= before.clusters.length - 2, `${kept} of ${before.clusters.length} ids at seed ${seed}`)
  }
})
