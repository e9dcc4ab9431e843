import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId } from '@spoor/contract/ids'
import { sentenceOf } from './divergence-sentence.ts'
import { distanceOf, firstDivergence } from './first-divergence.ts'
import { type Run, RunReader } from './run-actions.ts'
import { learnWeights, type ToolWeights } from './tool-weights.ts'

/** `book rome` calls the tool `book` with one argument; `pay!` is a step that failed. */
function run(...written: readonly string[]): Run {
  const reader = new RunReader()
  for (const [at, text] of written.entries()) {
    const [name = '', argument] = text.replace('!', '').split(' ')
    const call = { role: 'assistant', content: [{ type: 'tool_use', name, input: { argument } }] }
    const body = JSON.stringify({ messages: argument === undefined ? [] : [call], error: { type: 'Late' } })
    reader.add({ id: `${at}` as StepId, name, type: 'tool', status: text.endsWith('!') ? 'error' : 'ok', body })
  }
  return reader.run()
}

/** In other tasks, successes agree on all arguments but those of `note`. */
const TASKS = ['rome', 'oslo'].map((city) => ({
  successes: [1, 2, 3].map((note) =>
    run(`find ${city}`, `note ${city}${note}`, `book ${city}`, `pay ${city}`, `tell ${city}`),
  ),
  failures: [] as readonly Run[],
}))
const WEIGHTS = learnWeights(TASKS)

const diverge = (own: Run, ...successes: readonly Run[]) => divergeBy(WEIGHTS, own, ...successes)

function divergeBy(weights: ToolWeights, own: Run, ...successes: readonly Run[]) {
  const compared = successes.map((success) => Object.assign(distanceOf(own, success, weights), { run: success }))
  const found = firstDivergence(
    own,
    compared.toSorted((one, other) => one.distance - other.distance),
  )
  return typeof found === 'string' ? found : [found.stepId, found.kind, found.instead, sentenceOf(found)]
}

const [one, two] = [run('find x', 'note a', 'book x', 'pay x'), run('find x', 'note b', 'book x', 'pay x')]

test('a step with other arguments than all successes, with what they did instead', () => {
  const name = 'book {"argument":"x"}'
  assert.deepEqual(diverge(run('find x', 'note c', 'book y', 'pay x'), one, two), [
    '2',
    'changed',
    [{ name, count: 2 }],
    'This run called `book` with `y` as `argument` where 2 of 2 similar successes had `x`.',
  ])
})

test('a sentence holds recorded text without backticks, cut', () => {
  const said = diverge(run('find x', 'note c', `book \`${'y'.repeat(100)}`, 'pay x'), one, two)[3]
  const cut = `'${'y'.repeat(59)}…`
  assert.equal(
    said,
    `This run called \`book\` with \`${cut}\` as \`argument\` where 2 of 2 similar successes had \`x\`.`,
  )
})

test('a step that another success has is not what the run did alone', () => {
  const longer = run('find x', 'note a', 'send x', 'cancel x', 'extra x', 'more x')
  const own = run('find x', 'note a', 'cancel x', 'send x')
  assert.equal(diverge(own, run('find x', 'note a', 'cancel x'), longer), 'no_clear_step')
})

test('a step that successes have and the run has not', () => {
  const [stepId, kind, instead, sentence] = diverge(run('find x', 'note c', 'pay x'), one, two)
  assert.deepEqual([stepId, kind, instead], ['2', 'missing', [{ name: 'book', count: 2 }]])
  assert.equal(sentence, '2 of 2 similar successes called `book`, and this run did not.')
  const atEnd = diverge(run('find x', 'note c', 'book x'), one, two)
  assert.deepEqual(atEnd.slice(0, 3), ['2', 'missing', [{ name: 'pay', count: 2 }]])
  assert.equal(diverge(run('find x', 'note c', 'note d', 'pay x'), one, two)[1], 'missing')
})

test('a step that no success has, and a failure', () => {
  const [stepId, kind, instead, sentence] = diverge(run('find x', 'note c', 'book x', 'tell x', 'pay x'), one, two)
  assert.deepEqual([stepId, kind, instead], ['3', 'added', []])
  assert.equal(sentence, 'This run called `tell {"argument":"x"}`, and none of 2 similar successes did.')
  const failed = diverge(run('find x', 'note c', 'book x', 'pay x!'), one, two)
  assert.deepEqual(failed, ['3', 'added', [], '`pay failed: Late`, and none of 2 similar successes did.'])
})

test('a difference that one success shares is not the first divergence', () => {
  const other = run('find x', 'tell x', 'note b', 'book x', 'pay x')
  assert.equal(diverge(run('find x', 'tell x', 'note c', 'book x', 'pay y'), one, other)[0], '4')
})

