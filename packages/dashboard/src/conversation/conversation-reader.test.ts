import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import type { MessagePart } from '@spoor/payloads/message-parts'
import fc from 'fast-check'
import { ConversationReader } from './conversation-reader.ts'

type Steps = Parameters<ConversationReader['read']>[0]

let made = 0
function step(messages: readonly MessageBody[], fields: Partial<Steps[number]> = {}): Steps[number] {
  const position = made++
  return {
    id: `st_${position}`,
    position,
    name: 'step',
    type: 'llm',
    status: 'ok',
    model: null,
    started_at: null,
    received_at: '2026-01-01T00:00:00.000Z',
    parent_step_id: null,
    parent_inferred: false,
    cost_usd: null,
    cost_source: null,
    usage_counted_on: null,
    messages: [...messages],
    ...fields,
  }
}

const said = (role: string, text: string): MessageBody => ({ role, content: [{ type: 'text', text }] })
const user = (text: string) => said('user', text)
const assistant = (text: string) => said('assistant', text)
const call = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: '1', name: 'find', input: {} },
  ],
} as MessageBody
const result: MessageBody = { role: 'tool', content: [{ type: 'text', text: 'found' }] }

/** Each turn in one line, without instructions. */
function read(...traces: readonly Steps[]): readonly string[] {
  // Later steps complete earlier turns.
  return turnsOf(...traces).flatMap((turn) => {
    if (turn.kind === 'prompt') return []
    if (turn.kind === 'error') return `error: ${turn.step}: ${turn.text}`
    if (turn.kind === 'message') return `${turn.role}: ${print(turn.parts)}`
    const returned = turn.result === null ? '' : ` -> ${print(turn.result)}`
    return `${turn.name ?? 'unknown'}(${JSON.stringify(turn.input) ?? ''})${returned}${turn.failed ? ` failed: ${turn.error}` : ''}`
  })
}

function turnsOf(...traces: readonly Steps[]) {
  const reader = new ConversationReader()
  return traces.flatMap((steps) => reader.read(steps))
}

function print(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : part.kind)).join(' ')
}

test('steps that bring only what is new are read one after the other, also the same words again', () => {
  const steps = [
    step([said('system', 'Be kind.'), user('hi'), assistant('hello')]),
    step([user('yes'), assistant('first')]),
    step([user('yes'), assistant('second')]),
  ]
  const turns = ['user: hi', 'assistant: hello', 'user: yes', 'assistant: first', 'user: yes', 'assistant: second']
  assert.deepEqual(read(steps), turns)
})

test('what steps repeat is shown once, within a trace and across traces', () => {
  const first = [
    step([said('system', 'Be kind.'), user('hi'), call]),
    step([said('system', 'Be kind.'), user('hi'), call, result, assistant('here')]),
  ]
  const second = [step([user('hi'), call, result, assistant('here'), user('thanks'), assistant('welcome')])]
  const turns = ['user: hi', 'assistant: I look.', 'find({}) -> found', 'assistant: here']
  assert.deepEqual(read(first, second), [...turns, 'user: thanks', 'assistant: welcome'])
})

test('steps without the answer of the model repeat what was asked', () => {
  assert.deepEqual(read([step([user('hi')]), step([user('hi'), assistant('hello'), user('bye')])]), [
    'user: hi',
    'assistant: hello',
    'user: bye',
  ])
})

test('the same first words in another trace are said again', () => {
  assert.deepEqual(read([step([user('hi'), assistant('a')])], [step([user('hi'), assistant('b')])]), [
    'user: hi',
    'assistant: a',
    'user: hi',
    'assistant: b',
  ])
  assert.deepEqual(read([step([user('hi')])], [step([user('hi')])]), ['user: hi', 'user: hi'])
})

test('what was said in one form and is repeated in another is shown once', () => {
  const called = { type: 'tool_call', id: 'c1', name: 'find', arguments: '{"a":1}' }
  const asked = { role: 'assistant', content: [called], finish_reason: 'tool_call' } as unknown as MessageBody
  const repeated = {
    role: 'assistant',
    content: [
      { type: 'text', text: '' },
      { ...called, arguments: { a: 1 } },
    ],
  } as unknown as MessageBody
  const responded = {
    role: 'tool',
    content: [{ type: 'tool_call_response', id: 'c1', response: 'found' }],
  } as unknown as MessageBody
  const steps = [step([user('hi'), asked]), step([user('hi'), repeated, responded, assistant('here')])]
  assert.deepEqual(read(steps), ['user: hi', 'find({"a":1}) -> found', 'assistant: here'])
})

