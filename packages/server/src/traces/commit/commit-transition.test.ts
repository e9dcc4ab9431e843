import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MonitorTransition } from '../../ports/journal/monitor-transition.ts'
import { DRAFT, MonitorWorld } from '../../monitors/monitor-world.test-support.ts'
import { memoryOnlyMonitors } from '../../storage/sql/monitors/memory-only-monitors.test-support.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

async function openWorld() {
  const stores = memoryOnlyMonitors([PROJECT])
  const traces = new TraceWorld({ journal: stores.journal })
  const monitoring = new MonitorWorld({ stores, metricsOf: PROJECT })
  const { id } = await monitoring.create(DRAFT, PROJECT)
  const transition: MonitorTransition = {
    projectId: PROJECT,
    monitorId: id,
    revision: 1,
    group: null,
    to: 'fired',
    cause: 'evaluation',
    previouslyEvaluatedAt: null,
    at: 5000,
    value: 11,
    samples: 3,
    threshold: 10,
    monitor: '{}',
  }
  return { traces, id, transition, state: async () => (await monitoring.useCases.find(PROJECT, id)).standing.state }
}

test('a change of state is committed with its event, alone and beside traces', async () => {
  const { traces, transition, state } = await openWorld()
  await traces.service.commitTransition(transition)
  assert.equal(await state(), 'fired')
  const back: MonitorTransition = { ...transition, to: 'normal', at: 6000, value: 1, previouslyEvaluatedAt: 5000 }
  const [{ id }] = await Promise.all([traces.commit({ name: 'beside' }), traces.service.commitTransition(back)])
  assert.equal(await state(), 'normal')
  assert.deepEqual(await traces.events(), [
    { type: 'monitor.fired', transition },
    { type: 'monitor.resolved', transition: back },
    { type: 'trace.committed', traceId: id },
  ])
  assert.deepEqual(
    traces.published.flatMap(({ events }) => events),
    await traces.events(),
  )
})

test("a transition that no longer matches the monitor's state commits nothing: no event, no position", async () => {
  const { traces, transition, state } = await openWorld()
  for (const stale of [
    { ...transition, revision: 2 },
    { ...transition, previouslyEvaluatedAt: 1 },
    { ...transition, to: 'normal' as const },
    { ...transition, projectId: 'proj_00000000000000000000000000' as typeof PROJECT },
  ]) {
    await traces.service.commitTransition(stale)
  }
  assert.equal(await state(), 'normal')
  assert.deepEqual(await traces.events(), [])
  assert.equal(await traces.journal.headPosition(), 0)
  await traces.service.commitTransition(transition)
  await traces.service.commitTransition(transition)
  assert.deepEqual(await traces.events(), [{ type: 'monitor.fired', transition }])
  assert.equal(await traces.journal.headPosition(), 1)
})

test('a transition that intake refuses rejects and leaves the monitor unchanged', async () => {
  const { traces, transition, state } = await openWorld()
  await traces.service.close()
  await assert.rejects(traces.service.commitTransition(transition), { code: 'shutting_down' })
  assert.equal(await state(), 'normal')
})
