// Run by official.test.ts: an agent with a tool on the client of OpenAI, with OpenTelemetry's own instrumentation.
//   MODEL_URL=… OTEL_EXPORTER_OTLP_ENDPOINT=… OTEL_EXPORTER_OTLP_HEADERS=… node e2e/otlp/official/agent.mjs logs|spans
// Sends what is named first. Prints one JSON object: run to the id of its trace.
import { createRequire } from 'node:module'
import { trace } from '@opentelemetry/api'
import { logs } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const spans = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
spans.register()
const records = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })] })
logs.setGlobalLoggerProvider(records)
registerInstrumentations({ instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })] })
const OpenAI = createRequire(import.meta.url)('openai')

const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'any', maxRetries: 0 })
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
const ids = {}
for (const name of ['whole', 'streamed']) {
  await trace.getTracer('agent').startActiveSpan('forecast', async (span) => {
    ids[name] = span.spanContext().traceId
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is the weather in Bern?' },
    ]
    const call = async () => {
      const sent = { model: 'gpt-5', messages, tools }
      if (name === 'whole') return (await client.chat.completions.create(sent)).choices[0].message
      const stream = await client.chat.completions.create({
        ...sent,
        stream: true,
        stream_options: { include_usage: true },
      })
      const message = { role: 'assistant', content: '', tool_calls: [] }
      for await (const { choices } of stream) {
        const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {}
        message.content += content ?? ''
        for (const { index, id, function: part } of calls) {
          message.tool_calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } }
          message.tool_calls[index].function.arguments += part.arguments ?? ''
        }
      }
      return message
    }
    messages.push(await call())
    messages.push({ role: 'tool', tool_call_id: 'call_1', content: 'sun' })
    await call()
    span.end()
  })
}
const both = [records, spans]
for (const provider of process.argv[2] === 'logs' ? both : both.toReversed()) await provider.forceFlush()
console.log(JSON.stringify(ids))
