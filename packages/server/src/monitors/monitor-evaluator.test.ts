import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../lib/domain-error.ts'
import { storeIsGone } from '../ports/monitors/memory-measures.test-support.ts'
import { evaluationInterval } from './due-times.ts'
import type { Lease, LeaseStore } from '../ports/leases/lease-store.ts'
import type { MonitorEvaluator } from './monitor-evaluator.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import {
  DRAFT,
  INTERVAL_MS,
  MonitorWorld,
  NOON,
  OTHER_PROJECT,
  PASSED,
  PROJECT,
  SCORE,
} from './monitor-world.test-support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function started(evaluator: MonitorEvaluator): Promise<void> {
  evaluator.start()
  await evaluator.idle()
}

/** Its history, times in seconds since noon. */
async function told(world: MonitorWorld, { id }: Monitor): Promise<string[]> {
  const history = await world.history(id)
  return history.map(({ to, at, value }) => `${to} ${(at - NOON) / 1000} ${value}`)
}

/** The journal contains the same as the history, in the same order. */
async function assertTold(world: MonitorWorld, monitor: Monitor, expected: readonly string[]): Promise<void> {
  assert.deepEqual(await told(world, monitor), expected)
  const events = (await world.events(monitor.projectId)).flatMap((event) => ('transition' in event ? [event] : []))
  const own = events.filter(({ transition }) => transition.monitorId === monitor.id)
  assert.deepEqual(
    own.map(({ type, transition: { to, at, value } }) => {
      assert.equal(type, to === 'fired' ? 'monitor.fired' : 'monitor.resolved')
      return `${to} ${(at - NOON) / 1000} ${value}`
    }),
    expected,
  )
}

test('a crossing is reported at the next evaluation time, once, and so is the return', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const evaluator = world.newEvaluator()
  await started(evaluator)
  world.score(5, NOON + 1000)
  world.score(45, NOON + 16_000)
  await world.pass(evaluator, 10 * MINUTE)
  // 5 alone; 5 and 45; 45 alone once 5 is out of the minute; then no data, which holds.
  await assertTold(world, monitor, ['fired 30 25'])
  world.score(1)
  await world.pass(evaluator, HOUR)
  await assertTold(world, monitor, ['fired 30 25', 'normal 615 1'])
  const { standing } = await world.find(monitor.id)
  assert.deepEqual(standing, {
    state: 'normal',
    stateSince: NOON + 615_000,
    breaches: 0,
    lastValue: null,
    lastSamples: 0,
    lastEvaluatedAt: NOON + 10 * MINUTE + HOUR,
  })
  assert.deepEqual(world.errors, [])
  await evaluator.stop()
  assert.equal(world.timers.pending, 0)
})

test('hours in moments: many monitors are queried together, and each fires and resolves by its own rules', async () => {
  const world = new MonitorWorld()
  const every = await world.create({ name: 'mean', resolveThreshold: 5 })
  const third = await world.create({ name: 'third', consecutive: 3 })
  const rate = await world.create({
    name: 'rate',
    source: { kind: 'metric', metric: 'passed', measure: null, option: null },
    aggregation: 'pass_rate',
    comparison: 'lt',
    threshold: 0.5,
    minSamples: 4,
    windowMs: 5 * MINUTE,
  })
  const silent = await world.create({ name: 'off', enabled: false })
  const quiet = await world.create({
    name: 'silence',
    source: { kind: 'traces', metric: null, measure: 'count', option: null },
    aggregation: 'count',
    comparison: 'lt',
    threshold: 1,
    windowMs: HOUR,
  })
  for (let minute = 0; minute < 240; minute++) {
    const at = NOON + minute * MINUTE + 500
    // Up and down over two hours: above 10 in the first, between in part of the second.
    world.score(minute < 60 ? 20 : minute < 90 ? 7 : 1, at)
    world.measures.add(PROJECT, { at, metricId: PASSED, value: minute >= 120 && minute < 130 ? 0 : 1 })
    if (minute < 100) world.measures.add(PROJECT, { at })
  }
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, 4 * HOUR)
  await assertTold(world, every, ['fired 15 20', `normal ${90 * 60 + 15} 1`])
  await assertTold(world, third, ['fired 45 20', `normal ${60 * 60 + 15} 7`])
  // Window of five minutes, five rows: three of them failed, then two.
  await assertTold(world, rate, [`fired ${122 * 60 + 15} 0.4`, `normal ${132 * 60 + 15} 0.6`])
  await assertTold(world, silent, [])
  await assertTold(world, quiet, [`fired ${99 * 60 + 3600 + 15} 0`])
  const rounds = (4 * HOUR) / INTERVAL_MS
  assert.deepEqual(world.measures.asked, { together: rounds, questions: 4 * rounds, over: 0, times: 0 })
})

