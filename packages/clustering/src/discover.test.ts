import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discover, toPreviousRun } from './discover.ts'
import { pickRows, zeroMatrix } from './matrix.ts'
import { Project, tracesOf } from './topics.test-support.ts'

const FIVE = [0, 1, 2, 3, 4].map((topic) => ({ topic, to: 60 }))
const REQUEST = { embedderVersion: 'one', previous: null, kMin: 2, kMax: 12, seed: 1 }

test('in the first run every cluster is new, the largest first', () => {
  const { discovery } = new Project().run([
    { topic: 0, to: 90 },
    { topic: 1, to: 60 },
    { topic: 2, to: 30 },
  ])!
  assert.deepEqual(
    discovery.clusters.map(({ id, size }) => [id, size]),
    [
      [null, 90],
      [null, 60],
      [null, 30],
    ],
  )
  assert.deepEqual(
    discovery.changes,
    [0, 1, 2].map((cluster) => ({ kind: 'created', cluster })),
  )
  assert.deepEqual(discovery.ended, [])
})

test('the same request gives the same bytes', () => {
  const first = new Project()
  const second = new Project()
  for (const seed of [7, 8]) assert.deepEqual(first.run(FIVE, { seed }), second.run(FIVE, { seed }))
})

test('the same traces with another seed keep all ids and emit no event', () => {
  const project = new Project()
  const { ids } = project.run(FIVE)!
  for (const seed of [2, 3, 4]) {
    const again = project.run(FIVE, { seed })!
    assert.deepEqual(again.ids, ids)
    assert.deepEqual(again.discovery.changes, [])
  }
})

test("ids stay when the last run's clusters are listed in another order", () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const { previous } = project
  const order = [3, 0, 4, 2, 1]
  const { clusters, centroids, assignments } = previous!
  project.previous = {
    ...previous!,
    clusters: order.map((cluster) => clusters[cluster]!),
    centroids: pickRows(centroids, Uint32Array.from(order)),
    assignments: assignments.map((cluster) => order.indexOf(cluster)),
  }
  assert.deepEqual([...project.run(FIVE)!.idOfTopic].sort(), [...idOfTopic].sort())
})

test('a window that moves on keeps all ids', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  for (let step = 1; step <= 4; step++) {
    const moved = project.run(FIVE.map(({ topic }) => ({ topic, from: 15 * step, to: 60 + 15 * step })))!
    assert.deepEqual([...moved.idOfTopic].sort(), [...idOfTopic].sort())
    assert.deepEqual(moved.discovery.changes, [])
  }
})

test('a window of other traces keeps ids by their centroids', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const next = project.run(FIVE.map(({ topic }) => ({ topic, from: 60, to: 120 })))!
  assert.deepEqual([...next.idOfTopic].sort(), [...idOfTopic].sort())
  assert.deepEqual(next.discovery.changes, [])
})

test('a new topic is one new cluster, also in a window of other traces', () => {
  for (const from of [15, 60]) {
    const project = new Project()
    const { ids } = project.run(FIVE)!
    const moved = FIVE.map(({ topic }) => ({ topic, from, to: from + 60 }))
    const { discovery, ids: now, traceIds } = project.run([...moved, { topic: 9, to: 26 }])!
    assert.deepEqual(discovery.changes, [{ kind: 'created', cluster: 5 }])
    assert.deepEqual(now.slice(0, 5).sort(), [...ids].sort())
    traceIds.forEach((id, index) => assert.equal(discovery.assignments[index] === 5, id.endsWith('_9')))
  }
})

test('two new topics at once are two new clusters', () => {
  const project = new Project()
  const { ids } = project.run(FIVE)!
  const { discovery, ids: now, idOfTopic } = project.run([...FIVE, { topic: 8, to: 26 }, { topic: 9, to: 26 }])!
  assert.deepEqual(now.slice(0, 5).sort(), [...ids].sort())
  assert.deepEqual(
    discovery.changes.map(({ kind }) => kind),
    ['created', 'created'],
  )
  assert.notEqual(idOfTopic.get(8), idOfTopic.get(9))
})

test('a new topic near an old one that is small does not take its place', () => {
  const project = new Project()
  const small = { topic: 4, to: 8 }
  const { idOfTopic } = project.run([...FIVE.slice(0, 4), small], { kMin: 5, kMax: 12 })!
  const { discovery, idOfTopic: now } = project.run([...FIVE.slice(0, 4), small, { topic: 9, to: 30 }], {
    kMin: 5,
    kMax: 12,
  })!
  assert.equal(now.get(4), idOfTopic.get(4))
  assert.equal(discovery.changes.length, 1)
  assert.deepEqual(discovery.ended, [])
})

test('the id of a topic that vanished ends with it and is not given to another', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const rest = FIVE.slice(0, 4).map(({ topic }) => ({ topic, from: 15, to: 75 }))
  const { discovery, ids } = project.run([...rest, { topic: 9, to: 40 }])!
  assert.deepEqual(discovery.ended, [idOfTopic.get(4)])
  assert.ok(!ids.includes(idOfTopic.get(4)!))
  assert.equal(discovery.changes.filter(({ kind }) => kind === 'created').length, 1)
})