test('models that say only their answers: the question is of a step around them', () => {
  const root = step([said('system', 'Be kind.'), user('hi'), assistant('here')], { type: 'agent' })
  const loop = step([user('hi'), assistant('[call]'), assistant('here')], { type: 'other' })
  const tool = step([assistant('{"a": 1}'), said('tool', 'found')], { type: 'tool', name: 'find' })
  const judge = step([user('query: x')], { type: 'evaluator' })
  const steps = [judge, root, loop, step([assistant('')]), tool, step([assistant('here')])]
  const turns = ['user: hi', 'find("{\\"a\\": 1}") -> found', 'assistant: here']
  assert.deepEqual(read(steps), turns)
  // The root arrives last, because it ends last.
  assert.deepEqual(read([loop, ...steps.slice(3), root]), turns)
  // The next trace repeats what was said.
  const next = [
    step([user('hi'), assistant('here'), user('bye'), assistant('ciao')], { type: 'agent' }),
    step([assistant('ciao')]),
  ]
  assert.deepEqual(read(steps, next), [...turns, 'user: bye', 'assistant: ciao'])
})

test('models that say only their answers: no other words are taken for a question', () => {
  const spam = step([said('system', 'Write.'), assistant('spam')])
  const judge = step([user('query: x')], { type: 'evaluator' })
  const later = step([user('summarise')], { type: 'chain', started_at: '2026-01-01T00:00:00.000Z' })
  assert.deepEqual(read([spam, judge, later]), ['assistant: spam'])
  const chain = step([user('{"q": "hi"}')], { type: 'chain' })
  assert.deepEqual(read([chain, step([said('human', 'hi'), said('ai', 'hello')])]), ['human: hi', 'ai: hello'])
  const [hello, models] = [
    step([user('hi'), said('model', 'hello')], { type: 'agent' }),
    step([said('model', 'hello')]),
  ]
  assert.deepEqual(read([hello, models]), ['user: hi', 'model: hello'])
})

test('the same answer twice is said twice', () => {
  const steps = [step([user('a')]), step([assistant('Let me check.')]), step([assistant('Let me check.')])]
  assert.deepEqual(read(steps), ['user: a', 'assistant: Let me check.', 'assistant: Let me check.'])
  const greeted = [step([assistant('Welcome.')]), step([assistant('Welcome.'), user('hi'), assistant('yes?')])]
  assert.deepEqual(read(greeted), ['assistant: Welcome.', 'user: hi', 'assistant: yes?'])
})

test('other fields and thinking are no other words', () => {
  const marked = { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: {} }] } as unknown as MessageBody
  const thought = { ...assistant('hello'), reasoning: 'They greet.', annotations: [] } as MessageBody
  const steps = [step([marked, thought]), step([user('hi'), assistant('hello'), user('bye')])]
  assert.deepEqual(read(steps), ['user: hi', 'assistant: thinking hello', 'user: bye'])
  const refused = { role: 'assistant', content: null, refusal: 'no' } as unknown as MessageBody
  assert.deepEqual(read([step([user('hi'), refused])]), ['user: hi', 'assistant: others'])
})

test('a conversation inside another one is read on its own', () => {
  const steps = [
    step([user('plan'), assistant('I ask.')]),
    step([user('task'), assistant('one')]),
    step([user('task'), assistant('one'), assistant('two')]),
    step([user('plan'), assistant('I ask.'), assistant('done')]),
  ]
  const turns = ['user: plan', 'assistant: I ask.', 'user: task', 'assistant: one', 'assistant: two', 'assistant: done']
  assert.deepEqual(read(steps), turns)
})

