import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { DomainError } from '../../lib/domain-error.ts'
import { NO_UNKNOWNS } from '../../ports/log/log.ts'
import { score } from '../commit/metric-event-builders.test-support.ts'
import { BEGIN_MS, idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { TracePartRequest } from '../use-cases.ts'

const ID = idAt('tr', BEGIN_MS - 60_000, 1)
const step = (number: number, fields: object = {}) => ({ id: idAt('st', BEGIN_MS, number), name: 'a', ...fields })

type Scores = Awaited<ReturnType<TracePartRequest['scores']>>

function part(trace: { readonly steps?: readonly object[] }, fields: Partial<TracePartRequest> = {}): TracePartRequest {
  const { from = 0, eventsFrom = 0, projectId = PROJECT } = fields
  const body = JSON.stringify({ name: 'run', ...trace })
  return {
    projectId,
    id: ID,
    from,
    eventsFrom,
    sent: Buffer.from(`${from} ${eventsFrom}${body}`),
    trace: Buffer.from(body),
    mediaProject: null,
    flagged: false,
    flagReason: null,
    scores: async () => [],
    createdBy: 'key_1' as KeyId,
    ...fields,
  }
}

async function outcomeOf(world: TraceWorld, request: TracePartRequest): Promise<string> {
  try {
    return await world.service.useCases.importPart(request)
  } catch (error) {
    const { code, errors } = error as DomainError
    return errors?.[0] === undefined ? code : `${errors[0].pointer} ${errors[0].code}`
  }
}

test('of imports of one id at once, in one project or in two, one commits it', async () => {
  const own = part({ steps: [step(1)] })
  const same = new TraceWorld()
  const outcomes = await Promise.all([own, own, part({ steps: [step(2)] })].map((one) => outcomeOf(same, one)))
  assert.deepEqual(outcomes, ['committed', 'replayed', 'exists'])
  const apart = new TraceWorld()
  const projects: readonly ProjectId[] = [OTHER_PROJECT, PROJECT]
  const answers = await Promise.all(projects.map((projectId) => outcomeOf(apart, { ...own, projectId })))
  assert.deepEqual(answers, ['committed', 'trace_id_taken'])
  assert.equal((await apart.service.useCases.read(OTHER_PROJECT, ID)).trace.stepCount, 1)
  await assert.rejects(apart.service.useCases.read(PROJECT, ID), /There is no trace/)
})

test('an id of another project, of a deleted trace and of the future is refused; new traces come after all', async () => {
  const world = new TraceWorld()
  const foreign = await world.commit({ name: 'x' }, { projectId: OTHER_PROJECT })
  const deleted = await world.commit({ name: 'x' })
  await world.service.useCases.delete(PROJECT, deleted.id)
  for (const { id } of [foreign, deleted]) {
    assert.equal(await outcomeOf(world, part({}, { id })), 'trace_id_taken')
  }
  const future = idAt('tr', BEGIN_MS + 1, 1)
  assert.equal(await outcomeOf(world, part({}, { id: future })), '/id out_of_range')
  assert.equal(await outcomeOf(world, part({})), 'committed')
  const { id } = await world.commit({ name: 'new' })
  assert.equal(world.log.watermark().lastTraceId, id)
  assert.ok(id > foreign.id)
  const { trace } = await world.service.useCases.read(PROJECT, ID)
  assert.deepEqual([trace.createdAt, trace.growing], [BEGIN_MS - 60_000, false])
})

test('later parts need the earlier ones and are committed once, with what they say about the trace', async () => {
  const world = new TraceWorld()
  const second = part({ steps: [step(3, { parent_step_id: null })] }, { from: 2, flagged: true, flagReason: 'why' })
  assert.equal(await outcomeOf(world, second), '/from invalid_value')
  assert.equal(await outcomeOf(world, part({ steps: [step(1), step(2)] })), 'committed')
  assert.equal(await outcomeOf(world, { ...second, from: 3 }), '/from invalid_value')
  const again = part({ steps: [step(1)] }, { from: 2 })
  assert.equal(await outcomeOf(world, again), '/trace/steps/0 step_id_conflict')
  assert.equal(await outcomeOf(world, second), 'committed')
  assert.equal(await outcomeOf(world, second), 'replayed')
  assert.equal(await outcomeOf(world, again), 'exists')
  const { trace, allSteps } = await world.service.useCases.read(PROJECT, ID)
  assert.deepEqual([trace.stepCount, trace.flagged, trace.flagReason], [3, true, 'why'])
  assert.deepEqual(
    allSteps?.map(({ parentStepId, parentInferred }) => [parentStepId, parentInferred]),
    [
      [null, false],
      [step(1).id, true],
      [null, false],
    ],
  )
  const flags = world.published.flatMap(({ events }) => events.filter(({ type }) => type === 'trace.flagged'))
  assert.equal(flags.length, 1)
})

test('an idempotency key may occur again, as in a trace where it had expired: its first step is known by it', async () => {
  const world = new TraceWorld()
  const keyed = (number: number) => step(number, { idempotency_key: 'k' })
  assert.equal(await outcomeOf(world, part({ steps: [keyed(1), keyed(2)] })), 'committed')
  assert.equal(await outcomeOf(world, part({ steps: [keyed(3), keyed(4)] }, { from: 2 })), 'committed')
  const { allSteps } = await world.service.useCases.read(PROJECT, ID)
  assert.deepEqual(
    allSteps?.map(({ id, idempotencyKey }) => [id, idempotencyKey]),
    [1, 2, 3, 4].map((number) => [step(number).id, 'k']),
  )
  const stepKeys = [{ traceId: ID, key: 'kk' }]
  assert.equal((await world.log.lookUp({ ...NO_UNKNOWNS, stepKeys })).stepKey(ID, 'kk')?.stepId, step(1).id)
})

test('metric events are committed with their part, or nothing of it is', async () => {
  const world = new TraceWorld()
  const first = step(1).id
  const of = (...scores: Scores) => part({ steps: [step(1)] }, { scores: async () => scores })
  const event = score({ traceId: ID, stepId: first, idempotencyKey: 'k' })
  for (const [request, refusal] of [
    [of(event, { ...event, idempotencyKey: 'k' }), '/metric_events/1/idempotency_key idempotency_conflict'],
    [of({ ...event, stepId: step(2).id }), '/metric_events/0/step_id unknown_step'],
    [of({ ...event, traceId: idAt('tr', 1, 1) }), '/metric_events/0/trace_id unknown_trace'],
  ] as const) {
    assert.equal(await outcomeOf(world, request), refusal)
    await assert.rejects(world.service.useCases.read(PROJECT, ID), /There is no trace/)
  }
  assert.equal(await outcomeOf(world, of(event)), 'committed')
  const later = part({ steps: [step(2)] }, { from: 1, scores: async () => [{ ...event, idempotencyKey: 'l' }] })
  assert.equal(
    await outcomeOf(world, { ...later, scores: async () => [event] }),
    '/metric_events/0/idempotency_key idempotency_conflict',
  )
  assert.equal(await outcomeOf(world, later), 'committed')
  const events = world.published.flatMap((row) => row.events.filter(({ type }) => type === 'metric.event'))
  assert.equal(events.length, 2)
})

test('events that follow in parts of their own need the parts before them, and leave steps as they are', async () => {
  const world = new TraceWorld()
  for (const [id, steps] of [
    [ID, [step(1), step(2)]],
    [idAt('tr', BEGIN_MS - 60_000, 2), []],
  ] as const) {
    const stepId = steps[0]?.id ?? null
    const later = (eventsFrom: number, ...keys: readonly string[]) => {
      const scores = keys.map((idempotencyKey) => score({ traceId: id, stepId, idempotencyKey }))
      return part({}, { id, from: steps.length, eventsFrom, scores: async () => scores })
    }
    assert.equal(await outcomeOf(world, later(1, 'b')), '/from invalid_value')
    const scores = async () => [score({ traceId: id, stepId, idempotencyKey: 'a' })]
    assert.equal(await outcomeOf(world, part({ steps }, { id, scores })), 'committed')
    assert.equal(await outcomeOf(world, later(3, 'd')), '/from invalid_value')
    assert.equal(await outcomeOf(world, later(1, 'b', 'c')), 'committed')
    assert.equal(await outcomeOf(world, later(3, 'd')), 'committed')
    assert.equal(await outcomeOf(world, later(1, 'b', 'c')), 'replayed')
    const events = world.published.flatMap((row) => row.events)
    assert.equal(events.filter((one) => one.type === 'metric.event' && one.traceId === id).length, 4)
    assert.equal((await world.service.useCases.read(PROJECT, id)).trace.stepCount, steps.length)
  }
})

test('a trace that was not imported does not grow by parts', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 'own', steps: [{ name: 'a' }] })
  const flagged = { id, flagged: true, flagReason: 'why' }
  assert.equal(await outcomeOf(world, part({ steps: [step(1)] }, { ...flagged, from: 1 })), 'exists')
  assert.equal(await outcomeOf(world, part({}, { ...flagged, from: 1, eventsFrom: 1 })), 'exists')
  const { trace } = await world.service.useCases.read(PROJECT, id)
  assert.deepEqual([trace.stepCount, trace.flagged], [1, false])
})

test('a part that is there is known before anything of it is checked', async () => {
  const world = new TraceWorld()
  const own = part({ steps: [step(1)] })
  assert.equal(await outcomeOf(world, own), 'committed')
  const scores = () => assert.fail('its metric is gone')
  assert.equal(await outcomeOf(world, { ...own, scores }), 'replayed')
})
