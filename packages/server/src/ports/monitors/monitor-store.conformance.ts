import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MonitorTransition } from '../journal/monitor-transition.ts'
import type { LeaseStore } from '../leases/lease-store.ts'
import type { Monitor } from './monitor.ts'
import type { MonitorEvaluation, MonitorStore } from './monitor-store.ts'

export const OWN = 'proj_01h2xcejqtf2nbrexx3vqjhp41' as ProjectId
export const OTHER = 'proj_01h2xcejqtf2nbrexx3vqjhp42' as ProjectId
const monitorId = (number: number) => `mon_01h2xcejqtf2nbrexx3vqjhp4${number}` as MonitorId
const LASTS_MS = 60_000

/** Normal, never evaluated. */
function aMonitor(number: number, fields: Partial<Monitor> = {}, standing: Partial<Monitor['standing']> = {}): Monitor {
  return {
    projectId: OWN,
    id: monitorId(number),
    name: `größe ${number}\u{1F600}`,
    enabled: true,
    definition: {
      source: { kind: 'traces', measure: 'duration_ms' },
      filters: {
        ...toTraceFilters('monitors', {}),
        model: "b'",
        metadata: [{ key: 'k', value: null }],
        source: null,
      },
      forEach: null,
      aggregation: 'avg',
      windowMs: 60_000,
      comparison: 'gt',
      threshold: 0.1 + 0.2,
      resolveThreshold: null,
      minSamples: 1,
      consecutive: 3,
      noData: 'hold',
    },
    revision: 1,
    createdAt: 10,
    updatedAt: 10,
    groups: new Map(),
    ...fields,
    standing: {
      state: 'normal',
      stateSince: 10,
      breaches: 0,
      lastValue: null,
      lastSamples: null,
      lastEvaluatedAt: null,
      ...standing,
    },
  }
}

function aTransition(number: number, fields: Partial<MonitorTransition> = {}): MonitorTransition {
  return {
    projectId: OWN,
    monitorId: monitorId(number),
    revision: 1,
    group: null,
    to: 'fired',
    cause: 'evaluation',
    previouslyEvaluatedAt: null,
    at: 100,
    value: 11.5,
    samples: 3,
    threshold: 10,
    monitor: '{}',
    ...fields,
  }
}

function anEvaluation(number: number, fields: Partial<MonitorEvaluation> = {}): MonitorEvaluation {
  const monitor = { id: monitorId(number), revision: 1 }
  return {
    monitor,
    state: 'normal',
    previouslyEvaluatedAt: null,
    at: 100,
    value: 12,
    samples: 3,
    groups: new Map(),
    breaches: 1,
    ...fields,
  }
}

export interface MonitorStores {
  readonly monitors: MonitorStore
  /** Under whose leases evaluations are recorded. */
  readonly leases: LeaseStore
  /** Changes a state as a commit of the journal does; false when the commit would refuse it. */
  apply(transition: MonitorTransition, recordedAt: number): Promise<boolean>
}

