import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Project, tracesOf } from '../topics.test-support.ts'
import { layOutMap } from './lay-out-map.ts'
import type { MapFrame } from './map-frame.ts'

const FOUR = [0, 1, 2, 3].map((topic) => ({ topic, to: 50 }))
const topicsOf = (traceIds: readonly string[]) => Int32Array.from(traceIds, (id) => Number(id.split('_')[2]))

function distances(first: MapFrame, second: MapFrame, pairs: Iterable<readonly [number, number]>): number[] {
  return Array.from(pairs, ([a, b]) =>
    Math.hypot(
      first.positions[2 * a]! - second.positions[2 * b]!,
      first.positions[2 * a + 1]! - second.positions[2 * b + 1]!,
    ),
  )
}

test('every trace is within the map, and nearer to the centre of its topic than to others', () => {
  const { points, traceIds } = tracesOf(FOUR.slice(0, 3))
  const topics = topicsOf(traceIds)
  const { positions } = layOutMap(points, { assignments: topics, k: 3 }, null)
  assert.ok(positions.every((value) => value >= -1 && value <= 1))
  assert.ok(positions.some((value) => Math.abs(value) === 1))
  const middles = [0, 1, 2].map((topic) => {
    const own = [...topics.keys()].filter((index) => topics[index] === topic)
    return [0, 1].map((axis) => own.reduce((sum, index) => sum + positions[2 * index + axis]!, 0) / own.length)
  })
  topics.forEach((topic, index) => {
    const distance = (other: number) =>
      Math.hypot(positions[2 * index]! - middles[other]![0]!, positions[2 * index + 1]! - middles[other]![1]!)
    for (const other of [0, 1, 2]) if (other !== topic) assert.ok(distance(topic) < distance(other))
  })
})

test('while the directions still separate the clusters, a trace stays exactly where it was', () => {
  const project = new Project()
  const first = project.run(FOUR)!
  const second = project.run(FOUR.map(({ topic }) => ({ topic, from: 10, to: 60 })))!
  const pairs = first.traceIds.flatMap((id, index) => {
    const now = second.traceIds.indexOf(id)
    return now < 0 ? [] : [[index, now] as const]
  })
  assert.equal(pairs.length, 160)
  assert.equal(Math.max(...distances(first.discovery.map, second.discovery.map, pairs)), 0)
})

test('the map of another embedder is turned back to the last one', () => {
  const project = new Project()
  const first = project.run(FOUR)!.discovery.map
  const turned = project.run(FOUR, { embedderVersion: 'two', turn: 5 })!.discovery.map
  const pairs = Array.from({ length: 200 }, (_, index) => [index, index] as const)
  assert.ok(Math.max(...distances(first, turned, pairs)) < 0.01)
})

test('new directions are turned towards the last ones', () => {
  const { points, traceIds } = tracesOf(FOUR)
  const topics = topicsOf(traceIds)
  const now = layOutMap(points, { assignments: topics, k: 4 }, null)
  const indexes = Int32Array.from(traceIds.keys())
  for (const [x, y] of [
    [1, -1],
    [-1, -1],
    [-1, 1],
  ] as const) {
    // The last map was mirrored, and hardly showed the clusters.
    const values = now.directions.values.map((value, at) => 0.5 * (at < now.directions.columns ? x : y) * value)
    const frame = { ...now, directions: { ...now.directions, values } }
    const { positions } = layOutMap(points, { assignments: topics, k: 4 }, { frame, indexes, comparable: true })
    now.positions.forEach((value, at) => assert.ok(Math.abs(positions[at]! - (at % 2 === 0 ? x : y) * value) < 1e-5))
  }
})
