// Run by mastra.test.ts: an agent of Mastra with a tool, whose spans Mastra's own exporter sends.
//   MODEL_URL=… SPOOR_URL=… SPOOR_API_KEY=… node e2e/otlp/mastra/agent.mjs
// Prints one JSON object: run to the id of its trace.
import net from 'node:net'

// Else Mastra reports its use, and fetches a list of models.
process.env.MASTRA_TELEMETRY_DISABLED = '1'
process.env.MASTRA_OFFLINE = '1'
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const { host = 'localhost' } = [args[0]].flat()[0]
  if (!['127.0.0.1', 'localhost', '::1'].includes(host)) throw new Error(`${host} is not this machine`)
  return connect.apply(this, args)
}

const { Agent } = await import('@mastra/core/agent')
const { Mastra } = await import('@mastra/core/mastra')
const { createTool } = await import('@mastra/core/tools')
const { Observability } = await import('@mastra/observability')
const { OtelExporter } = await import('@mastra/otel-exporter')
const { z } = await import('zod')

const { MODEL_URL, SPOOR_URL, SPOOR_API_KEY } = process.env
const spoor = new OtelExporter({
  provider: {
    custom: {
      endpoint: `${SPOOR_URL}/otlp/v1/traces`,
      protocol: 'http/protobuf',
      headers: { 'x-api-key': SPOOR_API_KEY },
    },
  },
  signals: { logs: false },
})

const agent = (id, execute) => {
  const inputSchema = z.object({ city: z.string() })
  const weather = createTool({ id: 'weather', description: 'The weather of a city', inputSchema, execute })
  const model = { id: 'openai/gpt-5', url: MODEL_URL, apiKey: 'any' }
  return new Agent({ id, name: id, instructions: 'Be brief.', model, maxRetries: 0, tools: { weather } })
}
const mastra = new Mastra({
  logger: false,
  agents: {
    forecast: agent('forecast', async () => 'sun'),
    failing: agent('failing', async () => {
      throw new RangeError('no such city')
    }),
  },
  observability: new Observability({ configs: { spoor: { serviceName: 'my-agent', exporters: [spoor] } } }),
})

const QUESTION = 'What is the weather in Bern?'
const options = {
  maxSteps: 3,
  memory: { thread: 'thread-7', resource: 'resource-7' },
  tracingOptions: { metadata: { userId: 'user-7', plan: 'pro' }, tags: ['a', 'b'] },
}
const whole = await mastra.getAgent('forecast').generate(QUESTION, options)
const streamed = await mastra.getAgent('forecast').stream(QUESTION, options)
for await (const _text of streamed.textStream);
const failing = await mastra.getAgent('failing').generate(QUESTION, { maxSteps: 3 })
await mastra.shutdown()
console.log(JSON.stringify({ whole: whole.traceId, streamed: streamed.traceId, failing: failing.traceId }))