/** Guarantees of every store of monitors. `open` gives an empty one that knows the projects OWN and OTHER. */
export function testMonitorStore(open: (context: TestContext) => Promise<MonitorStores>): void {
  test('a monitor comes back as it was given, in its own project alone', async (context) => {
    const { monitors } = await open(context)
    const standing = { state: 'fired', breaches: 2, lastValue: -1e300, lastSamples: 4, lastEvaluatedAt: 50 } as const
    const written = [aMonitor(1), aMonitor(2, { enabled: false, revision: 7, updatedAt: 99 }, standing)]
    for (const monitor of written) assert.equal(await monitors.create(monitor, 9), true)
    for (const monitor of written) assert.deepEqual(await monitors.find(OWN, monitor.id), monitor)
    assert.equal(await monitors.find(OTHER, monitorId(1)), undefined)
    assert.equal(await monitors.find(OWN, monitorId(3)), undefined)
    await assert.rejects(monitors.create(aMonitor(4, { projectId: 'proj_none' as ProjectId }), 9))
  })

  test('a project has at most as many as it may', async (context) => {
    const { monitors } = await open(context)
    const made = await Promise.all([1, 2, 3].map((number) => monitors.create(aMonitor(number), 2)))
    assert.equal(made.filter((one) => one).length, 2)
    assert.equal((await monitors.list(OWN, null, 9)).length, 2)
    assert.equal(await monitors.create(aMonitor(4, { projectId: OTHER }), 2), true)
  })

  test('lists go by id, page by page; those that are evaluated by project first', async (context) => {
    const { monitors } = await open(context)
    const own = [3, 1, 5].map((number) => aMonitor(number))
    for (const monitor of [...own, aMonitor(2, { projectId: OTHER }), aMonitor(4, { enabled: false })]) {
      await monitors.create(monitor, 9)
    }
    const numbers = (found: readonly Monitor[]) => found.map(({ id }) => Number(id.at(-1)))
    assert.deepEqual(numbers(await monitors.list(OWN, null, 2)), [1, 3])
    assert.deepEqual(numbers(await monitors.list(OWN, monitorId(3), 9)), [4, 5])
    assert.deepEqual(numbers(await monitors.listEnabled()), [1, 3, 5, 2])
  })

  test('a change replaces what it found, and nothing else', async (context) => {
    const { monitors } = await open(context)
    const before = aMonitor(1, {}, { lastEvaluatedAt: 50 })
    const after = aMonitor(1, { name: 'b', enabled: false, revision: 2, updatedAt: 60 }, { breaches: 1 })
    await monitors.create(before, 9)
    for (const found of [
      { ...before, revision: 2 },
      { ...before, standing: { ...before.standing, state: 'fired' as const } },
      { ...before, standing: { ...before.standing, lastEvaluatedAt: null } },
      { ...before, standing: { ...before.standing, lastEvaluatedAt: 51 } },
      { ...before, id: monitorId(2) },
    ]) {
      assert.equal(await monitors.replace(found, after), false)
    }
    assert.deepEqual(await monitors.find(OWN, before.id), before)
    assert.equal(await monitors.replace(before, after), true)
    assert.deepEqual(await monitors.find(OWN, before.id), after)
    assert.equal(await monitors.replace(before, after), false)
  })

  test('a monitor is removed with its history, unless it is not as it was found', async (context) => {
    const { monitors, apply } = await open(context)
    for (const number of [1, 2]) await monitors.create(aMonitor(number), 9)
    for (const number of [1, 2]) assert.equal(await apply(aTransition(number), 200), true)
    assert.equal(await monitors.remove(aMonitor(1)), false)
    assert.equal(await monitors.remove(aMonitor(1, { revision: 2 }, { state: 'fired' })), false)
    assert.equal(await monitors.remove(aMonitor(1, {}, { state: 'fired' })), true)
    assert.equal(await monitors.remove(aMonitor(1, {}, { state: 'fired' })), false)
    assert.equal(await monitors.find(OWN, monitorId(1)), undefined)
    await monitors.create(aMonitor(1), 9)
    assert.deepEqual(await monitors.history(OWN, monitorId(1), null, 9), [])
    assert.equal((await monitors.history(OWN, monitorId(2), null, 9)).length, 1)
  })

  test('evaluations are recorded of those that are as they were read', async (context) => {
    const { monitors, leases } = await open(context)
    const lease = await leases.take('monitors', 'a', LASTS_MS)
    assert.ok(lease)
    for (const number of [1, 2, 3, 4]) await monitors.create(aMonitor(number), 9)
    const evaluations = [
      anEvaluation(1),
      anEvaluation(2, { previouslyEvaluatedAt: 50 }),
      anEvaluation(3, { monitor: { id: monitorId(3), revision: 2 } }),
      anEvaluation(4, { state: 'fired' }),
      anEvaluation(5),
    ]
    assert.equal(await monitors.recordEvaluations(evaluations, lease), true)
    const evaluated = { breaches: 1, lastValue: 12, lastSamples: 3, lastEvaluatedAt: 100 }
    const expected = [aMonitor(1, {}, evaluated), aMonitor(2), aMonitor(3), aMonitor(4)]
    assert.deepEqual(await monitors.list(OWN, null, 9), expected)
    const next = anEvaluation(1, { previouslyEvaluatedAt: 100, at: 200, value: null, samples: 0, breaches: 0 })
    await monitors.recordEvaluations([next], lease)
    const then = { breaches: 0, lastValue: null, lastSamples: 0, lastEvaluatedAt: 200 }
    assert.deepEqual(await monitors.find(OWN, monitorId(1)), aMonitor(1, {}, then))
  })

  test('evaluations under a lease that another has taken, or that was released, are refused', async (context) => {
    const { monitors, leases } = await open(context)
    await monitors.create(aMonitor(1), 9)
    const record = (lease: { name: string; epoch: number }) => monitors.recordEvaluations([anEvaluation(1)], lease)
    assert.equal(await record({ name: 'monitors', epoch: 1 }), false)
    const former = await leases.take('monitors', 'a', LASTS_MS)
    const lease = await leases.take('monitors', 'a', LASTS_MS)
    assert.ok(former && lease)
    assert.equal(await record(former), false)
    await leases.take('other work', 'b', LASTS_MS)
    assert.equal(await record({ name: 'other work', epoch: lease.epoch }), false)
    assert.deepEqual(await monitors.find(OWN, monitorId(1)), aMonitor(1))
    assert.equal(await record(lease), true)
    assert.equal((await monitors.find(OWN, monitorId(1)))?.standing.lastEvaluatedAt, 100)
    await leases.release(lease)
    assert.equal(await record(lease), false)
  })

  test('changes of state are in the history, newest first, page by page, of the own project alone', async (context) => {
    const { monitors, apply } = await open(context)
    await monitors.create(aMonitor(1), 9)
    const fired = aTransition(1)
    const back = aTransition(1, { to: 'normal', at: 200, previouslyEvaluatedAt: 100, value: null, samples: 0 })
    const again = aTransition(1, { at: 300, previouslyEvaluatedAt: 200 })
    const changed = aTransition(1, { to: 'normal', at: 400, cause: 'change', value: null, samples: 0 })
    const transitions = [fired, back, again, changed]
    for (const transition of transitions) assert.equal(await apply(transition, transition.at + 1), true)
    assert.equal(await apply(changed, 999), false)
    assert.equal(await apply(fired, 999), false)
    const { monitorId: _, projectId: __, previouslyEvaluatedAt: ___, monitor: ____, ...entry } = back
    const history = await monitors.history(OWN, monitorId(1), null, 9)
    assert.deepEqual(
      history.map(({ sequence, to, cause }) => [sequence, to, cause]),
      [
        [4, 'normal', 'change'],
        [3, 'fired', 'evaluation'],
        [2, 'normal', 'evaluation'],
        [1, 'fired', 'evaluation'],
      ],
    )
    assert.deepEqual(history[2], { ...entry, sequence: 2, recordedAt: 201 })
    assert.deepEqual(await monitors.history(OWN, monitorId(1), 4, 2), history.slice(1, 3))
    assert.deepEqual(await monitors.history(OTHER, monitorId(1), null, 9), [])
    const standing = {
      state: 'normal',
      stateSince: 400,
      lastValue: 11.5,
      lastSamples: 3,
      lastEvaluatedAt: 300,
    } as const
    assert.deepEqual(await monitors.find(OWN, monitorId(1)), aMonitor(1, {}, standing))
  })

  test('old changes of state are dropped, the oldest first, so many at a time', async (context) => {
    const { monitors, apply } = await open(context)
    for (const number of [1, 2]) await monitors.create(aMonitor(number), 9)
    await apply(aTransition(1), 30)
    await apply(aTransition(2), 10)
    await apply(aTransition(1, { to: 'normal', at: 200, previouslyEvaluatedAt: 100 }), 40)
    await apply(aTransition(2, { to: 'normal', at: 200, previouslyEvaluatedAt: 100 }), 20)
    const left = async () =>
      await Promise.all(
        [1, 2].map(async (number) =>
          (await monitors.history(OWN, monitorId(number), null, 9)).map(({ recordedAt }) => recordedAt),
        ),
      )
    assert.equal(await monitors.pruneHistory(40, 2), 2)
    assert.deepEqual(await left(), [[40, 30], []])
    assert.equal(await monitors.pruneHistory(40, 2), 1)
    assert.equal(await monitors.pruneHistory(40, 2), 0)
    assert.deepEqual(await left(), [[40], []])
    await apply(aTransition(1, { at: 300, previouslyEvaluatedAt: 200 }), 50)
    assert.equal((await monitors.history(OWN, monitorId(1), null, 1))[0]?.sequence, 3)
  })
}