test('steps are in the order of their starts; a root repeats its children and is left out', () => {
  const root = step([user('hi'), assistant('hello')], { type: 'agent', started_at: '2026-01-01T00:00:00.000Z' })
  const later = step([user('hi'), assistant('hello')], { started_at: '2026-01-01T00:00:02.000Z' })
  const tool = step([said('tool', 'x')], { type: 'tool', name: 'find', started_at: '2026-01-01T00:00:01.000Z' })
  assert.deepEqual(read([later, tool, root]), ['find() -> x', 'user: hi', 'assistant: hello'])
  assert.deepEqual(read([root]), ['user: hi', 'assistant: hello'])
})

test('errors are shown where they happened', () => {
  const failed = { status: 'error' as const, error: { type: 'Timeout', message: 'too late' } }
  const steps = [step([user('hi')], failed), step([], { type: 'tool', name: 'find', status: 'error' })]
  assert.deepEqual(read(steps), ['user: hi', 'error: step: Timeout: too late', 'find() failed: '])
})

const callOf = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } })
const ask = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls }) as unknown as MessageBody
const answer = (id: string, text: string) => ({ ...said('tool', text), tool_call_id: id }) as MessageBody

test('a result belongs to its call, by id, else in order, also without the call', () => {
  const steps = [
    step([user('hi'), ask(callOf('1', 'a'), callOf('2', 'b'))]),
    step([answer('2', 'of b'), answer('1', 'of a'), answer('3', 'of none')]),
  ]
  assert.deepEqual(read(steps), ['user: hi', 'a({}) -> of a', 'b({}) -> of b', 'unknown() -> of none'])
  const unnamed = [step([call, call]), step([result, said('tool', 'again')])]
  assert.deepEqual(read(unnamed), [
    'assistant: I look.',
    'find({}) -> found',
    'assistant: I look.',
    'find({}) -> again',
  ])
})

test('a result without an id belongs to the call of the tool that it names', () => {
  const asks = (name: string) =>
    ({ role: 'model', content: [{ type: 'tool_call', name, arguments: {} }] }) as unknown as MessageBody
  const returned = (name: string, text: string) =>
    ({ role: 'user', content: [{ type: 'tool_call_response', name, response: text }] }) as unknown as MessageBody
  const nested = [
    step([user('hi'), asks('expert')]),
    step([asks('weather'), returned('weather', 'sun'), assistant('It is sunny.')]),
  ]
  const goesOn = step([user('hi'), asks('expert'), returned('expert', 'sunny')])
  assert.deepEqual(read([...nested, goesOn]), [
    'user: hi',
    'expert({}) -> sunny',
    'weather({}) -> sun',
    'assistant: It is sunny.',
  ])
  const asMessage = (name: string, text: string) => ({ ...said('function', text), name }) as MessageBody
  const messages = step([user('hi'), asks('a'), asks('b'), asMessage('b', 'of b'), asMessage('a', 'of a')])
  assert.deepEqual(read([messages]), ['user: hi', 'a({}) -> of a', 'b({}) -> of b'])
  // Some senders write the name in another way, and some results have no call.
  assert.deepEqual(read([step([user('hi'), asks('a'), returned('functions.a', 'of a')])]), [
    'user: hi',
    'a({}) -> of a',
  ])
  assert.deepEqual(read([step([user('hi'), returned('a', 'of a'), asMessage('b', 'of b')])]), [
    'user: hi',
    'a() -> of a',
    'b() -> of b',
  ])
})

test('a message of a tool that only calls is of the model', () => {
  const asks = (id: string, name: string) => ({ role: 'tool', content: [callOf(id, name)] }) as unknown as MessageBody
  const model = (id: string, name: string) => ({ ...asks(id, name), role: 'assistant' })
  const first = step([user('hi'), model('1', 'a'), model('2', 'b')])
  const history = [asks('1', 'a'), said('tool', 'of a'), asks('2', 'b'), said('tool', 'of b')]
  assert.deepEqual(read([first, step([user('hi'), ...history, assistant('bye')])]), [
    'user: hi',
    'a({}) -> of a',
    'b({}) -> of b',
    'assistant: bye',
  ])
})

test('a result without an id of its own has that of its message', () => {
  const of = (id: string, text: string) =>
    ({ role: 'tool', tool_call_id: id, content: [{ type: 'tool_result', content: text }] }) as unknown as MessageBody
  const steps = [step([user('hi'), ask(callOf('1', 'a'), callOf('2', 'b'))]), step([of('2', 'of b'), of('1', 'of a')])]
  assert.deepEqual(read(steps), ['user: hi', 'a({}) -> of a', 'b({}) -> of b'])
})