test('monitors of one source are queried side by side, in whatever order they were made', async () => {
  const world = new MonitorWorld()
  const groups: number[] = []
  const measure = world.measures.measure.bind(world.measures)
  world.measures.measure = (projectId, questions) => {
    groups.push(new Set(questions.map(({ source }) => JSON.stringify(source))).size)
    return measure(projectId, questions)
  }
  const passed = { source: { kind: 'metric', metric: 'passed', measure: null, option: null } } as const
  for (let n = 0; n < 500; n++)
    await world.create(n % 2 === 0 ? {} : { ...passed, aggregation: 'pass_rate', threshold: 0.5 })
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, INTERVAL_MS)
  assert.deepEqual(groups, [1, 1])
})

test('projects are separate: the same query of each reads its own rows', async () => {
  const world = new MonitorWorld()
  const source = { kind: 'traces', metric: null, measure: 'error_rate', option: null } as const
  const own = await world.create({ source, threshold: 0.5 })
  const foreign = await world.create({ source, threshold: 0.5 }, OTHER_PROJECT)
  world.measures.add(OTHER_PROJECT, { at: NOON, failed: true })
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, MINUTE)
  await assertTold(world, own, [])
  assert.deepEqual(await world.events(PROJECT), [])
  assert.equal((await world.useCases.find(OTHER_PROJECT, foreign.id)).standing.state, 'fired')
  assert.equal((await world.events(OTHER_PROJECT)).length, 1)
})

test('what happened while nothing was evaluated is noticed at the start, with its own times', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const first = world.newEvaluator()
  await started(first)
  await world.pass(first, MINUTE)
  await first.stop()
  world.score(20, NOON + 70_000)
  world.score(0, NOON + 200_000)
  world.timers.advance(10 * MINUTE)
  const second = world.newEvaluator()
  await started(second)
  await assertTold(world, monitor, ['fired 75 20', 'normal 210 0'])
  assert.equal((await world.history(monitor.id))[0]?.recordedAt, NOON + 11 * MINUTE)
  assert.deepEqual(world.measures.asked, { together: 4, questions: 4, over: 1, times: 40 })
  await world.pass(second, MINUTE)
  assert.equal(world.measures.asked.over, 1)
})

test('a run of breaches continues over a restart', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create({ consecutive: 4, windowMs: HOUR })
  world.score(20)
  const first = world.newEvaluator()
  await started(first)
  await world.pass(first, 3 * INTERVAL_MS)
  await first.stop()
  assert.equal((await world.find(monitor.id)).standing.breaches, 3)
  const second = world.newEvaluator()
  await started(second)
  await world.pass(second, INTERVAL_MS)
  await assertTold(world, monitor, ['fired 60 20'])
})

test('after a long absence the newest thousand evaluations are caught up', async () => {
  const world = new MonitorWorld()
  await world.create()
  const first = world.newEvaluator()
  await started(first)
  await first.stop()
  world.timers.advance(72 * HOUR)
  const second = world.newEvaluator()
  await started(second)
  assert.deepEqual(world.measures.asked.times, 1000)
})

