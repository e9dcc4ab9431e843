// Run by official.test.ts: an agent with a tool on the client of OpenAI, with OpenTelemetry's own instrumentation.
//   MODEL_URL=… OTEL_EXPORTER_OTLP_ENDPOINT=… OTEL_EXPORTER_OTLP_HEADERS=… node e2e/otlp/agents/official.mjs logs|spans
// Sends what is named first. Prints one JSON object: run to the id of its trace.
import { createRequire } from 'node:module'
import { logs } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { provider } from './exporting.mjs'
import { runAll } from './openai-agent.mjs'

const records = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })] })
logs.setGlobalLoggerProvider(records)
registerInstrumentations({ instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })] })
const ids = await runAll(createRequire(import.meta.url)('openai'))
const both = [records, provider]
for (const one of process.argv[2] === 'logs' ? both : both.toReversed()) await one.forceFlush()
console.log(JSON.stringify(ids))
