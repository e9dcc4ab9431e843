import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Service } from '../lib/service.ts'
import { assertBilled, findTrace } from './found-trace.ts'
import { ANSWER, MODEL, OpenAiStandIn } from './openai-stand-in.ts'
import { missingSender, runAgent } from './run-agent.ts'

/** A picture of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

type Run = 'whole' | 'streamed' | 'tool' | 'model' | 'picture'

test('LangSmith with LangGraph, by environment variables alone: whole, streamed, failing, in two threads', async (context) => {
  const missing = missingSender('agents')
  if (missing !== null) return context.skip(missing)
  await using service = await Service.start()
  await using api = await OpenAiStandIn.start()
  const environment = {
    MODEL_URL: api.baseUrl,
    PICTURE,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: service.url,
    LANGSMITH_API_KEY: service.key,
    LANGSMITH_PROJECT: 'my-agent',
  }
  const { stdout } = await runAgent('agents/langsmith.mjs', environment)
  const ids = JSON.parse(stdout) as Readonly<Record<Run, string>>
  const read = (run: Run) => findTrace(service, ids[run].replaceAll('-', ''))
  const [whole, streamed, tool, model] = [
    await read('whole'),
    await read('streamed'),
    await read('tool'),
    await read('model'),
  ]

  for (const [found, thread] of [
    [whole, 'thread-7'],
    [streamed, 'thread-8'],
  ] as const) {
    assert.deepEqual([found.run_type, found.status, found.session_id, found.user_id], ['agent', 'ok', thread, 'user-7'])
    assert.deepEqual(
      [found.metadata['plan'], found.metadata['tags'], found.metadata['service.name']],
      ['pro', ['a', 'b'], 'my-agent'],
    )
    const root = found.steps.find((step) => step.parent_step_id === null)
    assert.equal(root?.name, found.name)
    assert.deepEqual(
      root?.messages?.map(({ role, content }) => [role, content?.[0]?.text]),
      [
        ['user', 'What is the weather in Bern?'],
        ['assistant', undefined],
        ['tool', 'sun'],
        ['assistant', ANSWER],
      ],
    )
    const calls = found.steps.filter(({ type }) => type === 'llm')
    assert.equal(calls.length, 2)
    const called = found.steps.find(({ type }) => type === 'tool')
    assert.deepEqual([called?.name, called?.messages?.at(-1)?.content?.[0]?.text], ['weather', 'sun'])
    assert.ok(found.cost_usd !== null && found.cost_usd > 0)
  }
  assert.deepEqual([whole.name, streamed.name], ['whole', 'streamed'])
  assert.ok(whole.steps.filter(({ type }) => type === 'llm').every((call) => call.model === MODEL))

  const failed = tool.steps.find(({ type }) => type === 'tool')
  assert.deepEqual([tool.status, failed?.error?.type, failed?.error?.message], ['ok', 'RangeError', 'no such city'])
  assert.equal(model.status, 'error')
  assert.equal(model.steps.find(({ type }) => type === 'llm')?.status, 'error')

  assertBilled([whole, streamed, tool, model], api.billed)

  const listed = await service.client.get('/v1/traces?session_id=thread-8')
  const { traces } = listed.json<{ traces: readonly { input_preview: string; output_preview: string }[] }>()
  assert.deepEqual(
    traces.map(({ input_preview: input, output_preview: output }) => [input, output]),
    [['What is the weather in Bern?', ANSWER]],
  )

  const recorded = await service.client.get(`/v1/metrics/events?trace_id=${whole.id}`)
  const { events } = recorded.json<{ events: readonly { name: string; value?: unknown; comment?: string }[] }>()
  assert.deepEqual(events.map(({ name, value, comment }) => [name, value, comment ?? null]).sort(), [
    ['helpful', 0, 'yes'],
    ['helpful', 1, 'yes'],
    ['mood', 'glad', null],
  ])
  const valued = await service.client.get('/v1/traces?session_id=thread-7&metric_values=helpful')
  const latest = valued.json<{ traces: readonly { id: string; metric_values: Readonly<Record<string, unknown>> }[] }>()
  assert.deepEqual(latest.traces.find(({ id }) => id === whole.id)?.metric_values, { helpful: 0 })
  const picture = await read('picture')
  assert.deepEqual(
    picture.steps.map(({ attachments }) => attachments?.map(({ kind, filename }) => [kind, filename])),
    [[['image', 'picture']]],
  )
})
