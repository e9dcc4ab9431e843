import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { findOrigins } from './find-origins.ts'

const world = new TraceWorld()
after(() => world.service.close())
const dependencies = { traces: world.service.useCases, work: new WorkTurns(systemWorkTurns) }

const said = (role: string, text: string) => ({ role, content: [{ type: 'text' as const, text }] })
const called = (name: string, input: object, id?: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', name, input, ...(id === undefined ? {} : { id }) }],
})
type Message = ReturnType<typeof said> | ReturnType<typeof called>
const llm = (...messages: readonly Message[]) => ({ name: 'llm', type: 'llm', messages })
const tool = (name: string, result: string, metadata: StepBody['metadata'] = {}) => ({
  name,
  type: 'tool',
  metadata,
  messages: [said('tool', result)],
})

/** The origins of the arguments of a step, as `path kind position`, and the positions of the steps that led to it. */
async function originsOf(steps: readonly object[], at = steps.length - 1) {
  const { id: traceId, stepIds } = await world.commit({ name: 'run', steps })
  const found = await findOrigins(dependencies, { projectId: PROJECT, traceId, stepId: stepIds[at]! })
  const position = (id: string) => stepIds.findIndex((one) => one === id)
  const values = found.arguments.map(
    ({ path, origin }) => `${path} ${origin === null ? 'none' : `${origin.kind} ${position(origin.stepId)}`}`,
  )
  return { values, ledHere: found.ledHere.map(position), complete: found.complete }
}

const asked = said('user', 'book a trip to Rome for Mia Li')
const find = called('find', { city: 'rome' })
const found = said('tool', '{"flight": "HAT110", "price": 1234.5}')

test('each argument has the step that held it first, and what led there', async () => {
  const book = called('book', { flight: 'HAT110', who: { names: ['Mia Li'] }, price: 1234.5, seat: '14C', bags: 2 })
  const history = [asked, find, found, book]
  const steps = [
    llm(asked, find),
    tool('find', '{"flight": "HAT110", "price": 1234.5}'),
    llm(...history),
    tool('book', 'ok'),
  ]
  const expected = {
    values: ['/flight output 1', '/who/names/0 message 0', '/price output 1', '/seat none'],
    ledHere: [0, 1],
    complete: true,
  }
  assert.deepEqual(await originsOf(steps, 2), expected)
  assert.deepEqual(await originsOf(steps), { ...expected, ledHere: [0, 1, 2] })
})

test('what a model said counts only if nothing else has the value; arguments of earlier calls do not count', async () => {
  const steps = [
    llm(said('user', 'hello'), said('assistant', 'take HAT110 and HAT220')),
    tool('find', 'HAT220'),
    llm(called('book', { flight: 'HAT330' })),
    llm(said('user', 'again'), called('book', { one: 'HAT110', two: 'HAT220', three: 'HAT330' })),
  ]
  assert.deepEqual((await originsOf(steps)).values, ['/one model 0', '/two output 1', '/three none'])
})

test('a step that runs a call has the arguments of that call: by its id, else by its tool', async () => {
  const calls = [called('find', { city: 'Rome' }, 'c1'), called('find', { city: 'Oslo' }, 'c2')]
  const both = llm(said('user', 'Rome'), ...calls)
  const byId = [both, tool('find', 'x', { tool_call_id: 'c1' })]
  assert.deepEqual((await originsOf(byId)).values, ['/city message 0'])
  assert.deepEqual((await originsOf([both, tool('find', 'x')])).values, ['/city none'])
  assert.deepEqual((await originsOf([both, tool('run', 'x', { tool: 'find' })])).values, ['/city none'])
  assert.deepEqual((await originsOf([both, tool('other', 'x')])).values, [])
})

test('a result in the step of its call comes after it; the same call again is a call', async () => {
  const step = { name: 'find', type: 'tool', messages: [find, said('tool', 'rome')] }
  assert.deepEqual((await originsOf([step])).values, ['/city none'])
  assert.deepEqual((await originsOf([llm(asked, find), llm(find)])).values, ['/city message 0'])
})

test('a step of another trace, and a trace of another project, are not found', async () => {
  const { id: traceId, stepIds } = await world.commit({ name: 'run', steps: [{ name: 'a' }] })
  const ask = (projectId: typeof PROJECT, stepId = stepIds[0]!) =>
    findOrigins(dependencies, { projectId, traceId, stepId })
  assert.deepEqual(await ask(PROJECT), { arguments: [], ledHere: [], complete: true })
  await assert.rejects(ask(PROJECT, idAt('st', 1, 1)), { code: 'not_found' })
  await assert.rejects(ask(OTHER_PROJECT), { code: 'not_found' })
})

test('a long text is searched in pieces that overlap', async () => {
  const long = `${'x '.repeat(32 * 1024 - 2)}HAT110 ${'y '.repeat(100_000)}HAT220`
  const steps = [tool('read', long), llm(called('book', { one: 'HAT110', two: 'HAT220' }))]
  assert.deepEqual((await originsOf(steps)).values, ['/one output 0', '/two output 0'])
})

test('of a very long run the first texts are searched', async () => {
  const long = 'x'.repeat(3 * 1024 * 1024)
  const steps = [1, 2, 3].map((at) => tool('read', `${long} ${at}`))
  const trace = [
    llm(said('user', 'HAT110')),
    ...steps,
    tool('find', 'HAT220'),
    llm(called('book', { one: 'HAT110', two: 'HAT220' })),
  ]
  const { values, complete } = await originsOf(trace)
  assert.deepEqual([values, complete], [['/one message 0', '/two none'], false])
})

test('a recorded field called `kind` is searched; short texts without a value cost nothing', async () => {
  const data = { kind: 'premium-gold-77', ones: Array.from({ length: 100_000 }, () => 1), other: 'silver-nine-88' }
  const result = { name: 'find', type: 'tool', messages: [{ role: 'tool', content: [{ type: 'data', data }] }] }
  const steps = [result, llm(called('book', { one: 'premium-gold-77', two: 'silver-nine-88' }))]
  const { values, complete } = await originsOf(steps)
  assert.deepEqual(values, ['/one output 0', '/two output 0'])
  assert.equal(complete, true)
})

test('the first 100 arguments of a step are searched', async () => {
  const many = (name: string) =>
    Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`${name}${at}`, `${name}-${at}-x`]))
  const { values } = await originsOf([llm(asked), llm(called('book', many('value')))])
  assert.equal(values.length, 100)
})
