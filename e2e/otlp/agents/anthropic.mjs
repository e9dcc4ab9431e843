// Run by agents.test.ts: an agent on Anthropic's SDK, which has spans of its own, with OpenInference around it.
import { provider } from './exporting.mjs'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic'
import * as sdk from '@anthropic-ai/sdk'
import { trace } from '@opentelemetry/api'

const instrumentation = new AnthropicInstrumentation({ tracerProvider: provider })
instrumentation.manuallyInstrument(sdk.default)
const tools = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }]

async function run(title, { stream = false, baseURL = MODEL_URL } = {}) {
  await trace.getTracer('agent').startActiveSpan(title, async (span) => {
    span.setAttributes({ thread_id: 'session-7', 'opik.tags': ['a', 'b'], 'opik.metadata.plan': 'pro' })
    const client = new sdk.default({ baseURL, apiKey: 'any', maxRetries: 0 })
    const messages = [{ role: 'user', content: QUESTION }]
    const ask = async () => {
      const sent = {
        model: 'claude-sonnet-5',
        max_tokens: 500,
        system: SYSTEM,
        messages,
        tools,
        metadata: { user_id: 'user-7' },
      }
      if (!stream) return (await client.messages.create(sent)).content
      const content = []
      for await (const event of await client.messages.create({ ...sent, stream: true })) {
        if (event.type === 'content_block_start') content.push({ ...event.content_block, input: '' })
        if (event.type !== 'content_block_delta') continue
        content[event.index].text += event.delta.text ?? ''
        content[event.index].input += event.delta.partial_json ?? ''
      }
      return content.map(({ type, id, name, text, input }) =>
        type === 'text' ? { type, text } : { type, id, name, input: JSON.parse(input) },
      )
    }
    try {
      messages.push({ role: 'assistant', content: await ask() })
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sun' }] })
      await ask()
    } catch {
    } finally {
      span.end()
    }
  })
}
await run('whole')
await run('streamed', { stream: true })
await run('model', { baseURL: 'http://127.0.0.1:1' })
await provider.shutdown()
