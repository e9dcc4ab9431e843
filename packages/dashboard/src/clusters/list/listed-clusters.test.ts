import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRun, ListedCluster } from '@spoor/contract/schemas/cluster'
import {
  changeOf,
  endedClusters,
  listClusters,
  listTopics,
  mixedInWords,
  projectErrorRate,
  sortClusters,
} from './listed-clusters.ts'
import { clusterSearch, type ClusterSort } from '../search.ts'

function clusterOf(id: string, size: number, errorRate = 0): ListedCluster {
  return {
    id,
    kind: 'requests',
    label: id,
    description: '',
    size,
    color: 'ok',
    keywords: [],
    error_rate: errorRate,
    judged: size,
    parent: null,
    selection_id: null,
    first_seen_at: '2026-01-01T00:00:00.000Z',
    automatic_label: null,
    typical_request: null,
    other_request: null,
    tightness: 1,
    mixed: false,
  }
}

function runOf(traces: number, clusters: readonly (readonly [id: string, size: number, label?: string])[]) {
  return { traces, clusters: clusters.map(([id, size, label = id]) => ({ id, size, label })) } as unknown as ClusterRun
}

const RUNS = [
  runOf(200, [['a', 100], ['b', 40, 'renamed'], ['c', 60]]), // prettier-ignore
  runOf(100, [['a', 30], ['b', 20], ['d', 50]]), // prettier-ignore
]

test('clusters are compared by share, because runs see different numbers of traces', () => {
  assert.equal(changeOf('a', RUNS).kind, 'grown')
  assert.equal(changeOf('b', RUNS).kind, 'same')
  assert.equal(changeOf('a', RUNS.toReversed()).kind, 'shrunk')
  assert.deepEqual(changeOf('c', RUNS), { kind: 'new' })
})

test('a changed name is reported', () => {
  const change = changeOf('b', RUNS)
  assert.equal('calledBefore' in change && change.calledBefore, 'b')
  const same = changeOf('a', RUNS)
  assert.equal('calledBefore' in same && same.calledBefore, null)
})

test('in the first run there is no change', () => {
  assert.deepEqual(changeOf('a', RUNS.slice(0, 1)), { kind: 'none' })
  assert.deepEqual(endedClusters(RUNS.slice(0, 1)), [])
})

test('a cluster of the previous run that the last run lacks has ended', () => {
  assert.deepEqual(
    endedClusters(RUNS).map(({ id }) => id),
    ['d'],
  )
})

test("the project's error rate weighs clusters by the traces that could be judged", () => {
  assert.equal(projectErrorRate([clusterOf('a', 30, 1), clusterOf('b', 90, 0)]), 0.25)
  assert.equal(projectErrorRate([{ ...clusterOf('a', 90, 1), judged: 10 }, clusterOf('b', 30, 0)]), 0.25)
  assert.equal(projectErrorRate([{ ...clusterOf('a', 90, 0), judged: 0 }]), null)
  assert.equal(projectErrorRate([]), null)
})

test('rows are sorted by any column, in both directions', () => {
  const listed = listClusters([clusterOf('a', 100, 0.1), clusterOf('b', 40, 0.9), clusterOf('c', 60, 0.5)], RUNS)
  const ids = (sort: Parameters<typeof sortClusters>[1], ascending = false) =>
    sortClusters(listed, sort, ascending).map(({ cluster }) => cluster.id)
  assert.deepEqual(ids('size'), ['a', 'c', 'b'])
  assert.deepEqual(ids('size', true), ['b', 'c', 'a'])
  assert.deepEqual(ids('failed'), ['b', 'c', 'a'])
  assert.deepEqual(ids('change'), ['c', 'a', 'b'])
  assert.deepEqual(ids('name'), ['a', 'b', 'c'])
  assert.deepEqual(
    listed.map(({ share }) => share),
    [0.5, 0.2, 0.3],
  )
})

test('topics have the sums of their clusters and their order; clusters without one come last', () => {
  const of = (id: string, size: number, errorRate: number, parent: string | null) =>
    Object.assign(clusterOf(id, size, errorRate), { parent })
  const clusters = [of('a', 50, 0, null), of('b', 40, 0.5, 'rare'), of('c', 35, 0, 'usual'), of('d', 25, 0.2, 'usual')]
  const topics = (sort: ClusterSort, ascending = false) =>
    listTopics(sortClusters(listClusters(clusters, []), sort, ascending), sort, ascending)
  assert.deepEqual(
    topics('size').map(({ cluster, share, rows }) => [
      cluster.label,
      cluster.size,
      share,
      cluster.error_rate,
      rows.length,
    ]),
    [
      ['usual', 60, 35 / 150 + 25 / 150, 5 / 60, 2],
      ['rare', 40, 40 / 150, 0.5, 1],
      ['', 50, 50 / 150, 0, 1],
    ],
  )
  const names = (...by: Parameters<typeof topics>) => topics(...by).map(({ cluster }) => cluster.label)
  assert.deepEqual(names('failed'), ['rare', 'usual', ''])
  assert.deepEqual(names('size', true), ['rare', 'usual', ''])
  assert.deepEqual(names('name'), ['rare', 'usual', ''])
})

test('the URL is parsed, and invalid values are dropped', () => {
  const cluster = 'clu_01m80dg01vexc8msdn3fnw7bsr'
  assert.deepEqual(clusterSearch({ cluster, sort: 'failed', ascending: true, other: 1 }), {
    cluster,
    sort: 'failed',
    ascending: true,
  })
  assert.deepEqual(clusterSearch({ cluster: '<script>', sort: 'constructor', ascending: 'yes' }), {})
})

test('mixed clusters are counted, with what may split them when the maximum limited the number', () => {
  const run = (count: number) =>
    ({ k_max: 12, clusters: Array.from({ length: count }, (_, id) => ({ id })) }) as unknown as ClusterRun
  const mixed = { ...clusterOf('a', 1), mixed: true }
  const plain = clusterOf('b', 1)
  assert.equal(mixedInWords([plain], run(8)), null)
  assert.equal(mixedInWords([plain, mixed], run(6)), '1 cluster is mixed.')
  assert.equal(mixedInWords([mixed, plain], undefined), '1 cluster is mixed.')
  assert.equal(
    mixedInWords([plain, mixed], run(7)),
    '1 cluster is mixed. A discovery with a maximum above 12 may split it.',
  )
  assert.equal(
    mixedInWords([mixed, mixed], run(12)),
    '2 clusters are mixed. A discovery with a maximum above 12 may split them.',
  )
})
