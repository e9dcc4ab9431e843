import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from './partition/seeded-random.ts'
import { discover, toPreviousRun, type ClusteringRequest } from './discover.ts'
import type { PreviousRun } from './identity/previous-run.ts'
import { normaliseRow, rowOf, zeroMatrix } from './matrix.ts'

const COLUMNS = 96
const EACH = 25

/**
 * A day of topics as loose as topics of short requests: the centroids of two samples of 25 have a cosine of 0.88. No
 * trace is in two days.
 */
function dayOf(
  topics: readonly number[],
  day: number,
  count = topics.length * EACH,
): Pick<ClusteringRequest, 'points' | 'traceIds'> {
  const points = zeroMatrix(count, COLUMNS)
  const traceIds = Array.from({ length: points.rows }, (_, row) => `tr_${day}_${String(row).padStart(4, '0')}`)
  for (let row = 0; row < points.rows; row++) {
    const random = createRandom(10_000 * day + row)
    const point = rowOf(points, row)
    for (let column = 0; column < COLUMNS; column++) point[column] = random() + random() - 1
    point[topics[row % topics.length]!]! += TOPIC
    normaliseRow(point)
  }
  return { points, traceIds }
}

const TOPIC = 2.1

/** Runs on consecutive days; the ids of each. */
function idsByDay(days: readonly (readonly number[])[], firstDay: number): readonly (readonly string[])[] {
  let previous: PreviousRun | null = null
  let made = 0
  return days.map((topics, day) => {
    const traces = dayOf(topics, firstDay + day)
    const request: ClusteringRequest = { ...traces, embedderVersion: 'one', previous, kMin: 2, kMax: 12, seed: 1 }
    const discovery = discover(request)!
    const ids = discovery.clusters.map(({ id }) => id ?? `clu_${++made}`)
    previous = toPreviousRun(discovery, request, ids)
    return ids
  })
}

const TEN = Array.from({ length: 10 }, (_, topic) => topic)

test('runs on days without a common trace keep their ids', () => {
  let [had, kept] = [0, 0]
  for (const firstDay of [0, 10, 20]) {
    const days = idsByDay([TEN, TEN, TEN, TEN], firstDay)
    days.slice(1).forEach((ids, day) => {
      had += days[day]!.length
      kept += days[day]!.filter((id) => ids.includes(id)).length
    })
  }
  assert.ok(kept >= 0.95 * had, `${kept} of ${had}`)
})

test('ids of replaced topics end', () => {
  for (const firstDay of [0, 10, 20]) {
    const [before, after] = idsByDay([TEN, TEN.map((topic) => topic + 3)], firstDay)
    const kept = before!.filter((id) => after!.includes(id)).length
    assert.ok(kept <= 7, `${kept} of 10 where 7 topics stayed`)
    assert.ok(kept >= 6, `${kept} of 10 where 7 topics stayed`)
  }
})

/** 400 traces of ten topics, of which this share is about another. */
const withRisen = (day: number, share: number) => {
  const hundred = Array.from({ length: 100 }, (_, at) => (at < 100 * share ? RISEN : at % 10))
  return dayOf(hundred, day, 400)
}
const RISEN = 11

test('a topic that rises slowly becomes a cluster, by its share in an earlier run', () => {
  let previous: PreviousRun | null = null
  const first = withRisen(0, 0)
  const created: number[] = []
  for (let day = 0; day <= 6; day++) {
    const traces = withRisen(day, 0.015 * day)
    const request: ClusteringRequest = {
      ...traces,
      embedderVersion: 'one',
      previous,
      kMin: 2,
      kMax: 20,
      seed: 1,
      ...(day > 0 && { earlier: first.points }),
    }
    const discovery = discover(request)!
    const news = discovery.changes.flatMap((change) => (change.kind === 'created' && day > 0 ? [change.cluster] : []))
    for (const cluster of news) {
      const members = [...discovery.assignments.keys()].filter((row) => discovery.assignments[row] === cluster)
      const risen = members.filter((row) => row % 100 < 1.5 * day).length
      assert.ok(risen > members.length / 2, `${risen} of ${members.length} on day ${day}`)
      created.push(cluster)
    }
    previous = toPreviousRun(
      discovery,
      request,
      discovery.clusters.map(({ id }, index) => id ?? `clu_${day}_${index}`),
    )
  }
  assert.equal(created.length, 1)
})