test('a clock set forward is caught up, one set back a little is waited for, one set back far is continued from', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create({ windowMs: HOUR })
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, MINUTE)
  const asked = world.measures.asked
  world.timers.wallOffsetMs = 2 * HOUR
  await world.pass(evaluator, INTERVAL_MS)
  assert.deepEqual([asked.over, asked.times], [1, 481])
  world.timers.wallOffsetMs -= 45_000
  const before = asked.questions
  await world.pass(evaluator, 3 * INTERVAL_MS)
  assert.equal(asked.questions, before)
  await world.pass(evaluator, INTERVAL_MS)
  assert.equal(asked.questions, before + 1)
  world.timers.wallOffsetMs = 0
  world.score(20)
  await world.pass(evaluator, 2 * INTERVAL_MS)
  assert.equal(asked.questions, before + 3)
  assert.equal(asked.over, 1)
  assert.equal((await told(world, monitor)).length, 1)
  assert.equal((await world.find(monitor.id)).standing.lastEvaluatedAt, world.now())
  assert.deepEqual(world.errors, [])
})

test('a round longer than the interval skips times, which are not caught up after it', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const evaluator = world.newEvaluator()
  let go: () => void = () => undefined
  world.measures.delay = () => new Promise((resolve) => (go = resolve))
  evaluator.start()
  await evaluator.idle()
  world.timers.advance(4 * INTERVAL_MS + 1000)
  world.measures.delay = async () => undefined
  go()
  await evaluator.idle()
  assert.deepEqual(world.measures.asked, { together: 1, questions: 1, over: 0, times: 0 })
  world.score(20, NOON + 5 * INTERVAL_MS)
  world.timers.advance(INTERVAL_MS)
  await evaluator.idle()
  assert.deepEqual(world.measures.asked, { together: 2, questions: 2, over: 0, times: 0 })
  await assertTold(world, monitor, ['fired 75 20'])
})

test('a timer that fires a moment early, before a round that takes another, skips no evaluation time', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const { leases } = world.stores
  const slowly = <T>(answer: Promise<T>): Promise<T> => {
    world.timers.wallOffsetMs += 5
    return answer
  }
  const evaluator = world.newEvaluator({
    leases: {
      take: (...about) => slowly(leases.take(...about)),
      renew: (...about) => slowly(leases.renew(...about)),
      release: async () => undefined,
    },
  })
  await started(evaluator)
  for (let evaluated = NOON + INTERVAL_MS; evaluated < NOON + 5 * MINUTE; evaluated += INTERVAL_MS) {
    world.timers.advance(evaluated - 100 - world.now())
    world.timers.wallOffsetMs -= 3
    for (let ms = 0; ms < 1000; ms++) {
      world.timers.advance(1)
      await evaluator.idle()
    }
    assert.equal((await world.find(monitor.id)).standing.lastEvaluatedAt, evaluated)
  }
})

test('a crossing is in the journal within the target, however soon after an evaluation it happens and though the round takes nearly 6 seconds', async () => {
  const toldWithinMs = 30_000
  const intervalMs = evaluationInterval(toldWithinMs)
  for (const afterMs of [1, 500, 13_000, intervalMs]) {
    const world = new MonitorWorld()
    const monitor = await world.create({ windowMs: MINUTE })
    const evaluator = world.newEvaluator({ intervalMs })
    await started(evaluator)
    const evaluated = Math.ceil(NOON / intervalMs) * intervalMs
    world.measures.delay = () => new Promise((resolve) => void world.timers.after(5990, resolve))
    const pass = async (until: number) => {
      while (world.now() < until) {
        world.timers.advance(10)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await pass(evaluated + afterMs)
    const acknowledgedAt = world.now()
    world.score(20, acknowledgedAt)
    await pass(evaluated + 3 * intervalMs)
    const [fired] = await world.history(monitor.id)
    const lateMs = fired!.recordedAt - acknowledgedAt
    assert.ok(lateMs >= 5990 && lateMs <= toldWithinMs, `${lateMs} ms`)
  }
})

test('a store that cannot answer leaves everything unchanged; missed evaluations are caught up', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const evaluator = world.newEvaluator()
  await started(evaluator)
  world.score(20, NOON + 1000)
  world.score(1, NOON + 80_000)
  world.measures.failure = storeIsGone()
  await world.pass(evaluator, 2 * MINUTE)
  assert.equal(world.errors.length, 8)
  assert.equal((await world.find(monitor.id)).standing.lastEvaluatedAt, null)
  world.measures.failure = null
  await world.pass(evaluator, INTERVAL_MS)
  await assertTold(world, monitor, ['fired 15 20', 'normal 90 1'])
})

test('missed evaluations that ask for too much together are passed over, and the newest is made', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const evaluator = world.newEvaluator()
  await started(evaluator)
  world.score(20, NOON + 80_000)
  world.measures.failure = storeIsGone()
  await world.pass(evaluator, 2 * MINUTE)
  world.measures.failure = null
  const failures = world.errors.length
  const measureOver = world.measures.measureOver.bind(world.measures)
  world.measures.measureOver = async (projectId, query, times) => {
    if (times.count > 1) throw new DomainError('validation_failed', 'too many traces')
    return measureOver(projectId, query, times)
  }
  await world.pass(evaluator, INTERVAL_MS)
  await assertTold(world, monitor, ['fired 135 20'])
  assert.equal(world.errors.length, failures)
})

