import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@spoor/clustering/partition/seeded-random'
import { atOnce } from '../../lib/flow/in-slices.ts'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { createRates } from '../../pricing/pricer.ts'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { CountedFeature, FeatureQuery } from '../../ports/traces/trace-patterns.ts'
import { MemoryClusterMembers } from '../read/memory-cluster-members.test-support.ts'
import { idAt, PROJECT } from '../trace-builders.test-support.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { clearPatterns, findPatternsIn, type PatternDependencies } from './find-patterns.ts'

function feature(name: string, failed: number, succeeded: number, more: Partial<CountedFeature> = {}): CountedFeature {
  return {
    kind: 'tool',
    name,
    value: null,
    failed,
    succeeded,
    traces: name,
    examples: { failed: [], succeeded: [] },
    ...more,
  }
}

function found(features: readonly CountedFeature[], failed: number, succeeded: number) {
  return atOnce(clearPatterns(features, { failed, succeeded }))
}

test('what failed runs have more often, and less often, the clearest first; what all have, or few, is none', () => {
  const patterns = found(
    [
      feature('refund', 18, 2),
      feature('ask', 5, 19),
      feature('look', 20, 20),
      feature('note', 11, 9),
      feature('rare', 3, 0),
    ],
    20,
    20,
  )
  assert.deepEqual(
    patterns.map(({ name, moreIn, failed, succeeded }) => [name, moreIn, failed, succeeded]),
    [
      ['refund', 'failed', 18, 2],
      ['ask', 'succeeded', 5, 19],
    ],
  )
  // By hand: of C(40, 20) ways, C(20, 18) C(20, 2) and less likely ones; both sides; one of three that are tested.
  const ways = [choose(20, 18) * choose(20, 2), choose(20, 19) * choose(20, 1), 1]
  const p = (2 * ways.reduce((sum, one) => sum + one)) / choose(40, 20)
  assert.ok(Math.abs(patterns[0]!.qValue / (3 * p) - 1) < 1e-6, String(patterns[0]!.qValue))
})

test('of features of the same runs one is shown, and one number of steps', () => {
  const same = { traces: 'both' }
  const patterns = found(
    [
      feature('city', 15, 0, { kind: 'argument', value: 'Oslo', ...same }),
      feature('Timeout', 15, 0, { kind: 'error_type', ...same }),
      feature('', 16, 2, { kind: 'steps', value: '9', traces: 'nine' }),
      feature('', 15, 2, { kind: 'steps', value: '12', traces: 'twelve' }),
    ],
    20,
    20,
  )
  assert.deepEqual(
    patterns.map(({ kind, name, value }) => [kind, name, value]),
    [
      ['error_type', 'Timeout', null],
      ['steps', '', '9'],
    ],
  )
})

test('of two values that all runs have between them, that of failed runs is shown', () => {
  const value = (name: string, of: string, failed: number, succeeded: number) =>
    feature(name, failed, succeeded, { kind: 'metadata', value: of, traces: `${name} ${of}` })
  const shown = (features: readonly CountedFeature[]) =>
    found(features, 20, 20).map(({ name, value: of }) => `${name} ${of}`)
  const reward = [value('reward', '0', 19, 1), value('reward', '1', 1, 19)]
  assert.deepEqual(shown(reward), ['reward 0'])
  assert.deepEqual(shown(reward.toReversed()), ['reward 0'])
  // Some runs have a third value, or none: the two say more than one.
  assert.deepEqual(shown([value('tier', 'free', 19, 0), value('tier', 'paid', 0, 19)]), ['tier free', 'tier paid'])
  assert.deepEqual(shown([value('a', '0', 19, 1), value('b', '1', 1, 19)]), ['a 0', 'b 1'])
})

test('one side alone shows nothing', () => {
  assert.deepEqual(found([feature('a', 9, 0)], 9, 0), [])
  assert.deepEqual(found([feature('a', 0, 9)], 0, 9), [])
  assert.deepEqual(found([], 0, 0), [])
})