test('a call that no message answers has the result of its tool', () => {
  const asks = step([user('hi'), ask(callOf('1', 'find'))])
  const ran = step([assistant('{}'), said('tool', 'found')], { type: 'tool', name: 'find' })
  assert.deepEqual(read([asks, ran]), ['user: hi', 'find({}) -> found'])
  assert.deepEqual(read([ran, asks]), ['user: hi', 'find({}) -> found'])
  const goesOn = step([answer('1', 'told'), assistant('done')])
  assert.deepEqual(read([asks, ran, goesOn]), ['user: hi', 'find({}) -> told', 'assistant: done'])
})

test('two equal calls at once have each the result of its own tool, by the id of the call', () => {
  const asks = step([user('hi'), ask(callOf('1', 'find'), callOf('2', 'find'))])
  const ran = (id: string) => step([assistant('{}'), answer(id, `of ${id}`)], { type: 'tool', name: 'find' })
  const turns = ['user: hi', 'find({}) -> of 1', 'find({}) -> of 2']
  const [one, two] = [ran('1'), ran('2')]
  for (const steps of [
    [asks, two, one],
    [two, one, asks],
    [two, asks, one],
    [one, asks, two],
  ]) {
    assert.deepEqual(read(steps), turns)
    const linked = new ConversationReader().read(steps).map(({ stepId }) => stepId)
    assert.deepEqual(linked.slice(1), [one.id, two.id])
  }
  // A step without an id belongs to the first call that no other step has.
  const unnamed = step([assistant('{}'), said('tool', 'of 1')], { type: 'tool', name: 'find' })
  assert.deepEqual(read([asks, two, unnamed]), turns)
  // A step of another call with the same name is no answer.
  const stranger = step([assistant('{}'), answer('9', 'of 9')], { type: 'tool', name: 'find' })
  assert.deepEqual(read([asks, stranger, two, one]), turns)
})

test('a step of a tool tells its arguments from its result by who says what', () => {
  const tool = (...messages: MessageBody[]) =>
    read([step([assistant('a')]), step(messages, { type: 'tool', name: 'f' })])[1]
  const calling = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { c: 1 } }] }
  assert.equal(tool(assistant('x'), said('tool', 'y')), 'f("x") -> y')
  assert.equal(tool(calling as unknown as MessageBody, said('tool', 'y')), 'f({"c":1}) -> y')
  assert.equal(tool(assistant('42 results')), 'f() -> 42 results')
  assert.equal(tool(said('tool', 'asked'), assistant('sun')), 'f() -> asked sun')
  const failed = step([assistant('x')], { type: 'tool', name: 'f', status: 'error', error: { message: 'no' } })
  assert.equal(read([failed, step([assistant('a')])])[0], 'f("x") failed: no')
  const image = { role: 'assistant', content: [{ type: 'image', source: { media_type: 'image/png', data: 'AAAA' } }] }
  assert.equal(tool(image as unknown as MessageBody, said('tool', 'y')), 'f() -> image-data y')
})

test('tools have their own steps also where no model says anything', () => {
  const asked = { role: 'assistant', content: [{ type: 'data', data: { city: 'Bern' } }] } as unknown as MessageBody
  const ran = step([asked, said('tool', 'sun')], { type: 'tool', name: 'weather' })
  const silent = step([], { model: 'gpt-5' })
  assert.deepEqual(read([silent, ran]), ['weather({"city":"Bern"}) -> sun'])
  const root = step([user('hi')], { type: 'agent' })
  assert.deepEqual(read([root, step([said('tool', 'sun')], { type: 'tool', name: 'weather' })]), [
    'user: hi',
    'weather() -> sun',
  ])
  const agent = step([user('hi'), ask(callOf('1', 'weather')), assistant('sunny')], { type: 'agent' })
  assert.deepEqual(read([agent, ran]), ['user: hi', 'weather({}) -> sun', 'assistant: sunny'])
})