test('a monitor that asks for too much does not stop the others', async () => {
  const world = new MonitorWorld()
  const monitors = [
    await world.create(),
    await world.create(),
    await world.create({ forEach: 'cluster' }),
    await world.create(),
  ]
  const measure = world.measures.measure.bind(world.measures)
  world.measures.measure = async (projectId, questions) => {
    if (questions.some(({ forEach }) => forEach === 'cluster')) {
      throw new DomainError('validation_failed', 'too many traces')
    }
    return measure(projectId, questions)
  }
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, INTERVAL_MS)
  await evaluator.stop()
  const evaluated = await Promise.all(
    monitors.map(async ({ id }) => (await world.useCases.find(PROJECT, id)).standing.lastEvaluatedAt !== null),
  )
  assert.deepEqual(evaluated, [true, true, false, true])
  assert.deepEqual(
    world.errors.map(({ message }) => message),
    ['monitors could not be evaluated; the next round tries again'],
  )
})

test('a commit that fails is retried: nothing is reported twice, nothing is lost', async () => {
  const world = new MonitorWorld()
  const monitors = await Promise.all([world.create(), world.create({ name: 'other' })])
  const evaluator = world.newEvaluator()
  world.score(20, NOON)
  world.score(0, NOON + 61_000)
  let commits = 0
  world.beforeCommit = async () => {
    if (++commits % 2 === 1) throw storeIsGone()
  }
  await started(evaluator)
  await world.pass(evaluator, 5 * MINUTE)
  for (const monitor of monitors) await assertTold(world, monitor, ['fired 15 20', 'normal 75 0'])
  assert.ok(world.errors.length >= 2)
})

test('counts that could not be written are counted again from where they were', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create({ consecutive: 3, windowMs: HOUR })
  world.score(20)
  const { monitors } = world.stores
  let failing = 2
  const evaluator = world.newEvaluator({
    store: {
      listEnabled: () => monitors.listEnabled(),
      recordEvaluations: async (...round) => {
        if (failing-- > 0) throw storeIsGone()
        return monitors.recordEvaluations(...round)
      },
    },
  })
  await started(evaluator)
  await world.pass(evaluator, 2 * MINUTE)
  await assertTold(world, monitor, ['fired 45 20'])
  assert.equal(world.errors.length, 2)
})

test('of two services on one store one evaluates; when it stops the other takes over at once, when it dies after its lease', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create({ windowMs: 12 * HOUR })
  const [first, second] = [world.newEvaluator({ holder: 'a' }), world.newEvaluator({ holder: 'b' })]
  const both = { idle: async () => void (await Promise.all([first.idle(), second.idle()])) }
  const pass = async (byMs: number) => {
    for (let left = byMs; left > 0; left -= INTERVAL_MS) {
      world.timers.advance(INTERVAL_MS)
      await both.idle()
    }
  }
  first.start()
  second.start()
  await both.idle()
  await pass(HOUR)
  assert.equal(world.measures.asked.together, HOUR / INTERVAL_MS)
  assert.equal(world.measures.asked.over, 0)
  await first.stop()
  world.score(20)
  await pass(HOUR)
  assert.equal(world.measures.asked.together, (2 * HOUR) / INTERVAL_MS)
  await assertTold(world, monitor, [`fired ${3600 + 15} 20`])
  // The second dies without releasing: its lease lasts two intervals and fifteen seconds.
  await second.idle()
  const third = world.newEvaluator({ holder: 'c' })
  const { leases } = world.stores
  assert.equal(await leases.take('monitors', 'c', 45_000), null)
  world.timers.wallOffsetMs += 44_999
  assert.equal(await leases.take('monitors', 'c', 45_000), null)
  world.timers.wallOffsetMs += 1
  assert.equal((await leases.take('monitors', 'c', 45_000))?.holder, 'c')
  await third.stop()
})

