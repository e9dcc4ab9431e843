import assert from 'node:assert/strict'
import { type ScoredBy, scoredByMetric } from '../metrics/scored-by.ts'
import { test } from 'node:test'
import type { MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import {
  BEGIN_MS,
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../traces/trace-builders.test-support.ts'
import type { MetricEventRecord } from '../journal/metric-event.ts'
import { NOTHING_SAID } from '../../traces/intake/step-said.ts'
import { argumentTerms } from '../../traces/rules/argument-terms.ts'
import { costKey } from '../../pricing/cost-key.ts'
import { EMPTY_DIGEST } from '../../traces/rules/trace-digest.ts'
import { type ModelRates, type TokenRates, UNKNOWN_COST } from '../prices/price.ts'
import type { TraceDigest, TraceRecord } from './trace-record.ts'
import {
  type FeedCandidateQuery,
  FIRST_STEPS,
  HIT_TEXT_BYTES,
  type NewMetricEvent,
  type NewStep,
  type TraceReads,
} from './trace-store.ts'
import {
  METRIC,
  metricEventRecord,
  newMetricEvent,
  OTHER_METRIC,
} from '../../traces/commit/metric-event-builders.test-support.ts'
import { NO_TOKENS } from '../../traces/rules/rollup.ts'
import { metadataValueTerms, modelTerm, runTypeTerm, wordTerm } from '../../traces/rules/terms.ts'

export interface ConformanceStore {
  readonly store: TraceReads
  /** Commits these rows, and resolves when they are readable. */
  write(
    traces: readonly TraceRecord[],
    steps: readonly NewStep[],
    metricEvents?: readonly NewMetricEvent[],
  ): Promise<void>
  /** Lets the engine merge away what it may. */
  merge(): Promise<void>
}

/** The engine purges in its own time: how often it is called again, and the pause between. */
const PURGE_ROUNDS = 2400
const PURGE_PAUSE_MS = 25

const ALL = Number.MAX_SAFE_INTEGER

/**
 * What every TraceReads promises. `open` gives the store that all tests share: each takes trace ids and versions of its
 * own, so that one engine serves them all.
 */
export function testTraceStore(open: () => ConformanceStore): void {
  let begun = 0
  /** Ids of a day and versions of a thousand that no other test uses. */
  const own = () => {
    const number = begun++
    const base = number * 1000
    const createdAt = BEGIN_MS + number * 86_400_000
    return {
      base,
      id: (index: number): TraceId => idAt('tr', createdAt, index + 1),
      trace: (index: number, version: number, fields: Partial<TraceRecord> = {}) =>
        traceRecord(idAt('tr', createdAt, index + 1), { createdAt, version: base + version, ...fields }),
      query: (fields: Partial<FeedCandidateQuery> = {}): FeedCandidateQuery => ({
        projectId: PROJECT,
        termGroups: [],
        bounds: [],
        steps: null,
        rates: null,
        words: null,
        lowestId: idAt('tr', createdAt),
        highestId: idAt('tr', createdAt, 999),
        created: null,
        among: null,
        sort: 'created_at',
        order: 'desc',
        atVersion: null,
        after: null,
        limit: 100,
        ...fields,
      }),
    }
  }

  test('an id is taken whatever the project of its trace is, deleted or not', async () => {
    const { store, write } = open()
    const { trace, id } = own()
    await write([trace(0, 1), trace(1, 2, { projectId: OTHER_PROJECT }), trace(2, 3, { deleted: true })], [])
    assert.deepEqual(await store.findTaken([id(0), id(1), id(2), id(3)]), new Set([id(0), id(1), id(2)]))
    assert.deepEqual(await store.findTaken([id(3)]), new Set())
    assert.deepEqual(await store.findTaken([]), new Set())
  })

  test('a trace and its steps come back as they were written', async () => {
    const { store, write } = open()
    const { trace } = own()
    const full = trace(0, 1, FULL_TRACE)
    const bare = trace(1, 1)
    const step = newStep(full, 0, FULL_STEP)
    const bareStep = newStep(full, 1)
    await write([full, bare], [step, bareStep])
    assert.deepEqual(byId(await store.findTraces(PROJECT, [full.id, bare.id], ALL)), [full, bare])
    const steps = await store.findSteps(rangeOf(full))
    assert.deepEqual(steps[0], {
      ...stepFields(step),
      parentStepId: FULL_STEP.parentStepId,
      parentInferred: true,
      body: step.prepared.body.toString(),
    })
    assert.deepEqual(steps[1], { ...stepFields(bareStep), parentStepId: null, parentInferred: false, body: '{}' })
    assert.deepEqual(await store.findStepSizes(rangeOf(full)), [
      { position: 0, bodyBytes: step.prepared.body.length },
      { position: 1, bodyBytes: 2 },
    ])
    assert.deepEqual(await idsOf(store, PROJECT, full.id, 9), [step.id, bareStep.id])
    assert.deepEqual(await idsOf(store, PROJECT, full.id, 1), [step.id])
  })

  test('a candidate that brings its trace along brings the newest version, however many there are', async () => {
    const { store, write } = open()
    const { trace, query } = own()
    for (let version = 1; version <= 24; version++) {
      // The first is changed in every commit, the others now and then.
      const changed = [0, 1, 2, 3].filter((index) => version % (index + 1) === 0)
      await write(
        changed.map((index) => trace(index, version, { name: `version ${version}` })),
        [],
      )
    }
    for (const order of ['asc', 'desc'] as const) {
      for (const limit of [1, 2, 4, 100]) {
        const candidates = await store.findFeedCandidates(query({ order, limit }))
        const expected = [0, 1, 2, 3].map((index) => trace(index, 0).id)
        assert.deepEqual(
          candidates.map(({ id }) => id),
          (order === 'asc' ? expected : expected.toReversed()).slice(0, limit),
        )
        for (const { trace: brought } of candidates) {
          if (brought !== undefined) assert.equal(brought.name, 'version 24')
        }
      }
    }
  })

  test('a trace is opened with the beginning of its steps, up to one that is large', async () => {
    const { store, write } = open()
    const { base, trace } = own()
    const opened = trace(0, 1, { stepCount: 40 })
    const large = Buffer.from(`{"metadata":{"text":"${'x'.repeat(FIRST_STEPS.bodyBytes)}"}}`)
    const steps = Array.from({ length: 40 }, (_, position) =>
      newStep(opened, position, { prepared: preparedStep({ name: `step ${position}` }) }),
    )
    const cut = trace(1, 1, { stepCount: 3 })
    const bodies = [Buffer.from('{}'), large, Buffer.from('{}')]
    const ofCut = bodies.map((body, position) => newStep(cut, position, { prepared: preparedStep({ body }) }))
    await write([opened, cut, trace(2, 1)], [...steps, ...ofCut])
    const positions = async (index: number) =>
      (await store.openTrace(PROJECT, trace(index, 0).id, base + 1)).firstSteps.map(({ position }) => position)
    // A store may leave the beginning out, and never has a hole in it.
    const first = await positions(0)
    assert.ok(first.length <= FIRST_STEPS.count)
    assert.deepEqual(
      first,
      first.map((_, at) => at),
    )
    assert.ok((await positions(1)).length <= 1)
    assert.deepEqual(await positions(2), [])
    assert.deepEqual((await store.openTrace(PROJECT, opened.id, base + 1)).trace, opened)
    assert.equal((await store.openTrace(OTHER_PROJECT, opened.id, base + 1)).trace, undefined)
  })

  test('of a step with several versions, reads see the greatest up to theirs', async () => {
    const { store, write, merge } = open()
    const { base, trace } = own()
    const spans = { rootSeen: true, rootStatus: 'ok' as const, nameRank: 3, nameStartedAt: null }
    const first = trace(0, 1, { stepCount: 3, spans })
    const body = (text: string) => Buffer.from(`{"metadata":{"text":"${text}"}}`)
    const step = (of: TraceRecord, position: number, text: string, fields: Partial<NewStep> = {}) =>
      newStep(of, position, { prepared: preparedStep({ name: text, body: body(text) }), ...fields })
    await write([first], [step(first, 0, 'a'), step(first, 1, 'b'), step(first, 2, 'c')])
    const second = trace(0, 2, { stepCount: 4, spans })
    const large = 'x'.repeat(FIRST_STEPS.bodyBytes)
    await write([second], [step(second, 0, large, { replaces: true }), step(second, 3, 'd')])
    const third = trace(0, 3, { stepCount: 4, spans })
    await write([third], [step(third, 2, 'new c', { replaces: true })])
    const check = async (version: number, names: readonly string[]) => {
      const range = { ...rangeOf(first), maxVersion: base + version }
      const steps = await store.findSteps(range)
      assert.deepEqual(
        steps.map(({ name, position }) => [name, position]),
        names.map((name, at) => [name, at]),
      )
      assert.deepEqual(
        await store.findStepSizes(range),
        names.map((name, position) => ({ position, bodyBytes: body(name).length })),
      )
      assert.deepEqual(
        (await store.findSteps({ ...range, fromPosition: 1, limit: 2 })).map(({ name }) => name),
        names.slice(1, 3),
      )
      const { firstSteps } = await store.openTrace(PROJECT, first.id, base + version)
      assert.deepEqual(
        firstSteps.map(({ name }) => name),
        names.slice(0, firstSteps.length),
      )
    }
    await check(3, [large, 'b', 'new c', 'd'])
    await check(2, [large, 'b', 'c', 'd'])
    await check(1, ['a', 'b', 'c'])
    assert.equal((await idsOf(store, PROJECT, first.id, 9)).length, 4)
    await merge()
    await check(3, [large, 'b', 'new c', 'd'])
  })

  test('the greatest version up to the one asked for is the truth', async () => {
    const { store, write, merge } = open()
    const { base, trace } = own()
    const versions = [1, 3, 5].map((version) =>
      trace(0, version, { name: `version ${version}`, deleted: version === 5 }),
    )
    for (const version of versions) await write([version], [])
    const at = async (version: number) => (await store.findTraces(PROJECT, [trace(0, 0).id], base + version))[0]?.name
    assert.deepEqual(
      [await at(1), await at(2), await at(3), await at(4), await at(9)],
      ['version 1', 'version 1', 'version 3', 'version 3', 'version 5'],
    )
    await merge()
    assert.equal(await at(4), 'version 5', 'the oldest there still is')
    assert.equal((await store.findTraces(PROJECT, [trace(0, 0).id], ALL))[0]?.deleted, true)
  })

  test('another project has no part in it', async () => {
    const { store, write } = open()
    const { trace, query } = own()
    const [mine, foreign] = [trace(0, 1), trace(1, 1, { projectId: OTHER_PROJECT })]
    await write([mine, foreign], [newStep(mine, 0), newStep(foreign, 0)])
    assert.deepEqual(await store.findTraces(OTHER_PROJECT, [mine.id], ALL), [])
    assert.deepEqual(ids(await store.findTraces(PROJECT, [mine.id, foreign.id], ALL)), [mine.id])
    assert.deepEqual(await store.findSteps({ ...rangeOf(mine), projectId: OTHER_PROJECT }), [])
    assert.deepEqual(await idsOf(store, OTHER_PROJECT, mine.id, 9), [])
    assert.deepEqual(ids(await store.findFeedCandidates(query())), [mine.id])
    assert.deepEqual(await store.findTraces(PROJECT, [], ALL), [])
  })

  test('steps are read by position, bounded by version', async () => {
    const { store, write } = open()
    const { base, trace } = own()
    const first = trace(0, 1)
    await write(
      [first],
      [2, 0, 1].map((position) => newStep(first, position)),
    )
    const second = trace(0, 2)
    await write([second], [newStep(second, 3), newStep(second, 4)])
    const positions = async (fields: object) =>
      (await store.findSteps({ ...rangeOf(first), ...fields })).map(({ position }) => position)
    assert.deepEqual(await positions({}), [0, 1, 2, 3, 4])
    assert.deepEqual(await positions({ fromPosition: 1, limit: 2 }), [1, 2])
    assert.deepEqual(await positions({ maxVersion: base + 1 }), [0, 1, 2])
    assert.deepEqual(await positions({ fromPosition: 5 }), [])
  })

  test('a purged trace is gone with its steps, others stay; while it goes it never shows again', async () => {
    const { store, write } = open()
    const { trace } = own()
    const [gone, kept] = [trace(0, 1), trace(1, 1)]
    await write([gone, kept], [newStep(gone, 0), newStep(kept, 0)])
    await write([trace(0, 2, { deleted: true })], [])
    const pending = [{ projectId: PROJECT, traceId: gone.id }]
    await purged(async () => {
      const done = await store.purgeTraces(pending)
      const found = await store.findTraces(PROJECT, [gone.id], ALL)
      assert.ok(
        found.every(({ deleted }) => deleted),
        'it came back to life',
      )
      return done
    }, pending)
    assert.deepEqual(ids(await store.findTraces(PROJECT, [gone.id, kept.id], ALL)), [kept.id])
    assert.deepEqual(await store.findSteps(rangeOf(gone)), [])
    assert.equal((await store.findSteps(rangeOf(kept))).length, 1)
    assert.deepEqual(await store.purgeTraces(pending), pending, 'a second time is harmless')
    assert.deepEqual(await store.purgeTraces([]), [])
  })

  test('candidates by creation: each id once, in order, after the cursor, within the bounds', async () => {
    const { store, write } = open()
    const { trace, id, query } = own()
    await write(
      [0, 1, 2, 3].map((index) => trace(index, 1)),
      [],
    )
    await write([trace(1, 2), trace(2, 2)], [])
    const found = async (fields: Partial<FeedCandidateQuery>) => ids(await store.findFeedCandidates(query(fields)))
    assert.deepEqual(await found({}), [3, 2, 1, 0].map(id))
    assert.deepEqual(await found({ order: 'asc' }), [0, 1, 2, 3].map(id))
    assert.deepEqual(await found({ limit: 2 }), [3, 2].map(id))
    assert.deepEqual(await found({ after: { key: 0, id: id(2) } }), [1, 0].map(id))
    assert.deepEqual(await found({ order: 'asc', after: { key: 0, id: id(2) } }), [3].map(id))
    assert.deepEqual(await found({ lowestId: id(1), highestId: id(2) }), [2, 1].map(id))
    assert.deepEqual(await found({ lowestId: id(2), highestId: id(1) }), [])
  })

  test('candidates by a changing key: every version with the key it had, up to the one asked for', async () => {
    const { store, write } = open()
    const { base, trace, id, query } = own()
    await write([trace(0, 1, { stepCount: 5 }), trace(1, 1, { stepCount: 7 })], [])
    await write([trace(0, 2, { stepCount: 9 })], [])
    const found = async (fields: Partial<FeedCandidateQuery>) =>
      (await store.findFeedCandidates(query({ sort: 'step_count', ...fields }))).map(({ id: of, version, key }) => [
        of,
        version - base,
        key,
      ])
    assert.deepEqual(await found({ atVersion: base + 1 }), [
      [id(1), 1, 7],
      [id(0), 1, 5],
    ])
    assert.deepEqual(await found({ order: 'asc', atVersion: base + 2, after: { key: 5, id: id(0) } }), [
      [id(1), 1, 7],
      [id(0), 2, 9],
    ])
    const durations = [trace(2, 3, { ownStartedAt: 1, ownEndedAt: 4 }), trace(3, 3, { ownStartedAt: 1, ownEndedAt: 1 })]
    await write(durations, [])
    assert.deepEqual(
      (await store.findFeedCandidates(query({ sort: 'duration_ms', lowestId: id(1) }))).map(({ key }) => key),
      [3, 0, -1],
      'an unknown duration is less than every known one',
    )
  })

  test('versions with the same key come greatest first', async () => {
    const { store, write } = open()
    const { base, trace, query } = own()
    for (const version of [2, 4, 1, 3]) await write([trace(0, version)], [])
    for (const order of ['asc', 'desc'] as const) {
      const found = await store.findFeedCandidates(query({ sort: 'step_count', order, atVersion: base + 3 }))
      assert.deepEqual(
        found.map(({ version }) => version - base),
        [3, 2, 1],
      )
    }
  })

  test('candidates match one term of every group, and all words in one step or in the name', async () => {
    const { store, write } = open()
    const { trace, id, query } = own()
    const [first, second, third] = [
      trace(0, 1, { models: ['gpt'], runType: 'chat', name: 'Refund of a flight' }),
      trace(1, 1, { models: ['gpt', 'it\'s \\ "quoted"'] }),
      trace(2, 1, { runType: 'chat', metadata: Buffer.from('{"tags":["eu","it\'s"]}') }),
    ]
    await write(
      [first, second, third],
      [
        newStep(second, 0, { prepared: preparedStep({ texts: ['refund policy'] }) }),
        newStep(second, 1, { prepared: preparedStep({ texts: ['the flight'] }) }),
        newStep(third, 0, { prepared: preparedStep({ texts: ['flight and refund 退款'] }) }),
      ],
    )
    for (const sort of ['created_at', 'step_count'] as const) {
      const found = async (fields: Partial<FeedCandidateQuery>) =>
        ids(await store.findFeedCandidates(query({ sort, ...fields }))).sort()
      assert.deepEqual(await found({ termGroups: [[modelTerm('gpt')]] }), [0, 1].map(id))
      assert.deepEqual(await found({ termGroups: [[modelTerm('gpt')], [runTypeTerm('chat')]] }), [0].map(id))
      assert.deepEqual(await found({ termGroups: [[modelTerm('none'), runTypeTerm('chat')]] }), [0, 2].map(id))
      assert.deepEqual(await found({ termGroups: [[modelTerm('it\'s \\ "quoted"')]] }), [1].map(id))
      for (const tag of ['eu', '"eu"', "it's"])
        assert.deepEqual(await found({ termGroups: [metadataValueTerms('tags', tag)] }), [2].map(id), 'of a list')
      assert.deepEqual(await found({ termGroups: [metadataValueTerms('tags', 'e')] }), [])
      assert.deepEqual(await found({ words: ['refund', 'flight'] }), [0, 2].map(id), 'not spread over two steps')
      assert.deepEqual(await found({ words: ['退'] }), [2].map(id))
      assert.deepEqual(await found({ words: ['flight'], among: [0, 2, 3].map(id) }), [0, 2].map(id))
      assert.deepEqual(await found({ among: [1].map(id) }), [1].map(id))
      assert.deepEqual(await found({ words: ['fligh'] }), [])
      assert.deepEqual(await found({ words: ['fligh*'] }), [0, 1, 2].map(id))
      assert.deepEqual(await found({ words: ['light*'] }), [], 'words that begin so')
      assert.deepEqual(await found({ words: ['refu*', 'pol*'] }), [1].map(id))
      assert.deepEqual(await found({ words: ['ref*', 'flight', 'of'] }), [0].map(id))
      assert.deepEqual(await found({ termGroups: [[wordTerm('none')]] }), [])
    }
  })

  test('candidates lie within all bounds; an unknown duration is within none', async () => {
    const { store, write } = open()
    const { trace, id, query } = own()
    const timed = (ms: number) => ({ ownStartedAt: 1000, ownEndedAt: 1000 + ms })
    const tokens = (input: number) => ({ tokenUsage: { ...NO_TOKENS, input } })
    await write(
      [trace(0, 1, { ...timed(0), ...tokens(5), stepCount: 1 }), trace(1, 1, timed(2000)), trace(2, 1, tokens(7))],
      [],
    )
    for (const sort of ['created_at', 'total_tokens'] as const) {
      const found = async (...bounds: FeedCandidateQuery['bounds']) =>
        ids(await store.findFeedCandidates(query({ sort, bounds }))).sort()
      assert.deepEqual(await found({ measure: 'duration_ms', side: 'min', value: 0 }), [0, 1].map(id))
      assert.deepEqual(await found({ measure: 'duration_ms', side: 'min', value: 2000 }), [1].map(id))
      assert.deepEqual(await found({ measure: 'duration_ms', side: 'max', value: 1999 }), [0].map(id))
      assert.deepEqual(await found({ measure: 'total_tokens', side: 'min', value: 6 }), [2].map(id))
      assert.deepEqual(await found({ measure: 'step_count', side: 'max', value: 0 }), [1, 2].map(id))
      const between = (['min', 'max'] as const).map((side) => ({ measure: 'total_tokens', side, value: 5 }) as const)
      assert.deepEqual(await found(...between), [0].map(id))
    }
  })

  test('one step of a trace passes all filters of steps: its latest version, old or just written', async () => {
    const { store, write } = open()
    const { trace, id, query } = own()
    const calls = (tool: string, input: object) => ({
      tools: [tool],
      arguments: argumentTerms([{ name: tool, input }]),
    })
    const search = preparedStep({ name: 'a', type: 'tool', calls: calls('search', { city: "it's", max: 7 }) })
    const failed = preparedStep({ name: 'b', status: 'error', said: { ...NOTHING_SAID, errorType: 'Timeout' } })
    const timed = preparedStep({ name: 'c', model: 'm', startedAt: 1000, endedAt: 3000 })
    const traces = [0, 1, 2].map((at) => trace(at, 1))
    await write(traces, [
      newStep(traces[0]!, 0, { prepared: search }),
      newStep(traces[0]!, 1, { prepared: failed }),
      newStep(traces[1]!, 0, { prepared: timed }),
      newStep(traces[2]!, 0, { prepared: search }),
    ])
    await write([trace(2, 2)], [newStep(trace(2, 2), 0, { prepared: failed, replaces: true })])
    for (const sort of ['created_at', 'step_count'] as const) {
      const found = async (steps: FeedCandidateQuery['steps']) =>
        [...new Set(ids(await store.findFeedCandidates(query({ sort, steps }))))].sort()
      assert.deepEqual(await found({ tool: 'search' }), [id(0)])
      assert.deepEqual(await found({ stepName: ['b', 'c'] }), [0, 1, 2].map(id))
      assert.deepEqual(await found({ stepName: 'a', stepStatus: 'error' }), [])
      assert.deepEqual(await found({ stepName: ['a', 'b'], stepStatus: ['ok', 'error'] }), [0, 2].map(id))
      assert.deepEqual(await found({ notStepStatus: 'error' }), [0, 1].map(id))
      assert.deepEqual(await found({ stepErrorType: 'Timeout', notStepName: 'a' }), [0, 2].map(id))
      assert.deepEqual(await found({ argument: { city: "it's", max: ['6', '7.0'] } }), [id(0)])
      assert.deepEqual(await found({ stepType: 'tool', notArgument: { max: '7' } }), [])
      assert.deepEqual(await found({ minStepDurationMs: 2000, maxStepDurationMs: 2000 }), [id(1)])
      assert.deepEqual(await found({ maxStepDurationMs: 1999 }), [])
    }
  })

  test('the key of a cost is the number that is computed without the engine, to the last bit', async () => {
    const { store, write } = open()
    const { trace, id, query } = own()
    const ratesOf: ModelRates['of'] = (model) =>
      model.startsWith('priced') ? RATES[Number(model.slice(6)) % RATES.length]! : null
    const rates = { of: ratesOf, costKey: costKey.bind(null, ratesOf), fingerprint: 'f' }
    const random = seededNumbers(7)
    const usages = Array.from({ length: 120 }, (_, at) => (at < 4 ? FEW_USAGES[at]! : randomUsage(random)))
    const traces = usages.map((usage, at) => trace(at, 1, { digest: { ...EMPTY_DIGEST, usage } }))
    await write([...traces, trace(120, 1, { digest: { ...EMPTY_DIGEST, usage: null } })], [])
    const keys = [...usages, null].map((usage) => costKey(ratesOf, usage))
    assert.deepEqual(keys.slice(0, 4), [UNKNOWN_COST, UNKNOWN_COST, 0, UNKNOWN_COST])
    const found = await store.findFeedCandidates(query({ sort: 'cost_usd', rates, limit: 1000 }))
    const expected = keys
      .map((key, at) => ({ key, id: id(at) }))
      .sort((a, b) => b.key - a.key || (a.id < b.id ? 1 : -1))
    assert.deepEqual(
      found.map(({ key, id: of }) => ({ key, id: of })),
      expected,
    )
    const middle = expected[60]!
    const rest = await store.findFeedCandidates(query({ sort: 'cost_usd', rates, after: middle, limit: 1000 }))
    assert.deepEqual(
      ids(rest),
      expected.slice(61).map(({ id: of }) => of),
    )
    const bound = { measure: 'cost_usd', value: middle.key / 1e9 } as const
    for (const sort of ['created_at', 'cost_usd'] as const) {
      const within = async (side: 'min' | 'max') =>
        ids(await store.findFeedCandidates(query({ sort, rates, bounds: [{ ...bound, side }], limit: 1000 }))).sort()
      const known = expected.filter(({ key }) => key !== UNKNOWN_COST)
      assert.deepEqual(await within('min'), ids(known.filter(({ key }) => key >= middle.key)).sort())
      assert.deepEqual(await within('max'), ids(known.filter(({ key }) => key <= middle.key)).sort())
    }
  })

  test('scored traces are those with an event of the metric, on themselves or a step, old or just written', async () => {
    const { id, trace, base } = own()
    // No other test has events of these times.
    const at = BEGIN_MS + base
    const event = (number: number, of: number, fields: Partial<MetricEventRecord> = {}) =>
      newMetricEvent(
        metricEventRecord(idAt('mev', BEGIN_MS + base, number), { traceId: id(of), version: base + of, at, ...fields }),
      )
    await open().write(
      [1, 2, 3].map((number) => trace(number, number)),
      [],
      [event(1, 1), event(2, 2, { metricId: OTHER_METRIC }), event(3, 3, { projectId: OTHER_PROJECT })],
    )
    await open().write(
      [4, 5].map((number) => trace(number, number)),
      [],
      [
        event(4, 4, { stepId: idAt('st', BEGIN_MS + base) }),
        event(5, 1),
        event(6, 2, { version: base + 5, metricId: OTHER_METRIC, at: at + 5 }),
      ],
    )
    const { store } = open()
    const all = [1, 2, 3, 4, 5].map(id)
    const found = async (by: ScoredBy, among: readonly TraceId[], projectId = PROJECT) =>
      [...(await store.findScored(projectId, by, among))].toSorted()
    const scored = (metricId: MetricId, among: readonly TraceId[], projectId = PROJECT) =>
      found(scoredByMetric(metricId), among, projectId)
    assert.deepEqual(await scored(METRIC, all), [id(1), id(4)])
    assert.deepEqual(await scored(METRIC, [id(2), id(4)]), [id(4)])
    assert.deepEqual(await scored(OTHER_METRIC, all), [id(2)])
    assert.deepEqual(await scored(METRIC, all, OTHER_PROJECT), [id(3)])
    assert.deepEqual(await scored(METRIC, []), [])
    const any = { ...scoredByMetric(METRIC), metricId: null }
    assert.deepEqual(await found({ ...any, passed: true }, all), [id(1), id(2), id(4)])
    assert.deepEqual(await found({ ...any, metricId: METRIC, passed: false }, all), [])
    assert.deepEqual(await found({ ...any, min: 0 }, all), [])
    assert.deepEqual(await found({ ...any, startTime: at + 5, endTime: at + 6 }, all), [id(2)])
    assert.deepEqual(await found({ ...any, startTime: at + 5, metricId: METRIC }, all), [])
    assert.deepEqual(await found({ ...any, endTime: at + 5, metricId: OTHER_METRIC }, all), [id(2)])
    assert.deepEqual(await found({ ...any, endTime: at }, all), [])
    const bounds = async (by: Partial<ScoredBy>, projectId = PROJECT) =>
      Object.values((await store.findScoredBounds(projectId, { ...any, startTime: at, endTime: at + 6, ...by })) ?? {})
    assert.deepEqual(await bounds({}), [id(1), id(4)])
    assert.deepEqual(await bounds({ startTime: at + 5 }), [id(2), id(2)])
    assert.deepEqual(await bounds({ metricId: METRIC, startTime: at + 5 }), [])
    assert.deepEqual(await bounds({}, OTHER_PROJECT), [id(3), id(3)])
  })

  test('the store tells its size', async () => {
    const { store, write } = open()
    const { trace } = own()
    await write([trace(0, 1)], [newStep(trace(0, 1), 0)])
    assert.ok((await store.sizeBytes()) > 0)
  })

  test('a hit is the first step of a trace that has all the words', async () => {
    const { store, write } = open()
    const { trace, id } = own()
    const step = (at: number, position: number, ...texts: string[]) =>
      newStep(trace(at, 1), position, { prepared: preparedStep({ texts }) })
    const steps = [
      step(0, 0, 'a flight'),
      step(0, 1, 'n', 'A Refund of the flight'),
      step(0, 2, 'refund flight'),
      step(1, 0, `${'other words '.repeat(100)}Refunded flight ${'more '.repeat(HIT_TEXT_BYTES / 5)}`),
      step(2, 0, 'nothing'),
    ]
    await write(
      [0, 1, 2].map((at) => trace(at, 1)),
      steps,
    )
    const hits = async (words: readonly string[], projectId = PROJECT) =>
      (await store.findStepHits(projectId, [0, 1, 2].map(id), words)).toSorted((a, b) =>
        a.traceId < b.traceId ? -1 : 1,
      )
    const [first, ...others] = await hits(['refund', 'flight'])
    assert.deepEqual(
      [first?.traceId, first?.position, first?.stepId, first?.texts],
      [id(0), 1, steps[1]!.id, ['n', 'A Refund of the flight']],
    )
    assert.deepEqual(others, [])
    const both = await hits(['refun*'])
    assert.deepEqual(
      both.map(({ traceId, position }) => [traceId, position]),
      [
        [id(0), 1],
        [id(1), 0],
      ],
    )
    const [long = ''] = both[1]!.texts
    assert.match(long, / Refunded flight more/)
    // Memory has the whole text at hand.
    assert.ok(long.length <= 400 || long.length > HIT_TEXT_BYTES)
    assert.deepEqual(await hits(['refund'], OTHER_PROJECT), [])
    assert.deepEqual(await store.findStepHits(PROJECT, [], ['refund']), [])
  })

  test('a step names its traces, newest first, those of other projects aside', async () => {
    const { store, write } = open()
    const { trace } = own()
    const step = newStep(trace(0, 1), 0)
    const copy = (of: TraceRecord, position: number) => ({ ...newStep(of, position), id: step.id })
    await write([trace(0, 1)], [step])
    await write([trace(2, 2), trace(1, 2)], [copy(trace(2, 2), 3), copy(trace(1, 2), 0), newStep(trace(1, 2), 1)])
    const found = (projectId: ProjectId, limit: number) => store.findTracesOfStep(projectId, step.id, limit)
    assert.deepEqual(await found(PROJECT, 9), [trace(2, 2).id, trace(1, 2).id, trace(0, 1).id])
    assert.deepEqual(await found(PROJECT, 1), [trace(2, 2).id])
    assert.deepEqual(await found(OTHER_PROJECT, 9), [])
    assert.deepEqual(await store.findTracesOfStep(PROJECT, idAt('st', 9), 9), [])
  })

  test('ids of steps are recognised in their trace, up to a version', async () => {
    const { store, write } = open()
    const { base, trace } = own()
    const [mine, other] = [trace(0, 2), trace(1, 2)]
    const [first, second] = [newStep(trace(0, 1), 0), newStep(mine, 1)]
    await write([trace(0, 1)], [first])
    const third = newStep(other, 2)
    await write([mine, other], [second, third])
    const among = async (version: number, traceId = mine.id, projectId = PROJECT) => {
      const places = [second.id, first.id, idAt('st', 9)].map((stepId) => ({ traceId, stepId }))
      const found = await store.findStepsAmong(projectId, places, base + version)
      return found.map(({ stepId }) => stepId).toSorted()
    }
    assert.deepEqual(await among(2), [first.id, second.id].toSorted())
    assert.deepEqual(await among(1), [first.id])
    assert.deepEqual(await among(2, mine.id, OTHER_PROJECT), [])
    assert.deepEqual(await among(2, trace(5, 1).id), [])
    assert.deepEqual(await store.findStepsAmong(PROJECT, [], base + 2), [])
    const [otherId, thirdId] = [other.id, third.id]
    const places = [
      { traceId: mine.id, stepId: first.id },
      { traceId: otherId, stepId: first.id },
      { traceId: otherId, stepId: thirdId },
      { traceId: mine.id, stepId: thirdId },
    ]
    const found = await store.findStepsAmong(PROJECT, [...places, ...places], base + 2)
    assert.deepEqual(new Set(found), new Set([places[0], places[2]]), 'each in its own trace')
    assert.equal(found.length, 2)
  })
}

async function purged<T>(purge: () => Promise<readonly T[]>, expected: readonly T[]): Promise<void> {
  for (let round = 0; round < PURGE_ROUNDS; round++) {
    const done = await purge()
    if (done.length === expected.length) {
      assert.deepEqual(done, expected)
      return
    }
    await new Promise((resolve) => setTimeout(resolve, PURGE_PAUSE_MS))
  }
  assert.fail('the purge never ended')
}

function rangeOf(trace: TraceRecord) {
  return { projectId: trace.projectId, traceId: trace.id, fromPosition: 0, limit: 1000, maxVersion: ALL }
}

function ids(rows: readonly { readonly id: TraceId }[]): TraceId[] {
  return rows.map(({ id }) => id)
}

function byId(traces: readonly TraceRecord[]): TraceRecord[] {
  return [...traces].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const HOSTILE = 'it\'s "quoted" \\ \u0000 \u2028 \u{1f600} 100% {x:String} ?; --\n\t'
const RAW_JSON = `{"a": 1.0, "b":"${'\\u0000'} \\ud83d ü 😀", "b" :[ ] , "big":123456789012345678901234567890}`

const FULL_TRACE: Partial<TraceRecord> = {
  name: HOSTILE,
  runType: 'chat',
  ownStatus: 'ok',
  status: 'error',
  flagged: true,
  flagReason: HOSTILE,
  metadata: Buffer.from(RAW_JSON),
  sessionId: HOSTILE,
  userId: HOSTILE,
  ownStartedAt: 0,
  ownEndedAt: Date.UTC(9999, 11, 31),
  failedSteps: 3,
  stepsStartedAt: 0,
  stepsEndedAt: 7,
  stepCount: 2,
  tokenUsage: { input: Number.MAX_SAFE_INTEGER, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5 },
  models: ['a', HOSTILE],
  bodyBytes: 6,
  lastStepId: idAt('st', 7),
  spans: { rootSeen: true, rootStatus: 'ok' as const, nameRank: 3, nameStartedAt: 5 },
}

const FULL_STEP = {
  parentStepId: idAt('st', 3),
  parentInferred: true,
  prepared: preparedStep({
    idempotencyKey: HOSTILE,
    name: HOSTILE,
    type: 'llm',
    model: HOSTILE,
    status: 'error',
    startedAt: 0,
    endedAt: Date.UTC(9999, 11, 31),
    tokenUsage: {
      input: Number.MAX_SAFE_INTEGER,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      reasoning: 5,
      more: {
        cacheWriteHour: 1,
        audioInput: 2,
        audioOutput: 3,
        imageInput: 4,
        imageOutput: 5,
        sentCost: 6,
        isBatch: true,
      },
    },
    body: Buffer.from(`{"messages":[${RAW_JSON}]}`),
  }),
} satisfies Partial<NewStep>

async function idsOf(store: TraceReads, projectId: ProjectId, traceId: TraceId, limit: number): Promise<StepId[]> {
  const range = { projectId, traceId, fromPosition: 0, limit, maxVersion: Number.MAX_SAFE_INTEGER }
  return (await store.findStepHeads(range)).map(({ id }) => id)
}

function stepFields({ prepared, ...step }: NewStep) {
  return {
    id: step.id,
    position: step.position,
    name: prepared.name,
    type: prepared.type,
    model: prepared.model,
    status: prepared.status ?? 'ok',
    startedAt: prepared.startedAt,
    endedAt: prepared.endedAt,
    receivedAt: step.receivedAt,
    tokenUsage: prepared.tokenUsage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, more: null },
    idempotencyKey: prepared.idempotencyKey,
  }
}

const RATES: readonly TokenRates[] = [
  { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: null },
  { input: 0.075, output: 0.3, cacheRead: null, cacheWrite: 0.0937 },
  { input: 1 / 3, output: 0.1, cacheRead: 1e-7, cacheWrite: 12_345.678 },
  { input: 0, output: 0, cacheRead: null, cacheWrite: null },
]
const TOKENS = { input: 10, output: 20, cacheRead: 5, cacheWrite: 1 }
/** Without any, without a price, with one of nothing, of too many models. */
const FEW_USAGES: readonly TraceDigest['usage'][] = [
  [],
  [{ model: 'other', tokens: TOKENS }],
  [{ model: 'priced3', tokens: TOKENS }],
  null,
]

/** From 0 to below 1. */
function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function randomUsage(random: () => number): TraceDigest['usage'] {
  const count = () => Math.floor(random() ** 4 * 1e9)
  return Array.from({ length: 1 + Math.floor(random() * 20) }, (_, at) => {
    const [cacheRead, cacheWrite] = [count(), count()]
    const tokens = { input: cacheRead + cacheWrite + count(), output: count(), cacheRead, cacheWrite }
    return { model: random() < 0.2 ? `other${at}` : `priced${at}`, tokens }
  })
}