test('what a tool did inside of a step comes before the answer of the step', () => {
  const asked = { role: 'assistant', content: [{ type: 'data', data: { city: 'Bern' } }] } as unknown as MessageBody
  for (const type of ['llm', 'agent']) {
    const around = step([user('hi'), assistant('sunny')], { type })
    const ran = (city: string) =>
      step([asked, said('tool', city)], { type: 'tool', name: 'weather', parent_step_id: around.id })
    assert.deepEqual(read([around, ran('one'), ran('two')]), [
      'user: hi',
      'weather({"city":"Bern"}) -> one',
      'weather({"city":"Bern"}) -> two',
      'assistant: sunny',
    ])
    const asking = step([user('hi')], { type })
    const below = step([said('tool', 'sun')], { type: 'tool', name: 'weather', parent_step_id: asking.id })
    assert.deepEqual(read([asking, below]), ['user: hi', 'weather() -> sun'])
  }
})

test('models whose calls are lost: a result in a message is that of the step of its tool', () => {
  const asked = { role: 'assistant', content: [{ type: 'data', data: { city: 'Bern' } }] } as unknown as MessageBody
  const silent = (reason: string) => ({ ...assistant(''), finish_reason: reason }) as MessageBody
  const run = (told: MessageBody) => [
    step([user('hi'), silent('tool_calls')]),
    step([asked, answer('1', 'sun')], { type: 'tool', name: 'weather' }),
    step([user('hi'), assistant(''), told, assistant('sunny')]),
  ]
  const turns = ['user: hi', 'weather({"city":"Bern"}) -> sun', 'assistant: sunny']
  assert.deepEqual(read(run(said('tool', 'sun'))), turns)
  assert.deepEqual(read(run(answer('1', 'sun'))), turns)
  const ofAnother = [...turns.slice(0, 2), 'unknown() -> rain', 'assistant: sunny']
  assert.deepEqual(read(run(answer('2', 'rain'))), ofAnother)
  // Another reason is shown.
  assert.equal(read([step([user('hi'), silent('content_filter')])]).length, 2)
})

test('a call links to the step of its tool and has its error, whichever came first', () => {
  const asks = step([user('hi'), ask(callOf('1', 'find'))])
  const ran = step([], { type: 'tool', name: 'find', status: 'error', error: { type: 'Timeout', message: 'too late' } })
  const goesOn = step([answer('1', 'no'), assistant('sorry')])
  assert.deepEqual(read([asks, ran, goesOn]), [
    'user: hi',
    'find({}) -> no failed: Timeout: too late',
    'assistant: sorry',
  ])
  const turn = new ConversationReader().read([asks, ran, goesOn])[1]
  assert.equal(turn?.stepId, ran.id)
  const before = step([], { type: 'tool', name: 'find' })
  const whole = step([user('hi'), ask(callOf('1', 'find')), answer('1', 'yes')])
  assert.equal(new ConversationReader().read([before, whole])[1]?.stepId, before.id)
  const failed = step([], { type: 'tool', name: 'find', status: 'error', error: { message: 'too late' } })
  assert.deepEqual(read([failed, whole]), ['user: hi', 'find({}) -> yes failed: too late'])
})

test('a call that a later history begins with is the call that waits for its result', () => {
  const weather = (city: string) =>
    ({
      role: 'assistant',
      content: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: { city } }],
    }) as unknown as MessageBody
  const snow = {
    role: 'tool',
    content: [{ type: 'tool_call_response', id: 'c1', response: 'snow' }],
  } as unknown as MessageBody
  const late = [step([user('Oslo?'), weather('Oslo')]), step([weather('Oslo'), snow, assistant('It snows.')])]
  assert.deepEqual(read(late), ['user: Oslo?', 'weather({"city":"Oslo"}) -> snow', 'assistant: It snows.'])
  // Some senders count their calls anew for each answer.
  const other = [step([user('Oslo?'), weather('Oslo')]), step([weather('Bern'), snow, assistant('It snows.')])]
  assert.equal(read(other).filter((turn) => turn.startsWith('weather')).length, 2)
  const again = [step([user('Oslo?'), weather('Oslo'), snow]), step([user('Oslo?!'), weather('Oslo'), snow])]
  assert.equal(read(again).filter((turn) => turn.endsWith('-> snow')).length, 2)
})