test('results evaluated under a lease that was taken over are refused, and that service evaluates no more', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create({ consecutive: 3, windowMs: HOUR })
  world.score(20)
  const evaluator = world.newEvaluator()
  await started(evaluator)
  world.measures.delay = async () => {
    world.timers.wallOffsetMs += 45_000
    assert.ok(await world.stores.leases.take('monitors', 'b', 45_000))
  }
  await world.pass(evaluator, 3 * INTERVAL_MS)
  assert.equal(world.measures.asked.together, 1)
  assert.deepEqual((await world.find(monitor.id)).standing, monitor.standing)
  assert.deepEqual(world.errors, [])
})

test('two services that both believe they hold the lease report a crossing once', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const { leases } = world.stores
  const believing: LeaseStore = {
    take: (name, _holder, durationMs) => leases.take(name, 'either', durationMs),
    renew: async (lease) => lease as Lease,
    release: async () => undefined,
  }
  const [first, second] = [world.newEvaluator({ leases: believing }), world.newEvaluator({ leases: believing })]
  first.start()
  second.start()
  await first.idle()
  await second.idle()
  for (let i = 0; i < 40; i++) {
    world.score(i % 8 < 4 ? 20 : 0)
    world.timers.advance(INTERVAL_MS)
    await Promise.all([first.idle(), second.idle()])
  }
  const states = (await world.history(monitor.id)).map(({ to }) => to)
  assert.ok(states.length >= 8)
  states.forEach((to, index) => assert.equal(to, index % 2 === 0 ? 'fired' : 'normal'))
  const events = (await world.events()).map(({ type }) => type)
  assert.equal(events.length, states.length)
})

test('a monitor that is changed or deleted during its crossing emits no event for its former definition', async () => {
  for (const change of ['threshold', 'disable', 'delete'] as const) {
    const world = new MonitorWorld()
    const monitor = await world.create()
    world.score(20)
    world.beforeCommit = async ({ cause }) => {
      if (cause !== 'evaluation') return
      world.beforeCommit = async () => undefined
      if (change === 'threshold') await world.useCases.patch(PROJECT, monitor.id, { threshold: 30 })
      if (change === 'disable') await world.useCases.patch(PROJECT, monitor.id, { enabled: false })
      if (change === 'delete') await world.useCases.remove(PROJECT, monitor.id)
    }
    const evaluator = world.newEvaluator()
    await started(evaluator)
    await world.pass(evaluator, INTERVAL_MS)
    assert.deepEqual(await world.events(), [], change)
    await world.pass(evaluator, MINUTE)
    assert.deepEqual(await world.events(), [], change)
  }
})

