import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
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
  readonly values = this.#open()
  /** What is written, in commits. */
  writes = 0
  isOwn = true
  /** Before the next one. */
  beforeWrite: (() => Promise<void>) | null = null

  #open() {
    const values = new UnfoundedValues({
      traces: this.service.useCases,
      work: new WorkTurns(systemWorkTurns),
      write: async (trace, found) => {
        const { beforeWrite } = this
        this.beforeWrite = null
        await beforeWrite?.()
        this.writes += 1
        return this.service.writeUnfounded(trace, found)
      },
    })
    this.log.subscribe({ committed: (commit) => values.committed(commit) })
    return values
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

test('a value from nowhere is found where the argument nearly always came from earlier in the traces before', async () => {
  const world = new World()
  const first = await world.run('Mia', booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual([await world.found(first), world.writes], [[], 0], 'two values show nothing')
  for (const name of NAMES) await world.run(name)
  const later = await world.run('Mia', booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual(await world.found(later), FOUND, 'seats come from nowhere always')
  const { traces } = await world.list({ finding: 'value_from_nowhere' })
  assert.deepEqual([traces.map(({ id }) => id), world.writes], [[later], 1])
  for (const name of ['Ann', 'Bob', 'Cid', 'Dan']) await world.run('Someone', booking({ name }))
  await world.appendSteps(later, booking({ name: 'Mia' }))
  await world.search()
  assert.deepEqual(await world.found(later), FOUND, 'it stays although less of them come from earlier now')
  await world.service.close()
})

test('a value that the model alone said before comes from nowhere', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  const text = 'I book it for Zoe.'
  const proposes = { name: 'llm', type: 'llm', messages: [{ role: 'assistant', content: [{ type: 'text', text }] }] }
  const invented = await world.run('Mia', proposes, booking({ name: 'Zoe' }))
  const repeated = await world.run('Zoe', proposes, booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual(await world.found(invented), [['value_from_nowhere', 'book', '/name', 1, '3']])
  assert.deepEqual(await world.found(repeated), [])
  await world.service.close()
})

test('what an append brings is found, and a growing trace when it is complete', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  const id = await world.run('Mia')
  await world.search()
  assert.deepEqual(await world.found(id), [])
  await world.appendSteps(id, booking({ name: 'Zoe' }))
  await world.search()
  assert.deepEqual([await world.found(id), world.writes], [FOUND, 1])

  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'book' }
  const span = { spanId: spanId(1), name: 'root', attributes }
  await world.service.useCases.takeExport(toRequest(PROJECT, exportJson([span])))
  assert.equal(world.values.hasWork, false, 'it grows')
  await world.service.completeQuiet(world.log.watermark().version)
  assert.equal(world.values.hasWork, true)
  await world.service.close()
})

test('other nodes search the traces of others; a deleted trace gets nothing, one that changes is searched again', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  await world.search()
  const foreign = await world.run('Mia', booking({ name: 'Eve' }))
  world.isOwn = false
  await world.search()
  assert.deepEqual([world.values.hasWork, world.writes], [false, 0])
  world.isOwn = true
  const gone = await world.run('Mia', booking({ name: 'Zoe' }))
  await world.service.useCases.delete(PROJECT, gone)
  const changing = await world.run('Mia', booking({ name: 'Zoe' }))
  world.beforeWrite = async () =>
    void (await world.service.useCases.patch(PROJECT, changing, { flagged: true, status: null, reason: null }))
  await world.search()
  assert.deepEqual([await world.found(changing), world.writes], [FOUND, 2], 'the first one met another version')
  assert.deepEqual(await world.found(foreign), [])
  await world.service.close()
})

test('a trace without calls is not read; one whose calls are in the history of a model is', async () => {
  const world = new World()
  const { messages } = booking({ name: 'Zoe' })
  const chat = { name: 'chat', type: 'llm', messages: [said('user', 'Zoe'), ...messages, said('assistant', 'booked')] }
  const silent = (await world.commit({ name: 'run', steps: [asked('Mia')] })).id
  assert.equal(world.values.hasWork, false)
  await world.appendSteps(silent, asked('Zoe'))
  assert.equal(world.values.hasWork, false)
  await world.appendSteps(silent, chat)
  assert.equal(world.values.hasWork, true)
  for (const name of NAMES) await world.run(name)
  const id = (await world.commit({ name: 'run', steps: [asked('Mia'), chat, booking({ name: 'Eve' })] })).id
  await world.search()
  assert.deepEqual(await world.found(id), FOUND)
  const later = (
    await world.commit({ name: 'run', steps: [{ ...chat, messages: [...messages, said('assistant', '!')] }] })
  ).id
  await world.search()
  assert.deepEqual(await world.found(later), [['value_from_nowhere', 'book', '/name', 1, '0']])
  await world.service.close()
})

test('a finding that the store cannot take now is written later', async () => {
  const world = new World()
  for (const name of NAMES) await world.run(name)
  const id = await world.run('Mia', booking({ name: 'Zoe' }))
  world.beforeWrite = () => Promise.reject(new DomainError('queue_full', 'full'))
  await assert.rejects(world.search(), { code: 'queue_full' })
  assert.equal(world.values.hasWork, true)
  await world.search()
  assert.deepEqual(await world.found(id), FOUND)
  await world.service.close()
})

test('however many projects have traces, each trace is read once', async () => {
  const read: string[] = []
  const values = new UnfoundedValues({
    traces: {
      read: (_projectId, id) => {
        read.push(id)
        return Promise.reject(new DomainError('not_found', 'gone'))
      },
    },
    work: new WorkTurns(systemWorkTurns),
    write: () => Promise.reject(new Error('nothing is written')),
  })
  const traces = Array.from({ length: 3000 }, (_, at) => ({ projectId: `p${at % 1500}`, id: `t${at}`, growing: false }))
  const prepared = { calls: { knowsCalls: true } }
  const plan = { traces, steps: traces.map(({ id }) => ({ traceId: id, prepared })) }
  values.committed({ plan } as unknown as Parameters<UnfoundedValues['committed']>[0])
  await values.search(
    () => true,
    () => false,
  )
  assert.deepEqual([read.length, new Set(read).size, values.hasWork], [3000, 3000, false])
})
