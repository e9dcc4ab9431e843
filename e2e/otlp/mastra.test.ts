import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Service } from '../lib/service.ts'
import { assertBilled, findTrace } from './found-trace.ts'
import { ANSWER, MODEL, OpenAiStandIn } from './openai-stand-in.ts'
import { missingSender, runAgent } from './run-agent.ts'

test('the exporter of Mastra: an agent with a tool, whole, streamed and failing', async (context) => {
  const missing = missingSender('mastra')
  if (missing !== null) return context.skip(missing)
  await using service = await Service.start()
  await using api = await OpenAiStandIn.start()
  const { stdout } = await runAgent('mastra/agent.mjs', {
    MODEL_URL: api.baseUrl,
    SPOOR_URL: service.url,
    SPOOR_API_KEY: service.key,
  })
  const ids = JSON.parse(stdout) as Readonly<Record<'whole' | 'streamed' | 'failing', string>>
  const read = (id: string) => findTrace(service, id)
  const [whole, streamed, failing] = [await read(ids.whole), await read(ids.streamed), await read(ids.failing)]

  for (const found of [whole, streamed]) {
    assert.deepEqual(
      [found.name, found.run_type, found.status, found.session_id, found.user_id],
      ['forecast', 'agent', 'ok', 'thread-7', 'user-7'],
    )
    assert.deepEqual([found.metadata['plan'], found.metadata['tags']], ['pro', ['a', 'b']])
    const root = found.steps.find(({ name }) => name === 'invoke_agent forecast')
    assert.deepEqual(
      root?.messages?.map(({ role, content }) => [role, content?.[0]?.text]),
      [
        ['system', 'Be brief.'],
        ['user', 'What is the weather in Bern?'],
        ['assistant', ANSWER],
      ],
    )
    const calls = found.steps.filter(({ type }) => type === 'llm')
    assert.deepEqual(
      calls.map(({ model }) => model),
      [MODEL, MODEL],
    )
    const tool = found.steps.find(({ type }) => type === 'tool')
    assert.deepEqual(
      [tool?.name, tool?.messages?.at(-1)],
      ['weather', { role: 'tool', content: [{ type: 'text', text: 'sun' }], tool_call_id: 'call_1' }],
    )
    assert.ok(found.cost_usd !== null && found.cost_usd > 0)
  }
  assert.deepEqual([failing.status, failing.recovered_errors], ['ok', 1])
  assert.equal(failing.steps.find(({ type }) => type === 'tool')?.error?.message, 'no such city')

  assertBilled([whole, streamed, failing], api.billed)

  const listed = await service.client.get('/v1/traces?user_id=user-7')
  const { traces } = listed.json<{ traces: readonly { input_preview: string; output_preview: string }[] }>()
  assert.deepEqual(
    traces.map(({ input_preview: input, output_preview: output }) => [input, output]),
    [
      ['What is the weather in Bern?', ANSWER],
      ['What is the weather in Bern?', ANSWER],
    ],
  )
})
