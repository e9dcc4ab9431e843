import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Service } from '../lib/service.ts'
import { findTrace } from './found-trace.ts'
import { missingSender } from './missing-sender.ts'
import { ANSWER, OpenAiStandIn } from './openai-stand-in.ts'

const FOLDER = new URL('official/', import.meta.url)
const MOST_MS = 120_000

test("OpenTelemetry's instrumentation of OpenAI: messages come as log records, before the spans or after them", async (context) => {
  const missing = missingSender(FOLDER, '@opentelemetry/instrumentation-openai')
  if (missing !== null) return context.skip(missing)
  await using service = await Service.start()
  await using api = await OpenAiStandIn.start()
  for (const first of ['logs', 'spans']) {
    api.reset()
    const { stdout } = await promisify(execFile)(process.execPath, [new URL('agent.mjs', FOLDER).pathname, first], {
      env: {
        ...process.env,
        MODEL_URL: api.baseUrl,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/otlp`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${service.key}`,
      },
      timeout: MOST_MS,
    })
    const ids = JSON.parse(stdout) as Readonly<Record<'whole' | 'streamed', string>>
    const all = [await findTrace(service, ids.whole), await findTrace(service, ids.streamed)]
    for (const found of all) {
      assert.deepEqual([found.name, found.status, found.step_count], ['forecast', 'ok', 3], first)
      const [asked, answered] = found.steps.filter(({ type }) => type === 'llm')
      const question = [
        ['system', 'Be brief.'],
        ['user', 'What is the weather in Bern?'],
      ]
      const said = (step: typeof asked) => step?.messages?.map(({ role, content }) => [role, content?.[0]?.text])
      assert.deepEqual(said(asked)?.slice(0, 2), question)
      assert.match(JSON.stringify(asked?.messages?.at(-1)), /"weather".*Bern/)
      assert.deepEqual(said(answered)?.slice(0, 2), question)
      assert.deepEqual(said(answered)?.slice(3), [
        ['tool', 'sun'],
        ['assistant', ANSWER],
      ])
    }
    const sum = (name: 'input' | 'output') => all.reduce((total, { token_usage: usage }) => total + usage[name], 0)
    assert.deepEqual([sum('input'), sum('output')], [api.billed.input, api.billed.output])
  }
})