test('at k_max a new topic replaces the cluster with the least loss', () => {
  const project = new Project()
  const topics = [...FIVE.slice(0, 4), { topic: 4, to: 10 }]
  project.run(topics, { kMin: 5, kMax: 5 })
  const { discovery, idOfTopic } = project.run([...topics, { topic: 9, to: 60 }], { kMin: 5, kMax: 5 })!
  assert.equal(discovery.clusters.length, 5)
  assert.ok(discovery.changes.some(({ kind }) => kind === 'created'))
  assert.ok(idOfTopic.has(9))
})

test('at k_max a new topic replaces a cluster only when it gains more than the loss', () => {
  for (const [size, takesIt] of [
    [50, true],
    [26, false],
  ] as const) {
    const project = new Project()
    const topics = [...FIVE.slice(0, 4), { topic: 4, to: 24 }]
    const { ids } = project.run(topics, { kMin: 5, kMax: 5 })!
    const { discovery, ids: now } = project.run([...topics, { topic: 9, to: size }], { kMin: 5, kMax: 5 })!
    assert.equal(now.filter((id) => ids.includes(id)).length, takesIt ? 4 : 5, `${size}`)
    assert.equal(
      discovery.changes.some(({ kind }) => kind === 'created'),
      takesIt,
    )
  }
})

test('a cluster whose share grew is reported with its sizes', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const { discovery } = project.run([...FIVE.slice(0, 4), { topic: 4, to: 200 }])!
  const [change, ...others] = discovery.changes
  assert.deepEqual(others, [])
  assert.ok(change?.kind === 'shifted')
  assert.deepEqual(
    { ...change, share: change.share.toFixed(3) },
    {
      kind: 'shifted',
      cluster: 0,
      id: idOfTopic.get(4),
      reason: 'grew',
      similarity: 1,
      size: 200,
      previousSize: 60,
      share: (200 / 440).toFixed(3),
      previousShare: 0.2,
      joined: 140,
      left: 0,
      splitInto: [],
      mergedFrom: [],
    },
  )
})

test('another embedder keeps the ids and emits no event', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const moved = FIVE.map(({ topic }) => ({ topic, from: 15, to: 75 }))
  const seen = project.run(moved, { embedderVersion: 'two', turn: 7 })!
  assert.deepEqual([...seen.idOfTopic].sort(), [...idOfTopic].sort())
  assert.deepEqual(seen.discovery.changes, [])
})

test('another embedder that is given the last run keeps its ids, and a new topic is reported', () => {
  const project = new Project()
  const { idOfTopic } = project.run(FIVE)!
  const disjoint = FIVE.map(({ topic }) => ({ topic, from: 60, to: 120 }))
  const formerMembers = tracesOf(FIVE, 3)
  const later = project.run([...disjoint, { topic: 9, to: 30 }], { embedderVersion: 'two', turn: 3, formerMembers })!
  for (const [topic, id] of idOfTopic) assert.equal(later.idOfTopic.get(topic), id)
  assert.deepEqual(later.discovery.changes, [{ kind: 'created', cluster: 5 }])
})

test('another range of k is respected, with as many ids as fit', () => {
  const project = new Project()
  const { ids } = project.run(FIVE)!
  const fewer = project.run(FIVE, { kMin: 3, kMax: 3 })!
  assert.equal(fewer.ids.length, 3)
  assert.ok(fewer.ids.filter((id) => ids.includes(id)).length >= 1)
  const more = project.run(FIVE, { kMin: 7, kMax: 8 })!
  assert.ok(more.ids.length >= 7)
})

test('fewer than twenty traces are not clustered', () => {
  assert.equal(discover({ ...REQUEST, ...tracesOf([{ topic: 0, to: 19 }]) }), null)
  assert.notEqual(discover({ ...REQUEST, ...tracesOf([{ topic: 0, to: 20 }]) }), null)
})

test('identical or empty traces are one cluster in every run', () => {
  const traceIds = Array.from({ length: 30 }, (_, index) => `tr_${String(index).padStart(2, '0')}`)
  const same = zeroMatrix(30, 4)
  for (let row = 0; row < 30; row++) same.values[4 * row] = 1
  for (const points of [same, zeroMatrix(30, 4)]) {
    const request = { ...REQUEST, points, traceIds }
    const first = discover(request)!
    assert.deepEqual(
      first.clusters.map(({ size }) => size),
      [30],
    )
    assert.ok(first.map.positions.every((value) => Math.abs(value) <= 1))
    const again = discover({ ...request, previous: toPreviousRun(first, request, ['clu_1']) })!
    assert.deepEqual(
      again.clusters.map(({ id, size }) => [id, size]),
      [['clu_1', 30]],
    )
    assert.deepEqual(again.changes, [])
  }
})
