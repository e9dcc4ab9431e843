import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MONITOR_GROUPS_MAX } from '@spoor/contract/limits'
import type { Monitor } from '../ports/monitors/monitor.ts'
import { INTERVAL_MS, MonitorWorld, NOON, PROJECT, SCORE } from './monitor-world.test-support.ts'

const PER_RUN_TYPE = { forEach: 'run_type' } as const

/** A world whose scores have a run type. */
function groupedWorld() {
  const world = new MonitorWorld()
  return Object.assign(world, {
    score(value: number, runType: string, at = world.now()) {
      world.measures.add(PROJECT, { at, metricId: SCORE, value, filterable: { runType } })
    },
  }) as unknown as Omit<MonitorWorld, 'score'> & { score(value: number, runType: string, at?: number): void }
}

async function told({ history }: Pick<MonitorWorld, 'history'>, { id }: Monitor): Promise<readonly string[]> {
  return (await history(id)).map(({ group, to, at, value }) => `${group} ${to} ${(at - NOON) / 1000} ${value}`)
}

test('each group has a state of its own, and the monitor has fired while one of them has', async () => {
  const world = groupedWorld()
  const monitor = await world.create({ ...PER_RUN_TYPE, consecutive: 2 })
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  for (const minute of [0, 1, 2]) {
    world.score(20, 'a', NOON + minute * 60_000 + 1)
    world.score(minute === 1 ? 30 : 1, 'b', NOON + minute * 60_000 + 1)
  }
  await world.pass(evaluator, 75_000)
  const stateOf = async () => {
    const { standing, groups } = await world.find(monitor.id)
    return [standing.state, ...[...groups].map(([group, { state }]) => `${group} ${state}`)]
  }
  assert.deepEqual(await stateOf(), ['fired', 'a fired', 'b normal'])
  await world.pass(evaluator, 15_000)
  assert.deepEqual(await stateOf(), ['fired', 'a fired', 'b fired'])
  await world.pass(evaluator, 45_000)
  assert.deepEqual(await stateOf(), ['fired', 'a fired', 'b normal'])
  const expected = ['a fired 30 20', 'b fired 90 30', 'b normal 135 1']
  assert.deepEqual(await told({ history: (id) => world.history(id) }, monitor), expected)
  const events = (await world.events()).flatMap((event) => ('transition' in event ? [event.transition.group] : []))
  assert.deepEqual(events, ['a', 'b', 'b'])
  assert.deepEqual(world.errors, [])
  await evaluator.stop()
})

test('a fired group whose rows end is evaluated without rows; a normal one is dropped', async () => {
  const world = groupedWorld()
  const monitor = await world.create({ ...PER_RUN_TYPE, noData: 'ok' })
  world.score(20, 'a', NOON + 1)
  world.score(1, 'b', NOON + 1)
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  await world.pass(evaluator, INTERVAL_MS)
  assert.deepEqual([...(await world.find(monitor.id)).groups.keys()], ['a', 'b'])
  await world.pass(evaluator, 60_000)
  assert.deepEqual(await told({ history: (id) => world.history(id) }, monitor), ['a fired 15 20', 'a normal 75 null'])
  await world.pass(evaluator, INTERVAL_MS)
  assert.deepEqual([...(await world.find(monitor.id)).groups.keys()], [])
  await evaluator.stop()
})

test('where no rows are a breach, a known group is missed when its rows end', async () => {
  const world = groupedWorld()
  const monitor = await world.create({ ...PER_RUN_TYPE, aggregation: 'count', comparison: 'lt', threshold: 1 })
  world.score(1, 'a', NOON + 1)
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  await world.pass(evaluator, 90_000)
  assert.deepEqual(await told({ history: (id) => world.history(id) }, monitor), ['a fired 75 0'])
  await evaluator.stop()
})

test('a round that ends between two groups is continued: each change is committed once', async () => {
  const world = groupedWorld()
  const monitor = await world.create(PER_RUN_TYPE)
  for (const group of ['a', 'b', 'c']) world.score(20, group, NOON + 1)
  world.beforeCommit = async ({ group }) => {
    if (group === 'b') throw new Error('the disk is full')
  }
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  await world.pass(evaluator, INTERVAL_MS)
  assert.equal(world.errors.length, 1)
  world.beforeCommit = async () => undefined
  await world.pass(evaluator, INTERVAL_MS)
  const expected = ['a fired 15 20', 'b fired 15 20', 'c fired 15 20']
  assert.deepEqual(await told({ history: (id) => world.history(id) }, monitor), expected)
  assert.equal((await world.find(monitor.id)).standing.lastEvaluatedAt, NOON + 2 * INTERVAL_MS)
  await evaluator.stop()
})

test('a change resolves each fired group, and a change of the name keeps them', async () => {
  const world = groupedWorld()
  const monitor = await world.create(PER_RUN_TYPE)
  for (const group of ['a', 'b']) world.score(20, group, NOON + 1)
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  await world.pass(evaluator, INTERVAL_MS)
  await evaluator.stop()
  const renamed = await world.useCases.patch(PROJECT, monitor.id, { name: 'other' })
  assert.deepEqual([renamed.standing.state, renamed.groups.size], ['fired', 2])
  const changed = await world.useCases.patch(PROJECT, monitor.id, { threshold: 15 })
  assert.deepEqual([changed.standing.state, changed.groups.size], ['normal', 0])
  const causes = (await world.history(monitor.id)).map(({ group, to, cause }) => `${group} ${to} ${cause}`)
  const ends = ['a normal change', 'b normal change']
  assert.deepEqual(causes, ['a fired evaluation', 'b fired evaluation', ...ends])
})

test('at most so many groups have a state, those that have fired first', async () => {
  const world = groupedWorld()
  const monitor = await world.create(PER_RUN_TYPE)
  world.score(20, 'fired', NOON + 1)
  const evaluator = world.newEvaluator()
  evaluator.start()
  await evaluator.idle()
  await world.pass(evaluator, INTERVAL_MS)
  for (let n = 0; n < MONITOR_GROUPS_MAX + 20; n++) {
    for (const _ of [1, 2]) world.score(1, `busy ${n}`, world.now() + 1)
  }
  await world.pass(evaluator, INTERVAL_MS)
  const { groups } = await world.find(monitor.id)
  assert.equal(groups.size, MONITOR_GROUPS_MAX)
  assert.equal(groups.get('fired')?.state, 'fired')
  await evaluator.stop()
})

test('a preview has the evaluations of each group', async () => {
  const world = groupedWorld()
  world.score(20, 'a', NOON - 100_000)
  world.score(1, 'b', NOON - 100_000)
  const draft = { ...(await world.create(PER_RUN_TYPE)).definition, name: 'p', enabled: true }
  const source = { kind: 'metric', metric: 'score', measure: null, option: null } as const
  const request = { draft: { ...draft, source }, startTime: NOON - 120_000, endTime: NOON }
  const { evaluations, transitions } = await world.useCases.preview(PROJECT, request)
  assert.deepEqual(
    transitions.map(({ group, to, value }) => [group, to, value]),
    [['a', 'fired', 20]],
  )
  assert.deepEqual([...new Set(evaluations.map(({ group }) => group))], ['a', 'b'])
})
