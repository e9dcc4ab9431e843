import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assignNew, reachesOf } from './assign-new.ts'
import { chooseRepresentatives } from './choose-representatives.ts'
import { dot } from './identity/cosines.ts'
import { rowOf } from './matrix.ts'
import { partsOf } from './partition/parts-of.ts'
import { Project, tracesOf } from './topics.test-support.ts'

const { points } = tracesOf([{ topic: 0, to: 200 }])
const centroid = Float32Array.from({ length: 24 }, (_, column) => (column === 0 ? 1 : 0))
const cosines = Float32Array.from({ length: 200 }, (_, point) => dot(rowOf(points, point), centroid))
const members = (count: number) =>
  partsOf(
    points,
    Uint32Array.from({ length: count }, (_, index) => index),
  )

test('the first representative is the nearest; there are five to ten, by the size of the cluster', () => {
  const sizes = [1, 4, 5, 30, 80, 200].map((count) => chooseRepresentatives(points, members(count), cosines).length)
  assert.deepEqual(sizes, [1, 4, 5, 5, 8, 10])
  const chosen = chooseRepresentatives(points, members(200), cosines)
  assert.equal(chosen[0]!.point, members(200)[0]![0])
  assert.equal(new Set(chosen.map(({ point }) => point)).size, 10)
})

test('the second representative is the one most unlike the first, of the nearer half of each part', () => {
  const mixed = tracesOf([
    { topic: 1, to: 60 },
    { topic: 2, to: 30 },
  ])
  const parts = partsOf(mixed.points, Uint32Array.from(mixed.traceIds.keys()))
  const [first, second] = chooseRepresentatives(mixed.points, parts, new Float32Array(90))
  const topicOf = (point: number) => mixed.traceIds[point]!.split('_')[2]
  assert.deepEqual([topicOf(first!.point), topicOf(second!.point)], ['1', '2'])
  const likeness = (point: number) => dot(rowOf(mixed.points, first!.point), rowOf(mixed.points, point))
  const near = [...parts[0]!.subarray(0, 30), ...parts[1]!.subarray(0, 15)]
  assert.equal(likeness(second!.point), Math.min(...near.map(likeness)))
})

test('a second copy of the same trace is no representative', () => {
  const twice = { ...points, values: points.values.slice() }
  const nearest = members(200)[0]![0]!
  const copy = nearest === 0 ? 1 : 0
  rowOf(twice, copy).set(rowOf(points, nearest))
  const copied = cosines.slice()
  copied[copy] = cosines[nearest]!
  const chosen = new Set(chooseRepresentatives(twice, members(200), copied).map(({ point }) => point))
  assert.ok(!(chosen.has(copy) && chosen.has(nearest)))
})

test('a later trace belongs to the nearest cluster, or to none when it is far from all', () => {
  const project = new Project()
  const { discovery, idOfTopic, ids } = project.run([0, 1, 2].map((topic) => ({ topic, to: 60 })))!
  const later = tracesOf([0, 1, 2, 9].map((topic) => ({ topic, from: 60, to: 80 })))
  const assigned = assignNew(later.points, discovery.centroids, discovery.reaches)
  const right = later.traceIds.filter((id, index) => {
    const topic = Number(id.split('_')[2])
    return ids[assigned[index]!] === idOfTopic.get(topic) && (topic !== 9 || assigned[index] === -1)
  })
  assert.ok(right.length >= 76, `${right.length} of 80`)
})

test("two percent of a cluster's traces are outside its reach", () => {
  const own = Float32Array.from({ length: 100 }, (_, index) => (index + 1) / 100)
  const [reach] = reachesOf(new Int32Array(100), own, 1)
  assert.equal(own.filter((cosine) => cosine < reach!).length, 2)
})
