import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { idAt } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

function toText(verdicts: readonly { readonly status: string; readonly code?: string }[]): string[] {
  return verdicts.map(({ status, code }) => code ?? status)
}

test('a client cannot choose an id that the service assigned to another step of the trace', async () => {
  const world = new TraceWorld()
  const { id, stepIds } = await world.commit({ name: 'trace', steps: [{ name: 'first' }] })
  const [appended] = await world.appendSteps(id, { name: 'second' })
  assert.ok(appended?.status === 'created')
  const chosen = { id: idAt('st', 5), name: 'chosen' }
  const steps = [{ id: stepIds[0], name: 'other' }, chosen, { name: 'third' }, { id: appended.stepId, name: 'second' }]
  assert.deepEqual(toText(await world.appendSteps(id, ...steps)), [
    'step_id_conflict',
    'created',
    'created',
    'step_id_conflict',
  ])
  const [trace] = (await world.list()).traces
  assert.equal(trace?.stepCount, 4)
  assert.deepEqual(toText(await world.appendSteps(id, chosen, { ...chosen, name: 'x' })), [
    'duplicate',
    'step_id_conflict',
  ])
})

test('the same id may be chosen in another trace', async () => {
  const world = new TraceWorld()
  const first = await world.commit({ name: 'trace', steps: [{ name: 'first' }] })
  const second = await world.commit({ name: 'trace' })
  assert.deepEqual(toText(await world.appendSteps(second.id, { id: first.stepIds[0], name: 'mine' })), ['created'])
})

test('steps stay in order when the look-up is slow', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 'trace' })
  const { memory } = world
  const find = memory.findStepsAmong.bind(memory)
  memory.findStepsAmong = async (...query) => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    return find(...query)
  }
  const lines = Array.from({ length: 4100 }, (_, index) => ({
    name: `${index}`,
    ...(index < 2000 ? { id: idAt('st', index + 1) } : {}),
  }))
  assert.ok((await world.appendSteps(id, ...lines)).every(({ status }) => status === 'created'))
  const { steps } = await world.service.useCases.read((await world.list()).traces[0]!.projectId, id)
  const names: string[] = []
  for await (const page of steps) names.push(...page.map(({ name }) => name))
  assert.deepEqual(
    names,
    lines.map(({ name }) => name),
  )
})

test('when the store cannot answer, the lines are refused for now', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 'trace' })
  world.memory.findStepsAmong = () => Promise.reject(new DomainError('storage_unavailable', 'not now'))
  const refused = await world.appendSteps(id, { name: 'a' }, { id: idAt('st', 1), name: 'b' })
  assert.ok(toText(refused).includes('storage_unavailable'))
  assert.deepEqual(toText(await world.appendSteps(id, { name: 'c' })), ['created'])
})