test('silent without a success, without a near one, if one did the same, and if only notes differ', () => {
  assert.equal(diverge(one), 'no_success')
  assert.equal(diverge(run('find y', 'note c', 'book y'), one, two), 'too_different')
  assert.equal(diverge(one, two, one), 'same_as_success')
  const silent = run('llm')
  assert.equal(
    diverge({ ...silent, actions: [], keys: new Set() }, { ...silent, actions: [], keys: new Set() }),
    'no_clear_step',
  )
  assert.equal(diverge(run('find x', 'note c', 'book x', 'pay x', 'note d'), one, two), 'no_clear_step')
})

test('one success needs to be nearer than several', () => {
  const own = run('find x', 'note c', 'book y', 'pay y', 'tell y')
  const [single, several] = [run('find x', 'book x', 'tell y'), run('find x', 'book x', 'tell y', 'note d')]
  assert.equal(diverge(own, single), 'too_different')
  assert.equal(diverge(own, single, several)[0], '2')
})

test('a tool weighs as much as successes of one task agree on its arguments; unknown tools weigh the mean', () => {
  const [book, note, ask] = ['book x', 'note x', 'ask x'].map((text) => run(text).actions[0]!)
  assert.ok(WEIGHTS.ofAction(book!) > 0.8)
  assert.ok(WEIGHTS.ofAction(note!) < 0.01)
  assert.ok(WEIGHTS.ofTool(note!) > 0.8)
  const unknown = WEIGHTS.ofAction(ask!)
  assert.ok(unknown > WEIGHTS.ofAction(note!) && unknown < WEIGHTS.ofAction(book!))
  assert.ok(learnWeights([]).ofAction(book!) > 0)
})

test('a look before a change is passed over, if failed runs of other tasks mostly differ in the change', () => {
  const [own, success] = [
    run('find y', 'find x', 'tell x', 'book y', 'pay x'),
    run('find x', 'tell x', 'book x', 'pay x'),
  ]
  assert.equal(diverge(own, success, success)[0], '0')
  const bookWrongly = (city: string) => [run(`find ${city}`, 'book nowhere', `pay ${city}`, `tell ${city}`)]
  const tasks = ['rome', 'oslo'].map((city, at) => ({ successes: TASKS[at]!.successes, failures: bookWrongly(city) }))
  const weights = learnWeights(tasks)
  const [find, book, failure] = ['find x', 'book x', 'book!'].map((text) => run(text).actions.at(-1)!)
  assert.ok(weights.ofFailure(book!) > 0.5 && weights.ofFailure(find!) < 0.2)
  // A failed call tells no more than the tool whose calls tell most.
  assert.deepEqual([WEIGHTS.ofFailure(book!), weights.ofFailure(failure!)], [1, weights.ofFailure(book!)])
  assert.equal(divergeBy(weights, own, success, success)[0], '3')
  const lookedOnly = run('find y', 'find x', 'tell x', 'book x', 'pay x')
  assert.equal(divergeBy(weights, lookedOnly, success, success)[0], '0')
})

test('a step that runs a call without its arguments is not counted beside the call', () => {
  const reader = new RunReader()
  const text = JSON.stringify({ tool_call: 'find', arguments: '{"id": 12345678901234567890}' })
  const body = JSON.stringify({ messages: [{ role: 'assistant', content: [{ type: 'text', text }] }] })
  reader.add({ id: '1' as StepId, name: 'turn', type: 'llm', status: 'ok', body })
  reader.add({ id: '2' as StepId, name: 'run tool', type: 'tool', status: 'ok', body: '{"metadata":{"tool":"find"}}' })
  reader.add({ id: '3' as StepId, name: 'retrieve', type: 'retrieval', status: 'ok', body: '{}' })
  const keys = reader.run().actions.map(({ key, stepId }) => [key, stepId])
  assert.deepEqual(keys, [
    ['find {"id":12345678901234567890}', '1'],
    ['retrieve ', '3'],
  ])
})

test('runs of very many calls are compared by their first ones, long arguments by their hash', () => {
  const many = (tool: string) => run(...Array.from({ length: 5000 }, (_, at) => `${tool} ${at}`))
  assert.equal(many('a').actions.length, 2000)
  assert.equal(diverge(many('a'), many('b')), 'too_different')
  const long = (end: string) => run('find x', `write ${'y'.repeat(10_000)}${end}`, 'pay x')
  assert.ok(long('1').actions.every(({ key, label }) => key.length + label.length < 1000))
  assert.equal(diverge(long('1'), long('1')), 'same_as_success')
  assert.match(
    String(diverge(long('1'), long('2'), long('2'))[3]),
    /^This run called `write .*` where 2 of 2 similar successes called `write/,
  )
})