const turn = (words: string, reply: string) => [user(words), assistant(reply)]

test('the same words with the same answer are said again, in another trace and in another step', () => {
  const failed = turn('retry please', 'It failed.')
  const worked = turn('retry please', 'It worked.')
  const lines = (count: number) =>
    Array.from({ length: count }, () => ['user: retry please', 'assistant: It failed.']).flat()
  const end = ['user: retry please', 'assistant: It worked.']
  assert.deepEqual(read([step(failed)], [step(failed)], [step(worked)]), [...lines(2), ...end])
  assert.deepEqual(read([step(failed), step(failed), step(failed), step(worked)]), [...lines(3), ...end])
  // A parent that no client sent says nothing about copies.
  const first = step(failed)
  assert.deepEqual(read([first, step(failed, { parent_step_id: first.id, parent_inferred: true })]), lines(2))
  // With calls of tools, also when the answer differs.
  const loop = (reply: string) => [step([user('hi'), call]), step([user('hi'), call, result, assistant(reply)])]
  const looped = (reply: string) => ['user: hi', 'assistant: I look.', 'find({}) -> found', `assistant: ${reply}`]
  assert.deepEqual(read(loop('a'), loop('a'), loop('b')), ['a', 'a', 'b'].flatMap(looped))
  const whole = (reply: string) => [step([user('hi'), call, result, assistant(reply)])]
  assert.deepEqual(read(whole('a'), whole('b')), ['a', 'b'].flatMap(looped))
})

test('a history that ends with a question goes on in the next trace', () => {
  const turns = ['user: hi', 'assistant: hello', 'user: bye']
  assert.deepEqual(read([step([user('hi')])], [step([user('hi'), assistant('hello'), user('bye')])]), turns)
})

test('a step inside of another one repeats its messages once', () => {
  const copied = (around: Partial<Steps[number]>) => {
    const outer = step(turn('hi', 'hello'), around)
    const inside = { parent_step_id: outer.id }
    return { outer, inner: step(turn('hi', 'hello'), inside), again: step(turn('hi', 'hello'), inside) }
  }
  const turns = ['user: hi', 'assistant: hello']
  for (const type of ['llm', 'chain']) {
    const { outer, inner, again } = copied({ type })
    if (type === 'chain') for (const each of [inner, again]) each.type = 'chain'
    assert.deepEqual(read([outer, inner]), turns)
    assert.deepEqual(read([outer, inner, again]), [...turns, ...turns])
    // The outer step arrives last, because it ends last.
    assert.deepEqual(read([{ ...inner, position: -1 }, outer]), turns)
  }
  const { outer, inner } = copied({})
  const between = step([], { type: 'chain', parent_step_id: outer.id })
  assert.deepEqual(read([outer, between, { ...inner, parent_step_id: between.id }]), turns)
  const longer = step([user('hi'), call, result, assistant('hello')], { parent_step_id: outer.id })
  // It says each message in its time; the two sides have several names.
  assert.deepEqual(read([outer, longer]), ['user: hi', 'assistant: I look.', 'find({}) -> found', 'assistant: hello'])
  const named = step([said('human', 'hi'), said('model', 'hello')], { parent_step_id: outer.id })
  assert.deepEqual(read([outer, named]), ['human: hi', 'model: hello'])
  const partly = step([...turn('hi', 'hello'), user('bye')])
  const part = step([...turn('hi', 'hello'), assistant('ciao')], { parent_step_id: partly.id })
  assert.deepEqual(read([partly, part]), [...turns, 'user: bye', 'assistant: ciao'])
})

test('a retry of a step that failed without an answer repeats its question', () => {
  const failed = { status: 'error' as const, error: { message: 'busy' } }
  const steps = [step([user('hi')], failed), step([user('hi')], failed), step(turn('hi', 'hello'))]
  const turns = ['user: hi', 'error: step: busy', 'error: step: busy', 'assistant: hello']
  assert.deepEqual(read(steps), turns)
  const history = [...turn('a', 'b'), user('hi')]
  assert.deepEqual(read([step(turn('a', 'b')), step(history, failed), step(history, failed)]), [
    'user: a',
    'assistant: b',
    'user: hi',
    'error: step: busy',
    'error: step: busy',
  ])
})

