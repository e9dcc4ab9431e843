import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { exportJson, spanId, toRequest } from '../otlp/spans.test-support.ts'
import { findingsOf } from '../rules/run-calls.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { UnfoundedValues } from './unfounded-values.ts'

const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const asked = (name: string) => ({ name: 'agent', type: 'llm', messages: [said('user', `book for ${name}`)] })
const booking = (input: object) => ({
  name: 'book',
  type: 'tool',
  messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'book', input }] }, said('tool', 'ok')],
})
const NAMES = Array.from({ length: 40 }, (_, at) => `Person${at}`)

class World extends TraceWorld {
  values = this.#open()
  /** What is written, in commits. */
  writes = 0
  isOwn = true

  #open() {
    const values = new UnfoundedValues({
      traces: this.service.useCases,
      work: new WorkTurns(systemWorkTurns),
      write: (trace, found) => {
        this.writes += 1
        return this.service.writeUnfounded(trace, found)
      },
    })
    this.log.subscribe({ committed: (commit) => values.committed(commit) })
    return values
  }

  /** As after a restart, where nothing is in memory. */
  reopen(): void {
    this.values = this.#open()
  }

  async run(name: string, ...more: readonly object[]) {
    return (await this.commit({ name: 'run', steps: [asked(name), booking({ name, seat: `${name}14C` }), ...more] })).id
  }

  async search() {
    while (this.values.hasWork)
      await this.values.search(
        () => this.isOwn,
        () => false,
      )
  }

  async found(id: TraceId) {
    const { trace } = await this.service.useCases.read(PROJECT, id)
    return findingsOf(trace.digest.calls).map(({ kind, tools, argument, times, at }) => [
      kind,
      tools.join(),
      argument,
      times,
      at.join(),
    ])
  }
}

const FOUND = [['value_from_nowhere', 'book', '/name', 1, '2']]

test('a value from nowhere is found where the argument nearly always comes from earlier, also once that is known', async () => {
  const world = new World()
  const first = await world.run('Mia', booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual([await world.found(first), world.writes], [[], 0], 'two values show nothing')
  for (const name of NAMES) await world.run(name)
  await world.search()
  assert.deepEqual(await world.found(first), FOUND, 'seats come from nowhere always')
  const { traces } = await world.list({ finding: 'value_from_nowhere' })
  assert.deepEqual([traces.map(({ id }) => id), world.writes], [[first], 1])
  for (const name of ['Ann', 'Bob', 'Cid', 'Dan']) await world.run('Someone', booking({ name }))
  await world.search()
  assert.deepEqual(await world.found(first), FOUND, 'it stays although less of them come from earlier now')
  assert.equal(world.writes, 1)
  await world.service.close()
})

test('what an append brings is found, a growing trace when it is complete, and after a restart too', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  const id = await world.run('Mia')
  await world.search()
  assert.deepEqual(await world.found(id), [])
  await world.appendSteps(id, booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual([await world.found(id), world.writes], [FOUND, 1])

  const later = await world.run('Mia', booking({ name: 'Eve' }))
  world.reopen()
  const span = { spanId: spanId(1), name: 'root' }
  await world.service.useCases.takeExport(toRequest(PROJECT, exportJson([span])))
  assert.equal(world.values.hasWork, false, 'it grows')
  await world.service.completeQuiet(world.log.watermark().version)
  assert.equal(world.values.hasWork, true)
  await world.run('Ida')
  await world.search()
  assert.deepEqual([await world.found(later), await world.found(id)], [FOUND, FOUND])
  await world.service.close()
})

test('other nodes search the traces of others; a trace that is deleted or that changes meanwhile gets nothing', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  const ids = [await world.run('Mia', booking({ name: 'Zoe' })), await world.run('Mia', booking({ name: 'Eve' }))]
  world.isOwn = false
  await world.search()
  assert.deepEqual([world.values.hasWork, world.writes], [false, 0])
  world.isOwn = true
  await world.run('Ida')
  await world.service.useCases.delete(PROJECT, ids[0]!)
  const { trace } = await world.service.useCases.read(PROJECT, ids[1]!)
  await world.search()
  assert.equal(world.writes, 1)
  const stale = { ...trace, stepCount: trace.stepCount - 1 }
  assert.equal(await world.service.writeUnfounded(stale, []), false)
  assert.deepEqual(await world.found(ids[1]!), FOUND)
  await world.service.close()
})