test('by chance alone hardly ever anything is found', () => {
  const random = createRandom(5)
  let alarms = 0
  for (let round = 0; round < 200; round++) {
    const runs = Array.from({ length: 100 }, () => ({
      failed: random() < 0.5,
      has: Array.from({ length: 60 }, random),
    }))
    const features = Array.from({ length: 60 }, (_, at) => {
      const having = runs.filter(({ has }) => has[at]! < (at + 1) / 61)
      const failed = having.filter((run) => run.failed).length
      return feature(String(at), failed, having.length - failed)
    })
    const failures = runs.filter(({ failed }) => failed).length
    if (found(features, failures, runs.length - failures).length > 0) alarms += 1
  }
  assert.ok(alarms <= 16, `${alarms} of 200`)
})

const ALL: Omit<FilteredRequest, 'projectId'> = {
  ...toTraceFilters('lists', {}),
  metadata: [],
  startTime: null,
  endTime: null,
  text: null,
}

test('members of a cluster of failures are compared with what succeeded where its discovery looked', async () => {
  const clusterAt = (number: number) => idAt('clu', 1, number)
  const [whole, part, ofPart, requests] = [clusterAt(1), clusterAt(2), clusterAt(3), clusterAt(4)]
  const ids = [10, 20, 30].map((at) => idAt('tr', at))
  const clusters = new MemoryClusterMembers()
  for (const id of [whole, part, ofPart, requests]) clusters.put(PROJECT, id, ids)
  const failures = (createdFrom: number, filters: typeof ALL | null) =>
    ({ kind: 'failures', createdFrom, filters }) as const
  const discoveries = new Map<string, Awaited<ReturnType<PatternDependencies['discoveryOf']>>>([
    [whole, failures(5, null)],
    [part, failures(7, { ...ALL, name: 'bot', status: 'error' })],
    [ofPart, failures(9, { ...ALL, cluster: part })],
    [requests, { ...failures(5, null), kind: 'requests' }],
  ])
  const asked: FeatureQuery[] = []
  const find = findPatternsIn({
    store: {
      async countFeatures(query) {
        asked.push(query)
        return { failed: 3, succeeded: 0, features: [], complete: true }
      },
    },
    discoveryOf: async (_projectId, id) => discoveries.get(id) ?? null,
    findMetric: async () => undefined,
    work: new WorkTurns(systemWorkTurns),
    clusters,
    ratesOf: createRates({ own: async () => new Map() }),
    watermark: () => ({ version: 1, lastTraceId: idAt('tr', 99), idLeadMs: 0 }),
    metricIdOf: async () => null,
    fullText: false,
    breathe: async () => undefined,
  })
  const queryOf = async (more: Partial<typeof ALL>) => {
    await find({ ...ALL, ...more, projectId: PROJECT, failureBy: 'status' })
    return asked.at(-1)!
  }
  const { failures: none, among, within } = await queryOf({ cluster: requests })
  assert.deepEqual([none, among, within], [null, ids, []])
  const ofWhole = await queryOf({ cluster: whole })
  assert.deepEqual([ofWhole.failures, ofWhole.among, ofWhole.startTime, ofWhole.within], [ids, null, 5, []])
  // Members that were created before the time of the request are not compared either.
  const late = await queryOf({ cluster: whole, startTime: 15 })
  assert.deepEqual([late.failures, late.startTime], [ids.slice(1), 15])
  const placesOf = ({ within: outer }: FeatureQuery) =>
    outer.map(({ filters: { name, status }, among: members, startTime }) => [name, status, members, startTime])
  // The status of a failed trace is no filter of those that did not fail.
  assert.deepEqual(placesOf(await queryOf({ cluster: part })), [['bot', null, null, null]])
  assert.deepEqual(placesOf(await queryOf({ cluster: ofPart })), [
    [null, null, null, 7],
    ['bot', null, null, null],
  ])
})

function choose(total: number, picked: number): number {
  let ways = 1
  for (let index = 1; index <= picked; index++) ways = (ways * (total - picked + index)) / index
  return ways
}
