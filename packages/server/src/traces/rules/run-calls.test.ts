import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stepCalls } from '../intake/step-calls.ts'
import { added, preparedStep } from '../trace-builders.test-support.ts'
import { addSteps, NO_STEPS, NO_USAGE, type StepRollup } from './rollup.ts'
import { toFinding } from '../../wire/finding-to-wire.ts'
import { findingsOf, NO_CALLS_YET, wastedOf, withoutCalls } from './run-calls.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { RunCalls } from '../../ports/traces/trace-record.ts'

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
const says = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })
const result = (text: string, id = '') => ({ role: 'tool', tool_call_id: id, content: [{ type: 'text', text }] })
const asks = (name: string, input: object, id = '') => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
})

function tool(name: string, input: object, output: string, fields: Partial<PreparedStep> = {}): PreparedStep {
  const messages = [asks(name, input), result(output)]
  return preparedStep({ name, type: 'tool', calls: stepCalls('tool', name, messages), ...fields })
}

function model(input: number, ...messages: object[]): PreparedStep {
  const tokenUsage = { ...NO_USAGE, input, output: 1 }
  return preparedStep({ type: 'llm', model: 'm', tokenUsage, calls: stepCalls('llm', 'llm', messages) })
}

const found = ({ digest }: StepRollup) =>
  findingsOf(digest.calls).map(({ kind, tools, times, at }) => [kind, tools.join(), times, at.join()])

test('a call with the same arguments and result is found from the third time on, whatever is between', () => {
  const get = (output = 'none') => tool('get', { id: 1 }, output)
  const other = (id: number) => tool('get', { id }, 'none')
  assert.deepEqual(found(added(NO_STEPS, [get(), other(2), get()])), [])
  assert.deepEqual(found(added(NO_STEPS, [get(), other(2), get(), other(3), other(4), get()])), [
    ['repeated_call', 'get', 3, '0,2,5'],
  ])
})

test('a poll whose result changes is none, nor are calls whose arguments are not known', () => {
  assert.deepEqual(
    found(
      added(
        NO_STEPS,
        [1, 2, 3, 4].map((at) => tool('poll', {}, `at ${at} %`)),
      ),
    ),
    [],
  )
  const silent = preparedStep({ name: 'write', type: 'tool', calls: stepCalls('tool', 'write', [result('ok')]) })
  assert.deepEqual(found(added(NO_STEPS, [silent, silent, silent])), [])
})

test('a tool that fails with the same error counts, with another it does not', () => {
  const failing = (error: string) =>
    preparedStep({
      name: 'get',
      type: 'tool',
      status: 'error',
      calls: stepCalls('tool', 'get', [asks('get', {})]),
      said: { input: null, output: null, error, errorType: null },
    })
  assert.equal(found(added(NO_STEPS, [failing('a'), failing('a'), failing('a')])).length, 1)
  assert.equal(found(added(NO_STEPS, [failing('a'), failing('b'), failing('a')])).length, 0)
})

test('two or three calls in turns are one cycle', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => tool(name, { x: 1 }, `${name} done`)) as [
    PreparedStep,
    PreparedStep,
    PreparedStep,
  ]
  assert.deepEqual(found(added(NO_STEPS, [c, a, b, a, b, a, b])), [['cycle', 'a,b', 3, '1,2,3,4,5,6']])
  const three = added(NO_STEPS, [a, b, c, a, b, c, a, b, c])
  assert.deepEqual(found(three), [['cycle', 'a,b,c', 3, '0,1,2,3,4,5,6,7,8']])
  const polled = [1, 2, 3].flatMap((at) => [a, tool('poll', {}, `${at}`)])
  assert.deepEqual(found(added(NO_STEPS, polled)), [['repeated_call', 'a', 3, '0,2,4']])
})

test('a call of a model has its result from the step of the tool, else from what the model is given next', () => {
  const given = (id: string, more: object) => [user('go'), asks('x', {}), result('same', id), more]
  const inHistory = added(NO_STEPS, [
    model(10, user('go'), asks('get', { id: 1 }, '1')),
    model(20, ...given('1', asks('get', { id: 1 }, '2'))),
    model(30, ...given('2', asks('get', { id: 1 }, '3'))),
    model(40, ...given('3', says('I give up.'))),
  ])
  assert.deepEqual(found(inHistory), [['repeated_call', 'get', 3, '0,1,2']])
  const ran = preparedStep({ name: 'get', type: 'retrieval', calls: stepCalls('retrieval', 'get', [result('same')]) })
  const turn = model(10, user('go'), asks('get', { id: 1 }))
  assert.deepEqual(found(added(NO_STEPS, [turn, ran, turn, ran, turn, ran])), [['repeated_call', 'get', 3, '1,3,5']])
})

