import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRecorder } from '@spoor/sdk'
import { ServiceStandIn } from '../../packages/sdk/src/recorder/service-stand-in.test-support.ts'
import { runOpenAi } from '../otlp/instrumented-agents.ts'
import { ANSWER, MODEL, OpenAiStandIn } from '../otlp/openai-stand-in.ts'

const openAi = await OpenAiStandIn.start()
const service = await ServiceStandIn.start()
after(() => Promise.all([openAi[Symbol.asyncDispose](), service[Symbol.asyncDispose]()]))

for (const stream of [false, true]) {
  test(`the client of OpenAI with wrapFetch: what is recorded was billed, ${stream ? 'streamed' : 'whole'}`, async () => {
    openAi.reset()
    service.taken.length = 0
    const spoor = createRecorder({ url: service.url, apiKey: 'key' })
    const hosts = new Set<string>()
    const fetch = spoor.wrapFetch((input, init) => {
      hosts.add(new URL(input instanceof Request ? input.url : String(input)).hostname)
      return globalThis.fetch(input, init)
    })
    await spoor.trace('run', () => runOpenAi(openAi.baseUrl, { stream, fetch }))
    const { ok } = await spoor.shutdown()
    assert.ok(ok)
    assert.deepEqual([...hosts], ['127.0.0.1'])
    const calls = service.spans.filter(({ name }) => name === 'chat gpt-5')
    assert.equal(calls.length, 2)
    const json = (key: string) =>
      calls.map(({ attributes }) => {
        const found = attributes.find((one) => one.key === `spoor.step.${key}`)
        return key === 'model' ? found?.value.stringValue : JSON.parse(found?.value.stringValue ?? 'null')
      })
    assert.deepEqual(json('model'), [MODEL, MODEL])
    const usages = json('usage') as Record<string, number | undefined>[]
    const billed = Object.keys(openAi.billed).map((kind) => [
      kind,
      usages.reduce((sum, usage) => sum + (usage[kind] ?? 0), 0),
    ])
    assert.deepEqual(Object.fromEntries(billed), openAi.billed)
    const [asked, answered] = json('messages') as { role: string; content: unknown; tool_calls?: unknown[] }[][]
    assert.deepEqual(
      answered?.map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool', 'assistant'],
    )
    assert.deepEqual(answered?.at(-1)?.content, [{ type: 'text', text: ANSWER }])
    assert.equal(asked?.at(-1)?.tool_calls?.length, 1)
    assert.deepEqual(
      json('metadata').map(({ tools }: { tools: unknown[] }) => tools.length),
      [1, 1],
    )
    const run = service.span('run')
    assert.ok(calls.every(({ parentSpanId }) => parentSpanId === run.spanId))
  })
}
