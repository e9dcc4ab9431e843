import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Service } from '../lib/service.ts'
import { findTrace, said } from './found-trace.ts'
import { ANSWER, OpenAiStandIn } from './openai-stand-in.ts'
import { missingSender, runAgent } from './run-agent.ts'

test("OpenTelemetry's instrumentation of OpenAI: messages come as log records, before the spans or after them", async (context) => {
  const missing = missingSender('agents')
  if (missing !== null) return context.skip(missing)
  await using service = await Service.start()
  await using api = await OpenAiStandIn.start()
  for (const first of ['logs', 'spans']) {
    api.reset()
    const { stdout } = await runAgent(
      'agents/official.mjs',
      {
        MODEL_URL: api.baseUrl,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/otlp`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${service.key}`,
      },
      first,
    )
    const ids = JSON.parse(stdout) as Readonly<Record<'whole' | 'streamed', string>>
    const all = [await findTrace(service, ids.whole), await findTrace(service, ids.streamed)]
    for (const found of all) {
      assert.deepEqual([found.name, found.status, found.step_count], ['forecast', 'ok', 3], first)
      const [asked, answered] = found.steps.filter(({ type }) => type === 'llm')
      const question = [
        ['system', 'Be brief.'],
        ['user', 'What is the weather in Bern?'],
      ]
      assert.deepEqual(said(asked).slice(0, 2), question)
      assert.match(JSON.stringify(asked?.messages?.at(-1)), /"weather".*Bern/)
      assert.deepEqual(said(answered).slice(0, 2), question)
      assert.deepEqual(said(answered).slice(3), [
        ['tool', 'sun'],
        ['assistant', ANSWER],
      ])
    }
    const sum = (name: 'input' | 'output') => all.reduce((total, { token_usage: usage }) => total + usage[name], 0)
    assert.deepEqual([sum('input'), sum('output')], [api.billed.input, api.billed.output])
  }
})