test('a fired one resolves when it is changed, disabled or deleted; a new name changes nothing', async () => {
  const world = new MonitorWorld()
  const evaluator = world.newEvaluator()
  world.score(20)
  const changed = await world.create({ windowMs: HOUR })
  const disabled = await world.create({ windowMs: HOUR })
  const deleted = await world.create({ windowMs: HOUR })
  const renamed = await world.create({ windowMs: HOUR })
  await started(evaluator)
  await world.pass(evaluator, INTERVAL_MS)
  assert.equal((await world.events()).length, 4)
  const after = await world.useCases.patch(PROJECT, changed.id, { threshold: 15 })
  assert.deepEqual([after.standing.state, after.standing.lastEvaluatedAt, after.revision], ['normal', null, 2])
  const off = await world.useCases.patch(PROJECT, disabled.id, { enabled: false })
  assert.equal(off.standing.state, 'normal')
  await world.useCases.remove(PROJECT, deleted.id)
  const other = await world.useCases.patch(PROJECT, renamed.id, { name: 'another' })
  assert.deepEqual([other.standing.state, other.name, other.revision], ['fired', 'another', 2])
  const same = await world.useCases.patch(PROJECT, renamed.id, { name: 'another', threshold: 10 })
  assert.equal(same.revision, 2)
  const causes = (await world.events()).flatMap((event) => ('transition' in event ? [event.transition] : []))
  assert.deepEqual(
    causes.slice(4).map(({ monitorId, cause, to, value }) => [monitorId, cause, to, value]),
    [
      [changed.id, 'change', 'normal', null],
      [disabled.id, 'disable', 'normal', null],
      [deleted.id, 'delete', 'normal', null],
    ],
  )
  assert.deepEqual(await world.history(deleted.id), [])
  await world.pass(evaluator, INTERVAL_MS)
  assert.equal((await world.find(changed.id)).standing.state, 'fired')
  assert.equal((await world.find(disabled.id)).standing.state, 'normal')
  assert.equal((await world.events()).length, 8)
})

test('words that cannot be searched for are refused, but do not keep a monitor from being disabled', async () => {
  const world = new MonitorWorld()
  const refusal = { code: 'full_text_disabled' }
  const filters = { ...DRAFT.filters, text: 'no words' }
  await assert.rejects(world.create({ filters }), refusal)
  const { id } = await world.create({ filters: { ...filters, text: 'words' } })
  await assert.rejects(world.useCases.patch(PROJECT, id, { filters }), refusal)
  world.checkWords = () => {
    throw new DomainError('full_text_disabled', 'There is no full text.')
  }
  const { enabled, definition } = await world.useCases.patch(PROJECT, id, { enabled: false })
  assert.deepEqual([enabled, definition.filters.text], [false, 'words'])
})

test('an event that arrives late counts in the windows that are evaluated after it and contain its time', async () => {
  const world = new MonitorWorld()
  const monitor = await world.create()
  const evaluator = world.newEvaluator()
  await started(evaluator)
  await world.pass(evaluator, MINUTE)
  world.score(20, NOON + 20_000)
  await world.pass(evaluator, INTERVAL_MS)
  await assertTold(world, monitor, ['fired 75 20'])
  world.measures.add(PROJECT, { at: NOON + 1000, metricId: SCORE, value: -1000 })
  await world.pass(evaluator, MINUTE)
  await assertTold(world, monitor, ['fired 75 20'])
})

test('preview reports what the monitor would have done', async () => {
  const world = new MonitorWorld()
  world.score(20, NOON - 3 * MINUTE)
  world.score(1, NOON - MINUTE)
  const { evaluations, transitions, stepMs } = await world.useCases.preview(PROJECT, {
    draft: DRAFT,
    startTime: NOON - 5 * MINUTE,
    endTime: NOON,
  })
  assert.equal(stepMs, INTERVAL_MS)
  assert.equal(evaluations.length, 21)
  assert.deepEqual(transitions, [
    { at: NOON - 3 * MINUTE, group: null, to: 'fired', value: 20 },
    { at: NOON - MINUTE, group: null, to: 'normal', value: 1 },
  ])
  const day = await world.useCases.preview(PROJECT, { draft: DRAFT, startTime: null, endTime: null })
  assert.equal(day.stepMs, 90_000)
  assert.ok(day.evaluations.length <= 1000 && day.evaluations.length > 950)
  assert.equal(day.evaluations.at(-1)?.at, NOON)
  for (const [startTime, endTime] of [
    [NOON, NOON],
    [null, NOON + 1],
    [NOON + 1, null],
  ] as const) {
    await assert.rejects(world.useCases.preview(PROJECT, { draft: DRAFT, startTime, endTime }), {
      code: 'validation_failed',
    })
  }
  assert.deepEqual(await world.events(), [])
})
