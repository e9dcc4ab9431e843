import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { Service } from '../lib/service.ts'
import { assertBilled, findTrace } from './found-trace.ts'
import { ANSWER, MODEL, OpenAiStandIn } from './openai-stand-in.ts'
import { missingSender, runAgent } from './run-agent.ts'

/** A picture of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

type Run = 'whole' | 'streamed' | 'tool' | 'model' | 'picture'

test('Langfuse 3: an agent with a tool, whole, streamed and failing, with scores and a picture', async (context) => {
  const missing = missingSender('agents')
  if (missing !== null) return context.skip(missing)
  await using service = await Service.start()
  await using api = await OpenAiStandIn.start()
  const environment = {
    MODEL_URL: api.baseUrl,
    PICTURE,
    LANGFUSE_BASEURL: service.url,
    LANGFUSE_SECRET_KEY: service.key,
    LANGFUSE_PUBLIC_KEY: 'any',
  }
  const { stdout, stderr } = await runAgent('agents/langfuse.mjs', environment)
  assert.equal(stderr, '')
  const ids = JSON.parse(stdout) as Readonly<Record<Run, string>>
  const read = (run: Run) => findTrace(service, ids[run].replaceAll('-', ''))
  const [whole, streamed] = [await read('whole'), await read('streamed')]
  const [tool, model] = [await read('tool'), await read('model')]

  for (const [name, found] of Object.entries({ whole, streamed })) {
    assert.deepEqual([found.name, found.status, found.session_id, found.user_id], [name, 'ok', 'session-7', 'user-7'])
    const { plan, tags, env } = found.metadata
    assert.deepEqual([plan, tags, env], ['pro', ['a', 'b'], 'staging'])
    const root = found.steps.find((step) => step.parent_step_id === null)
    assert.deepEqual(
      root?.messages?.map(({ role, content }) => [role, content?.[0]?.text]),
      [
        ['user', 'What is the weather in Bern?'],
        ['assistant', ANSWER],
      ],
    )
    const calls = found.steps.filter(({ type }) => type === 'llm')
    assert.deepEqual(
      calls.map((call) => call.name),
      ['ask', 'ask'],
    )
    const weather = found.steps.find((step) => step.name === 'weather')
    assert.equal(weather?.messages?.at(-1)?.content?.[0]?.text, 'sun')
    assert.ok(found.cost_usd !== null && found.cost_usd > 0)
  }
  assert.ok(whole.steps.filter(({ type }) => type === 'llm').every((call) => call.model === MODEL))

  const failed = tool.steps.find(({ name }) => name === 'weather')
  assert.deepEqual([failed?.status, failed?.error?.message], ['error', 'no such city'])
  assert.deepEqual([model.status, model.steps.find(({ type }) => type === 'llm')?.status], ['error', 'error'])

  assertBilled([whole, streamed, tool, model], api.billed)

  const recorded = await service.client.get(`/v1/metrics/events?trace_id=${whole.id}`)
  const { events } = recorded.json<{ events: readonly { name: string; passed?: boolean; value?: unknown }[] }>()
  assert.deepEqual(events.map(({ name, passed, value }) => [name, passed ?? value]).sort(), [
    ['helpful', true],
    ['mood', 'glad'],
    ['mood', 'sad'],
  ])

  const look = (await read('picture')).steps.find(({ name }) => name === 'look')
  assert.deepEqual(
    look?.attachments?.map(({ kind }) => kind),
    ['image'],
  )
  const sha256 = hash('sha256', Buffer.from(PICTURE, 'base64'), 'hex')
  assert.match(JSON.stringify(look?.messages?.[0]), new RegExp(`media://[^"]*/${sha256}`))
})
