import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import { PROJECT } from '../../trace-builders.test-support.ts'
import { TraceWorld } from '../../trace-world.test-support.ts'
import type { RecordEvaluations } from '../take-export.ts'

const TRACE = 'ce3e038f-0f32-41f3-b218-a9e821b99ff4'
const at = (ms: number) => new Date(1_795_734_740_000 + ms).toISOString()
let count = 0
const event = (type: string, ms: number, body: object) => ({ id: `e${count++}`, type, timestamp: at(ms), body })

const trace = event('trace-create', 0, {
  id: TRACE,
  timestamp: at(0),
  name: 'weather-agent',
  userId: 'user-7',
  sessionId: 'session-7',
  tags: ['beta'],
  metadata: { plan: 'pro' },
  environment: 'staging',
  input: 'How warm is it?',
})
const traceEnd = event('trace-create', 900, { id: TRACE, timestamp: at(900), output: 'Sunny.' })
const call = event('generation-create', 100, {
  id: 'call',
  traceId: TRACE,
  name: 'ask-model',
  startTime: at(100),
  model: 'gpt-5',
  input: [{ role: 'user', content: 'How warm is it?' }],
})
const callEnd = event('generation-update', 500, {
  id: 'call',
  traceId: TRACE,
  endTime: at(500),
  output: { role: 'assistant', content: 'Sunny.' },
  usageDetails: { input: 120, output: 30, total: 150, input_cached_tokens: 64 },
})
const tool = event('span-create', 600, {
  id: 'tool',
  traceId: TRACE,
  parentObservationId: 'call',
  name: 'weather',
  startTime: at(600),
  input: { city: 'Bern' },
})
const toolEnd = event('span-update', 700, {
  id: 'tool',
  traceId: TRACE,
  endTime: at(700),
  level: 'ERROR',
  statusMessage: 'no such city',
})
const ALL = [trace, call, callEnd, tool, toolEnd, traceEnd]

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: readonly { readonly text?: string }[] }[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

class World extends TraceWorld {
  send(...batch: readonly unknown[]) {
    const body = Buffer.from(JSON.stringify({ batch }))
    return this.service.useCases.takeExport({ projectId: PROJECT, body, encoding: 'langfuse' })
  }

  async read() {
    const { traces } = await this.list()
    const [found] = traces
    assert.ok(found !== undefined && traces.length === 1, `${traces.length} traces`)
    const steps: StepRecord[] = []
    for await (const page of (await this.service.useCases.read(PROJECT, found.id)).steps) steps.push(...page)
    const named = steps.map((step) => Object.assign({}, step, { body: JSON.parse(step.body) as Body }))
    const nameOf = new Map(steps.map(({ id, name }) => [id as string | null, name]))
    return { trace: found, steps: named, parentOf: (step: StepRecord) => nameOf.get(step.parentStepId) ?? null }
  }

  async seen() {
    const { trace: found, steps, parentOf } = await this.read()
    const { name, status, failedSteps, sessionId, userId, tokenUsage, models, metadata, digest } = found
    return {
      trace: { name, status, failedSteps, sessionId, userId, tokenUsage, models },
      metadata: JSON.parse(metadata.toString()) as unknown,
      said: [digest.input?.text, digest.output?.text, digest.error?.text],
      steps: steps
        .map((step) => ({
          name: step.name,
          parent: parentOf(step),
          type: step.type,
          model: step.model,
          status: step.status,
          times: [step.startedAt, step.endedAt],
          messages: step.body.messages,
          error: step.body.error,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }
  }
}

test('a trace with a generation and a span: names, session, user, tags, tokens, messages, error', async () => {
  const world = new World()
  const { verdicts } = await world.send(...ALL)
  assert.deepEqual(
    verdicts,
    verdicts?.map(({ name }) => ({ name, refused: null })),
  )
  assert.deepEqual(new Set(verdicts?.map(({ name }) => name)), new Set(ALL.map(({ id }) => id)))
  const { trace: found, metadata, said, steps } = await world.seen()
  assert.deepEqual(found, {
    name: 'weather-agent',
    status: 'error',
    failedSteps: 1,
    sessionId: 'session-7',
    userId: 'user-7',
    tokenUsage: { input: 120, output: 30, cacheRead: 64, cacheWrite: 0, reasoning: 0 },
    models: ['gpt-5'],
  })
  assert.deepEqual(metadata, { plan: 'pro', tags: ['beta'], env: 'staging' })
  assert.deepEqual(said, ['How warm is it?', 'Sunny.', 'no such city'])
  assert.deepEqual(
    steps.map(({ name, parent, type, times }) => [name, parent, type, times[1]! - times[0]!]),
    [
      ['ask-model', 'weather-agent', 'llm', 400],
      ['weather', 'ask-model', 'chain', 100],
      ['weather-agent', null, 'chain', 900],
    ],
  )
  assert.deepEqual(steps[1]?.error, { message: 'no such city' })
})

test('events come in any order, over any requests, and any number of times', async () => {
  const whole = new World()
  await whole.send(...ALL)
  const wanted = await whole.seen()
  const orders = [
    [0, 1, 2, 3, 4, 5],
    [5, 4, 3, 2, 1, 0],
    [4, 2, 5, 3, 0, 1],
  ]
  for (const order of orders) {
    const world = new World()
    for (const place of order) await world.send(ALL[place])
    assert.deepEqual(await world.seen(), wanted, `${order}`)
    const { version } = (await world.read()).trace
    for (let again = 0; again < 3; again++) for (const place of order) await world.send(ALL[place])
    assert.equal((await world.read()).trace.version, version, 'nothing was written again')
  }
  const together = new World()
  await Promise.all(ALL.map((one) => together.send(one)))
  assert.deepEqual(await together.seen(), wanted)
})

test('an update of an update wins, and an older one that comes late does not', async () => {
  const world = new World()
  const update = (ms: number, output: string) => event('span-update', ms, { id: 'tool', traceId: TRACE, output })
  await world.send(tool)
  await world.send(update(800, 'second'))
  await world.send(update(700, 'first'))
  const text = async () => (await world.read()).steps[0]?.body.messages?.at(-1)?.content[0]?.text
  assert.equal(await text(), 'second')
  await world.send(update(900, 'third'))
  assert.equal(await text(), 'third')
})

test('what a later event says about a trace wins, and an older one that comes late only fills', async () => {
  const later = event('trace-create', 300, {
    id: TRACE,
    name: 'renamed',
    sessionId: 'session-8',
    userId: 'user-8',
    tags: ['stable'],
    metadata: { plan: 'free' },
  })
  const latest = event('trace-create', 400, { id: TRACE, name: 'renamed twice', metadata: { more: 1 } })
  for (const order of [
    [trace, later, latest, call, callEnd],
    [latest, call, callEnd, later, trace],
    [later, trace, call, callEnd, latest],
  ]) {
    const world = new World()
    for (const one of order) await world.send(one)
    await world.send(...order)
    const { trace: found, metadata, steps } = await world.seen()
    const root = steps.find(({ parent }) => parent === null)
    assert.deepEqual([found.name, root?.name], ['renamed twice', 'renamed twice'])
    if (order[0] === latest) continue
    assert.deepEqual([found.sessionId, found.userId], ['session-8', 'user-8'])
    assert.deepEqual(metadata, { plan: 'free', more: 1, tags: ['stable'], env: 'staging' })
  }
})

test('an observation that failed and then ends stays failed, until its level says otherwise', async () => {
  const world = new World()
  const update = (ms: number, body: object) => event('span-update', ms, { id: 'tool', traceId: TRACE, ...body })
  await world.send(tool)
  await world.send(update(700, { level: 'ERROR', statusMessage: 'no such city' }))
  await world.send(update(800, { endTime: at(800) }))
  assert.deepEqual((await world.read()).steps[0]?.status, 'error')
  assert.equal((await world.read()).trace.failedSteps, 1)
  await world.send(update(900, { level: 'WARNING' }))
  assert.deepEqual((await world.read()).steps[0]?.status, 'ok')
  assert.equal((await world.read()).trace.failedSteps, 0)
})

test('an observation that has not ended is running; one without a trace is in a trace of its own', async () => {
  const world = new World()
  await world.send(event('generation-create', 1, { id: 'alone', name: 'ask', startTime: at(1), model: 'gpt-5' }))
  const { steps, trace: found } = await world.read()
  assert.deepEqual(
    steps.map(({ name, endedAt, model }) => [name, endedAt, model]),
    [['ask', null, null]],
  )
  assert.deepEqual([found.spans?.rootSeen, found.models], [false, []])
})

test('each event has a verdict, and a bad one is refused alone', async () => {
  const world = new World()
  const bad: [unknown, RegExp][] = [
    [event('span-create', 1, { traceId: TRACE }), /`id` must be a text/],
    [event('span-create', 1, { id: '', traceId: TRACE }), /`id` must be a text/],
    [event('span-create', 1, { id: 'x'.repeat(2000), traceId: TRACE }), /1 to 1000/],
    [event('dance', 1, { id: 'a' }), /no event of the type "dance"/],
    [{ id: 'nothing' }, /needs a `type` and a `body`/],
    [7, /needs a `type` and a `body`/],
    [event('score-create', 1, { traceId: TRACE, value: 1 }), /needs a `name`/],
    [event('score-create', 1, { sessionId: 's', name: 'a', value: 1 }), /`traceId` .* scores of sessions alone/],
    [event('score-create', 1, { traceId: TRACE, name: 'a' }), /needs a `value`/],
  ]
  const log = event('sdk-log', 1, { log: 'x' })
  const { count: refused, verdicts = [] } = await world.send(...bad.map(([one]) => one), trace, log)
  assert.equal(refused, bad.length)
  assert.deepEqual(
    verdicts.filter((verdict) => verdict.refused === null).map(({ name }) => name),
    [trace.id, log.id],
  )
  const reasons = verdicts.flatMap((verdict) => verdict.refused ?? [])
  for (const [place, [, reason]] of bad.entries()) assert.match(reasons[place] ?? '', reason)
  assert.equal((await world.read()).steps.length, 1)
  for (const body of ['[]', '{', '{"batch":{}}']) {
    const request = { projectId: PROJECT, body: Buffer.from(body), encoding: 'langfuse' } as const
    await assert.rejects(world.service.useCases.takeExport(request), (error) => error instanceof DomainError, body)
  }
})

test('events of a deleted trace are refused by name', async () => {
  const world = new World()
  await world.send(trace)
  await world.service.useCases.delete(PROJECT, (await world.read()).trace.id)
  const { verdicts } = await world.send(call, callEnd)
  assert.deepEqual(verdicts, [
    { name: call.id, refused: 'the trace was deleted' },
    { name: callEnd.id, refused: 'the trace was deleted' },
  ])
})

test('observations in a circle, and ids that are alike in two traces, are stored', async () => {
  const world = new World()
  const circle = (id: string, parent: string, traceId = TRACE) =>
    event('span-create', 1, { id, traceId, parentObservationId: parent, name: id, startTime: at(1) })
  await world.send(circle('a', 'b'), circle('b', 'a'), circle('c', 'c'), circle('a', 'b', 'other trace'))
  const { traces } = await world.list()
  assert.deepEqual(traces.map(({ stepCount }) => stepCount).sort(), [1, 3])
})

test('scores are recorded on their trace or observation, whatever comes first, each once by its id', async () => {
  const recorded: object[] = []
  const recordEvaluations: RecordEvaluations = async (_project, evaluations) => {
    for (const { name, score, label, stepId, defines, key } of evaluations)
      recorded.push({ name, score, label, isOnStep: stepId !== null, defines, key })
    return []
  }
  const world = new World({ recordEvaluations })
  const scores = [
    event('score-create', 1, { id: 's1', traceId: TRACE, name: 'helpful', value: 1, dataType: 'BOOLEAN' }),
    event('score-create', 1, { id: 's2', traceId: TRACE, observationId: 'call', name: 'warmth', value: 0.5 }),
    event('score-create', 1, { id: 's3', traceId: TRACE, name: 'mood', value: 'glad', comment: 'yes' }),
  ]
  await world.send(...scores)
  const wanted = [
    { name: 'helpful', score: 1, label: null, isOnStep: false, defines: 'boolean', key: 'langfuse:s1' },
    { name: 'mood', score: null, label: 'glad', isOnStep: false, defines: 'enum', key: 'langfuse:s3' },
    { name: 'warmth', score: 0.5, label: null, isOnStep: true, defines: 'numeric', key: 'langfuse:s2' },
  ]
  assert.deepEqual(recorded, wanted)
  const { verdicts } = await world.send(...ALL, ...scores)
  assert.equal(verdicts?.length, ALL.length + scores.length)
  assert.equal(recorded.length, 6)
  const fresh = new World()
  await fresh.send(...ALL)
  assert.deepEqual(await world.seen(), await fresh.seen())
})

test('usage and cost of older clients are read; other units than tokens are not', async () => {
  const usages: [object, number, number, number][] = [
    [{ usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 } }, 7, 2, 0],
    [{ usage: { input: 7, output: 2, unit: 'TOKENS', totalCost: 0.5 } }, 7, 2, 0.5],
    [{ usage: { input: 70, output: 20, unit: 'CHARACTERS' } }, 0, 0, 0],
    [{ usageDetails: { input: 7, output: 2 }, costDetails: { total: 0.25 } }, 7, 2, 0.25],
  ]
  for (const [usage, input, output, cost] of usages) {
    const world = new World()
    await world.send(event('generation-create', 1, { id: 'a', traceId: TRACE, model: 'm', endTime: at(2), ...usage }))
    const [step] = (await world.read()).steps
    const dollars = (step?.tokenUsage.more?.sentCost ?? 0) / 1e9
    assert.deepEqual([step?.tokenUsage.input, step?.tokenUsage.output, dollars], [input, output, cost])
  }
})

test('references to uploaded media are uris of the media', async () => {
  const sha256 = 'ab'.repeat(32)
  const url = `@@@langfuseMedia:type=image/png|id=${sha256}|source=base64_data_uri@@@`
  const world = new World()
  const input = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
  await world.send(event('generation-create', 1, { id: 'a', traceId: TRACE, name: 'ask', input }))
  const messages = JSON.stringify((await world.read()).steps[0]?.body.messages)
  assert.match(messages, new RegExp(`media://${PROJECT}/${sha256}`))
})

test('a large batch is whole', async () => {
  const world = new World()
  const ids = Array.from({ length: 2500 }, (_, place) => `o${place}`)
  const creates = ids.map((id) => event('span-create', 1, { id, traceId: TRACE, name: id, startTime: at(1) }))
  await world.send(trace, ...creates)
  await world.send(...ids.map((id) => event('span-update', 2, { id, traceId: TRACE, endTime: at(2), output: id })))
  const { steps } = await world.read()
  assert.equal(steps.length, 2501)
  assert.ok(steps.every(({ endedAt }) => endedAt !== null))
})

test('a step stays within its limit however much its updates add', async () => {
  const world = new World({ limits: { lineBytes: 200_000 } })
  await world.send(tool)
  for (let place = 1; place < 6; place++) {
    const metadata = { [`part ${place}`]: `${place} `.repeat(30_000) }
    await world.send(event('span-update', 600 + place, { id: 'tool', traceId: TRACE, metadata }))
  }
  const [step] = (await world.read()).steps
  const { metadata } = step!.body
  assert.ok(JSON.stringify(step!.body).length <= 200_000)
  assert.match(JSON.stringify(metadata['spoor.problems']), /With its other parts it had \d{6} bytes/)
})

test('a step whose parts are nested too widely to be cut keeps something of each', async () => {
  const world = new World({ limits: { lineBytes: 60_000 } })
  // Thirty members, four levels deep: no cut of texts and lists is enough.
  const wide = (level: number, leaf: string): unknown =>
    Object.fromEntries(Array.from({ length: 15 }, (_, key) => [`k${key}`, level === 0 ? leaf : wide(level - 1, leaf)]))
  await world.send(event('span-create', 600, { id: 'tool', traceId: TRACE, name: 'weather', input: wide(2, 'early') }))
  await world.send(event('span-update', 700, { id: 'tool', traceId: TRACE, output: wide(2, 'later') }))
  const [step] = (await world.read()).steps
  assert.ok(JSON.stringify(step!.body).length <= 60_000)
  assert.match(JSON.stringify(step!.body.messages), /early/)
  assert.match(JSON.stringify(step!.body.messages), /later/)
  assert.match(JSON.stringify(step!.body.metadata['spoor.problems']), /With its other parts it had/)
})