const words = fc.constantFrom('yes', 'no', 'go on')
const turnsOfWords = fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 12 })
const printed = (turns: readonly (readonly [string, string])[]) =>
  turns.flatMap(([asked, replied]) => [`user: ${asked}`, `assistant: ${replied}`])
const messagesOf = (turns: readonly (readonly [string, string])[]) => turns.flatMap(([a, b]) => turn(a, b))
/** Divides steps among traces. */
const inTraces = (steps: Steps, cuts: readonly boolean[]): readonly Steps[] => {
  const traces: Steps[number][][] = [[]]
  for (const [index, each] of steps.entries()) {
    if (index > 0 && cuts[index] === true) traces.push([])
    traces.at(-1)!.push(each)
  }
  return traces
}

test('property: each turn of a growing history is shown once', () => {
  fc.assert(
    fc.property(
      turnsOfWords,
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.boolean(),
      (spoken, cuts, withQuestions) => {
        const steps = spoken.flatMap((_, index) => {
          const messages = messagesOf(spoken.slice(0, index + 1))
          // Some senders record a step before its answer too.
          return [...(withQuestions && index > 0 ? [step(messages.slice(0, -1))] : []), step(messages)]
        })
        assert.deepEqual(read(...inTraces(steps, cuts)), printed(spoken))
      },
    ),
  )
})

test('property: each turn is shown when steps bring only what is new', () => {
  fc.assert(
    fc.property(turnsOfWords, fc.array(fc.boolean(), { maxLength: 12 }), (spoken, cuts) => {
      const steps = spoken.map(([a, b]) => step(turn(a, b)))
      assert.deepEqual(read(...inTraces(steps, cuts)), printed(spoken))
    }),
  )
})

test('instructions are shown when they first come and when they change', () => {
  const system = (text: string) => said('system', text)
  const prompts = (...traces: readonly Steps[]) =>
    turnsOf(...traces).flatMap((each) => (each.kind === 'prompt' ? [`${each.previous ?? 'none'} -> ${each.text}`] : []))
  const kind = step([system('Be kind.'), ...turn('a', 'b')])
  const brief = step([system('Be brief.'), ...turn('c', 'd')])
  assert.deepEqual(prompts([kind], [kind], [brief], [step(turn('e', 'f'))], [kind]), [
    'none -> Be kind.',
    'Be kind. -> Be brief.',
    'Be brief. -> Be kind.',
  ])
  // An agent with its own instructions inside of another one does not change those.
  const plan = [system('Plan.'), ...turn('plan', 'I ask.')]
  const nested = [step(plan), step([system('Be kind.'), ...turn('a', 'b')]), step([...plan, assistant('done')])]
  assert.deepEqual(prompts(nested), ['none -> Plan.', 'Plan. -> Be kind.'])
  assert.deepEqual(prompts([step([system('Alone.'), said('developer', 'Now.')])]), ['none -> Alone.\n\nNow.'])
  assert.equal(turnsOf([kind])[0]?.kind, 'prompt')
  assert.equal(turnsOf([step(turn('a', 'b'))])[0]?.at, '2026-01-01T00:00:00.000Z')
})

test('each turn has its time, and the last one of a step what its model used', () => {
  const used = {
    model: 'm-1',
    token_usage: { input: 7, output: 2 },
    cost_usd: 0.5,
    cost_source: 'sender' as const,
    started_at: '2026-02-01T00:00:00.000Z',
  }
  const later = { model: 'm-2', started_at: '2026-02-02T00:00:00.000Z' }
  const turns = turnsOf([step(turn('hi', 'hello'), used), step([...turn('hi', 'hello'), call], later)])
  assert.deepEqual(
    turns.map(({ at, answer: usage }) => [at, usage]),
    [
      ['2026-02-01T00:00:00.000Z', undefined],
      ['2026-02-01T00:00:00.000Z', { model: 'm-1', tokens: 9, cost: 0.5, isSenderCost: true }],
      ['2026-02-02T00:00:00.000Z', undefined],
      ['2026-02-02T00:00:00.000Z', { model: 'm-2', tokens: null, cost: null, isSenderCost: false }],
    ],
  )
})
