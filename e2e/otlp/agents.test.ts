import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Service } from '../lib/service.ts'
import { AnthropicStandIn } from '../recorder/anthropic-stand-in.ts'
import { assertBilled, findTrace, type FoundTrace, said } from './found-trace.ts'
import { ANSWER, type Billed, OpenAiStandIn, THOUGHT } from './openai-stand-in.ts'
import { missingSender, runAgent } from './run-agent.ts'

const QUESTION = 'What is the weather in Bern?'
const MISSING = missingSender('agents')
const skip = MISSING ?? false

let service: Service
let openAi: OpenAiStandIn
let anthropic: AnthropicStandIn
const seen = new Set<string>()

before(async () => {
  if (MISSING !== null) return
  service = await Service.start()
  openAi = await OpenAiStandIn.start()
  anthropic = await AnthropicStandIn.start()
})

after(async () => {
  for (const one of MISSING === null ? [service, openAi, anthropic] : []) await one[Symbol.asyncDispose]()
})

/** The traces that a program has made, in the order of its runs. Their messages are texts, and no JSON. */
async function tracesOf(
  program: string,
  environment: Readonly<Record<string, string>> = {},
  ...flags: readonly string[]
): Promise<readonly FoundTrace[]> {
  openAi.reset()
  const ofExporter = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${service.key}`,
  }
  await runAgent(`agents/${program}.mjs`, { MODEL_URL: openAi.baseUrl, ...ofExporter, ...environment }, ...flags)
  const { traces } = (await service.client.get('/v1/traces?limit=100')).json<{ traces: readonly { id: string }[] }>()
  const made = traces.filter(({ id }) => !seen.has(id)).toReversed()
  for (const { id } of made) seen.add(id)
  const all = await Promise.all(made.map(({ id }) => findTrace(service, id)))
  for (const { type, name, messages = [] } of all.flatMap(({ steps }) => steps)) {
    for (const part of messages.flatMap(({ content = [] }) => content)) {
      assert.ok(part.type !== 'data' || type === 'tool', `${program}: data in ${name}`)
      assert.doesNotMatch(part.text ?? '', /^[{[]/, `${program}: JSON in ${name}`)
    }
  }
  return all
}

const ofType = ({ steps }: FoundTrace, type: string) => steps.filter((step) => step.type === type)
const rootOf = ({ steps }: FoundTrace) => steps.find(({ parent_step_id: parent }) => parent === null)
const errorOf = (trace: FoundTrace, type: string) => {
  const { type: kind, message } = ofType(trace, type).find(({ status }) => status === 'error')?.error ?? {}
  return [kind, message]
}

/** The run, or what is below it, was asked and has answered; the tool was called and has returned. */
function assertAnswered(trace: FoundTrace, root = rootOf(trace)): void {
  const conversation = said(root).filter(([role]) => role !== 'system')
  assert.deepEqual([conversation[0], conversation.at(-1)?.[1]], [['user', QUESTION], ANSWER])
  const [tool] = ofType(trace, 'tool')
  assert.deepEqual([tool?.messages?.at(-1)?.role, said(tool).at(-1)?.[1]], ['tool', 'sun'])
  assert.deepEqual(said(ofType(trace, 'llm').at(-1)).at(-1)?.[1], ANSWER)
  assert.match(JSON.stringify(ofType(trace, 'llm')[0]?.messages?.at(-1)), /"weather".*Bern/)
  assert.ok(trace.cost_usd !== null && trace.cost_usd > 0)
}

const WITHOUT_DETAILS = { cache_read: 0, reasoning: 0 } as const

test('OpenAI Agents with OpenInference, by responses and by chat completions', { skip }, async () => {
  for (const api of ['responses', 'chat']) {
    const [whole, streamed, tool, model, ...others] = await tracesOf('openai-agents', {}, api)
    assert.deepEqual([whole?.name, streamed?.name, tool?.name, others], ['whole', 'streamed', 'tool', []])
    for (const trace of [whole!, streamed!]) {
      assertAnswered(trace)
      assert.equal(ofType(trace, 'llm')[0]?.messages?.[0]?.content?.[0]?.text, 'Be brief.')
      const thoughts = ofType(trace, 'llm').flatMap(({ messages = [] }) =>
        messages.filter(({ content = [] }) => content.some(({ type }) => type === 'reasoning')),
      )
      assert.deepEqual(
        thoughts.map(({ role, content }) => [role, content?.[0]?.text]),
        api === 'chat' ? [] : Array.from({ length: 3 }, () => ['assistant', THOUGHT]),
      )
    }
    assert.deepEqual([tool!.status, tool!.recovered_errors], ['ok', 1])
    // The root of a failed run is not sent.
    assert.deepEqual(errorOf(model!, 'llm'), [undefined, 'Connection error.'])
    assertBilled([whole!, streamed!, tool!, model!], openAi.billed)
  }
})

test('LangGraph with OpenInference', { skip }, async () => {
  const [whole, streamed, tool, model, ...others] = await tracesOf('langchain')
  assert.deepEqual(
    [whole, streamed, tool, model].map((trace) => trace?.name),
    ['whole', 'streamed', 'tool', 'model'],
  )
  assert.deepEqual(others, [])
  for (const trace of [whole!, streamed!, tool!, model!]) {
    assert.deepEqual([trace.run_type, trace.session_id, trace.user_id], ['agent', 'session-7', 'user-7'])
    assert.deepEqual(Object.keys(trace.metadata), ['thread_id', 'user_id', 'plan'])
  }
  assertAnswered(whole!)
  assertAnswered(streamed!)
  assert.deepEqual([tool!.status, ...errorOf(tool!, 'tool')], ['ok', 'RangeError', 'no such city'])
  assert.deepEqual([model!.status, ...errorOf(model!, 'llm')], ['error', 'Error', 'Connection error.'])
  assertBilled([whole!, streamed!, tool!, model!], openAi.billed)
})

test(
  "Anthropic's SDK, which has spans of its own, with OpenInference around it, and attributes of Opik",
  { skip },
  async () => {
    const traces = await tracesOf('anthropic', { MODEL_URL: anthropic.origin })
    const [whole, streamed, model] = traces
    assert.deepEqual(
      traces.map(({ name }) => name),
      ['whole', 'streamed', 'model'],
    )
    for (const trace of traces) {
      assert.deepEqual([trace.session_id, trace.metadata], ['session-7', { plan: 'pro', tags: ['a', 'b'] }])
    }
    for (const trace of [whole!, streamed!]) {
      const calls = ofType(trace, 'llm').filter(({ messages }) => messages !== undefined)
      assert.deepEqual([calls.length, ofType(trace, 'llm').length], [2, 4])
      assert.deepEqual(said(calls[1]).slice(0, 2), [
        ['system', 'Be brief.'],
        ['user', QUESTION],
      ])
      assert.equal(said(calls[1]).at(-1)?.[1], ANSWER)
      assert.match(JSON.stringify(calls[0]?.messages?.at(-1)), /"weather".*Bern/)
      assert.match(JSON.stringify(calls[1]?.messages), /toolu_1.*sun/)
    }
    assert.deepEqual(errorOf(model!, 'llm'), ['APIConnectionError', 'Connection error.'])
    const { input_tokens: fresh, cache_creation_input_tokens: written, cache_read_input_tokens: read } = anthropic.bill
    const billed = {
      input: fresh + written + read,
      output: anthropic.bill.output_tokens,
      cache_read: read,
      reasoning: 0,
    }
    assertBilled(traces, billed)
  },
)

test('LangGraph in workflows of the SDK of OpenLLMetry', { skip }, async () => {
  const traces = await tracesOf('traceloop', {
    TRACELOOP_BASE_URL: `${service.url}/otlp`,
    TRACELOOP_HEADERS: `x-api-key=${service.key}`,
    TRACELOOP_TELEMETRY: 'false',
  })
  const [whole, streamed, tool, model] = traces
  // Of a workflow that fails, only what is below it is sent.
  assert.deepEqual([whole?.name, streamed?.name, tool?.name, traces.length], ['whole', 'streamed', 'tool', 4])
  for (const trace of traces) {
    assert.deepEqual([trace.session_id, trace.user_id, trace.metadata['plan']], ['session-7', 'user-7', 'pro'])
  }
  assert.equal(whole!.run_type, 'workflow')
  for (const trace of [whole!, streamed!]) {
    const calls = ofType(trace, 'llm')
    const graph = ofType(trace, 'chain').find((step) => said(step).at(-1)?.[1] === ANSWER)
    assert.deepEqual(said(graph)[0], ['user', QUESTION])
    assert.deepEqual(said(ofType(trace, 'tool')[0]).at(-1), ['tool', 'sun'])
    assert.deepEqual([calls.length, said(calls[1]).at(-1)], [2, ['assistant', ANSWER]])
  }
  assert.deepEqual([tool!.status, ...errorOf(tool!, 'tool')], ['ok', 'RangeError', 'no such city'])
  assert.deepEqual(errorOf(model!, 'llm')[1], 'Connection error.')
  assertBilled(traces, { ...openAi.billed, ...WITHOUT_DETAILS })
})

test('flows of Genkit', { skip }, async () => {
  const [whole, streamed, tool, model, ...others] = await tracesOf('genkit')
  assert.deepEqual(
    [whole, streamed, tool, model].map((trace) => trace?.name),
    ['whole', 'streamed', 'tool', 'model'],
  )
  assert.deepEqual(others, [])
  assertAnswered(whole!)
  assertAnswered(streamed!)
  assert.deepEqual([tool!.status, ...errorOf(tool!, 'tool')], ['error', 'RangeError', 'no such city'])
  const failed = errorOf(model!, 'llm')
  assert.deepEqual([model!.status, ...failed], ['error', 'GenkitError', 'UNKNOWN: Connection error.'])
  assertBilled([whole!, streamed!, tool!, model!], openAi.billed)
})

test('Logfire by two variables, with the instrumentation of OpenAI that it loads', { skip }, async () => {
  const traces = await tracesOf('logfire', { LOGFIRE_TOKEN: service.key, LOGFIRE_BASE_URL: service.url })
  assert.equal(traces.length, 2)
  for (const trace of traces) {
    // Spans that Logfire announces are no steps of their own.
    assert.deepEqual([trace.name, trace.step_count, trace.metadata['tags']], ['forecast', 4, ['a']])
    const calls = ofType(trace, 'llm')
    assert.deepEqual(said(calls[1]), [
      ['system', 'Be brief.'],
      ['user', QUESTION],
      ['assistant', undefined],
      ['tool', 'sun'],
      ['assistant', ANSWER],
    ])
  }
  assertBilled(traces, { ...openAi.billed, ...WITHOUT_DETAILS })
})

test("Braintrust's processor of spans by two variables, with OpenLLMetry", { skip }, async () => {
  const traces = await tracesOf('braintrust', { BRAINTRUST_API_KEY: service.key, BRAINTRUST_API_URL: service.url })
  assert.equal(traces.length, 2)
  for (const trace of traces) {
    assert.deepEqual([trace.name, trace.step_count, trace.metadata['tags']], ['forecast', 4, ['a', 'b']])
    assert.deepEqual(said(ofType(trace, 'tool')[0]).at(-1), ['tool', 'sun'])
    assert.equal(said(ofType(trace, 'llm')[1]).at(-1)?.[1], ANSWER)
  }
  // OpenLLMetry sends no tokens of a stream.
  const whole: Billed = { input: openAi.billed.input / 2, output: openAi.billed.output / 2, ...WITHOUT_DETAILS }
  assertBilled(traces, whole)
})

test("Google's ADK", { skip }, async () => {
  const [whole, tool, ...others] = await tracesOf('adk', { GOOGLE_GEMINI_BASE_URL: openAi.origin })
  assert.deepEqual([whole?.name, tool?.name, others], ['whole', 'tool', []])
  for (const trace of [whole!, tool!]) {
    const calls = ofType(trace, 'llm')
    assert.deepEqual([trace.session_id, calls.length, said(calls[1]).at(-1)?.[1]], ['session-7', 2, ANSWER])
    assert.match(JSON.stringify(calls[0]?.messages?.at(-1)), /"weather".*Bern/)
    assert.equal(ofType(trace, 'tool').length, 1)
  }
  assert.match(JSON.stringify(ofType(whole!, 'tool')[0]?.messages), /Bern.*sun/)
  assertBilled([whole!, tool!], openAi.billed)
})