test('the same answer to the same input is found only while the input grows', () => {
  const turn = (input: number, question = 'Go on.') => model(input, user(question), says('Let me think about that.'))
  assert.deepEqual(found(added(NO_STEPS, [turn(10), turn(20), turn(30)])), [['no_progress', '', 3, '0,1,2']])
  assert.deepEqual(found(added(NO_STEPS, [turn(10), turn(10), turn(10)])), [])
  assert.deepEqual(found(added(NO_STEPS, [turn(10), turn(20, 'And?'), turn(30)])), [])
})

test('the tokens of models that asked again are wasted, each once', () => {
  const ask = (input: number) => model(input, user('go'), asks('get', {}), asks('put', {}))
  const get = tool('get', {}, 'x')
  const put = tool('put', {}, 'y')
  const { digest } = added(NO_STEPS, [ask(100), get, put, ask(200), get, put, ask(400), get, put])
  const usage = [{ model: 'm', tokens: { input: 600, output: 2, cacheRead: 0, cacheWrite: 0 } }]
  assert.deepEqual(wastedOf(digest.calls), { tokens: 602, usage })
})

test('findings are the same however steps are divided among commits', () => {
  const kinds = [tool('a', {}, 'x'), tool('b', {}, 'y'), tool('c', {}, 'z'), model(10, user('go'), asks('a', {}))]
  const steps = fc.array(fc.constantFrom(...kinds), { maxLength: 30 })
  fc.assert(
    fc.property(steps, fc.nat(30), (all, at) => {
      const divided = added(added(NO_STEPS, all.slice(0, at)), all.slice(at))
      assert.deepEqual(divided.digest.calls, added(NO_STEPS, all).digest.calls)
    }),
  )
})

test('a step that is replaced counts by its latest content', () => {
  const get = tool('get', {}, 'none')
  const all = added(NO_STEPS, [get, get, get])
  const replace = (step: PreparedStep) =>
    addSteps(all, [{ id: 'st_1' as never, position: 1, prepared: step }], null, () => null)
  assert.deepEqual(found(replace(get)), [['repeated_call', 'get', 3, '0,1,2']])
  assert.deepEqual(found(replace(tool('get', {}, 'some'))), [])
})

test('what is kept of a run is bounded', () => {
  const many = Array.from({ length: 300 }, (_, at) => tool('get', { at }, 'x'))
  assert.equal(added(NO_STEPS, many).digest.calls.seen.length, 64)
  const loop = added(
    NO_STEPS,
    Array.from({ length: 300 }, () => tool('get', {}, 'x')),
  )
  assert.deepEqual(
    findingsOf(loop.digest.calls).map(({ times, at }) => [times, at.length]),
    [[300, 50]],
  )
})

test('values from nowhere are one finding of each argument, until their step is replaced', () => {
  const [flight, other, seat] = [
    { tool: 'book', path: '/flights/0', at: 3 },
    { tool: 'book', path: '/flights/0', at: 1 },
    { tool: 'book', path: '/seat', at: 2 },
  ]
  const calls = { ...NO_CALLS_YET, unfounded: [flight, other, seat] }
  const sentences = (of: RunCalls) =>
    findingsOf(of).map((finding) => [toFinding(finding, new Map(), () => 0).sentence, finding.at.join()])
  const ofSeat = ['`book` was called with a value of `seat` that no input and no result before in the run has.', '2']
  assert.deepEqual(sentences(calls), [
    ['`book` was called with 2 values of `flights/0` that no input and no result before in the run has.', '1,3'],
    ofSeat,
  ])
  assert.deepEqual(wastedOf(calls), { tokens: 0, usage: [] })
  assert.deepEqual(sentences(withoutCalls(calls, 3)), [
    ['`book` was called with a value of `flights/0` that no input and no result before in the run has.', '1'],
    ofSeat,
  ])
})
