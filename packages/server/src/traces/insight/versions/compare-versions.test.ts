import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { systemWorkTurns, WorkTurns } from '../../../lib/flow/work-turns.ts'
import { createRates } from '../../../pricing/pricer.ts'
import type { OnceEvents } from '../../../ports/journal/journal.ts'
import type { CountedVersion } from '../../../ports/traces/trace-versions.ts'
import { idAt, PROJECT } from '../../trace-builders.test-support.ts'
import { compareVersionsIn, type CompareVersions } from './compare-versions.ts'
import { type Regression, RegressionReports } from './report-regressions.ts'

const CLUSTER = { id: idAt('clu', 1, 1), label: 'refunds' }
const REQUEST = {
  projectId: PROJECT,
  ...toTraceFilters('lists', {}),
  metadata: [],
  startTime: null,
  endTime: null,
  text: null,
  failureBy: 'status',
  limit: 10,
}

/** Runs of a version; every `failsEvery`-th fails. Those with an even number are in the cluster. */
function version(name: string, startAt: number, count: number, failsEvery: number): CountedVersion {
  const first = Array.from({ length: count }, (_, at) => {
    return { id: idAt('tr', startAt + at, at + 1), failed: at % failsEvery === failsEvery - 1 }
  })
  const failed = first.filter((run) => run.failed).length
  return { version: name, runs: count, failed, firstAt: startAt, lastAt: startAt + count - 1, first }
}

/** `asked` are the queries of the store. */
function compareIn(versions: readonly CountedVersion[], keptFrom = -Infinity) {
  const members = versions.flatMap(({ first }) => first.filter((_, at) => at % 2 === 0).map(({ id }) => id)).sort()
  const asked: unknown[] = []
  const compare = compareVersionsIn({
    store: {
      async countVersions({ versionKey, failure, limit }) {
        asked.push([versionKey, failure, limit])
        return versions
      },
    },
    work: new WorkTurns(systemWorkTurns),
    settingsOf: async () => ({ versionKey: 'release', keptFrom }),
    findMetric: async () => undefined,
    clustersOf: async () => [CLUSTER],
    clusters: {
      place: async () => ({ lowestId: members[0]!, highestId: members.at(-1)! }),
      members: async (_place, after) => members.filter((id) => id > (after ?? '')),
      membersAmong: async () => new Set(),
    },
    ratesOf: createRates({ own: async () => new Map() }),
    watermark: () => ({ version: 1, lastTraceId: 'tr_z' as TraceId, idLeadMs: 0 }),
    metricIdOf: async () => null,
    fullText: false,
    breathe: async () => undefined,
  })
  return { compare, asked }
}

test('a version is compared with the latest earlier one that has enough runs', async () => {
  const { compare, asked } = compareIn([
    version('3', 30_000, 300, 2),
    version('3-rc', 20_000, 5, 1),
    version('2', 10_000, 300, 10),
  ])
  const { versionKey, versions } = await compare(REQUEST)
  assert.deepEqual([versionKey, asked], ['release', [['release', { kind: 'status' }, 20]]])
  const [newest, candidate, oldest] = versions
  const { evidence, ...comparison } = newest!.comparison!
  assert.deepEqual(comparison, {
    comparedWith: '2',
    now: { failed: 150, runs: 300 },
    before: { failed: 30, runs: 300 },
    regressed: true,
  })
  assert.ok(evidence > 1e6)
  // Every failed run of version 3 is outside the cluster, where it is better than before.
  const { regressed, now, before } = newest!.clusters[0]!
  assert.deepEqual([regressed, now, before], [false, { failed: 0, runs: 150 }, { failed: 0, runs: 150 }])
  assert.deepEqual([candidate!.comparison!.comparedWith, oldest!.comparison], ['2', null])
  assert.deepEqual((await compare({ ...REQUEST, limit: 1 })).versions.length, 1)
})

test('versions whose first runs may have been deleted by retention are not compared', async () => {
  const all = [version('3', 30_000, 300, 2), version('2', 20_000, 300, 10), version('1', 10_000, 300, 10)]
  const { versions } = await compareIn(all, 20_000).compare(REQUEST)
  assert.deepEqual(
    versions.map(({ comparison, clusters }) => [comparison?.comparedWith, clusters.length]),
    [
      ['2', 1],
      [undefined, 0],
      [undefined, 0],
    ],
  )
})

test('a version that is no worse has not regressed, and an unknown measure is refused', async () => {
  const { compare } = compareIn([version('2', 20_000, 900, 10), version('1', 10_000, 900, 10)])
  const [newest] = (await compare(REQUEST)).versions
  assert.equal(newest!.comparison!.regressed, false)
  assert.ok(newest!.comparison!.evidence < 1)
  await assert.rejects(compare({ ...REQUEST, failureBy: 'metric:none' }), { code: 'validation_failed' })
})

test('a regression is emitted once, over all runs and in each cluster, with the patterns of its runs', async () => {
  const committed: OnceEvents[] = []
  const compared: CompareVersions = async () => {
    const comparison = { now: { failed: 9, runs: 9 }, before: { failed: 0, runs: 9 }, evidence: 99, regressed: true }
    const better = { ...comparison, regressed: false, cluster: { ...CLUSTER, id: 'clu_2' as ClusterId } }
    const one = { version: '2', runs: 9, failed: 9, firstAt: 1, lastAt: 2 }
    const found = { ...one, comparison: { comparedWith: '1', ...comparison } }
    return {
      versionKey: 'release',
      versions: [
        { ...found, clusters: [{ cluster: CLUSTER, ...comparison }, better] },
        { ...one, version: '1', comparison: null, clusters: [] },
      ],
    }
  }
  const asked: unknown[] = []
  let isAway = true
  const reports = new RegressionReports({
    compareVersions: compared,
    async findPatterns({ metadata, cluster, failureBy }) {
      asked.push([metadata, cluster, failureBy])
      return { patterns: [], failed: 9, succeeded: 0, complete: true }
    },
    failureByOf: async () => 'metadata:reward=0',
    async commitOnce(once) {
      if (isAway) throw new Error('away')
      committed.push(once)
    },
    print: ({ version: name, cluster }: Regression) => `${name} ${cluster?.label ?? 'all'}`,
  })
  await assert.rejects(reports.report(PROJECT), /away/)
  isAway = false
  await reports.report(PROJECT)
  await reports.report(PROJECT)
  assert.deepEqual(
    committed.map(({ events }) => events),
    ['2 all', '2 refunds'].map((data) => [{ type: 'version.regressed', data }]),
  )
  assert.equal(new Set(committed.map(({ key }) => key)).size, 2)
  const metadata = [{ key: 'release', value: '2' }]
  assert.deepEqual(asked.slice(-2), [
    [metadata, null, 'metadata:reward=0'],
    [metadata, CLUSTER.id, 'metadata:reward=0'],
  ])
})
