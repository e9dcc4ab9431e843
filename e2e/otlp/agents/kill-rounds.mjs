// Run by sdk-kills.ts: clients of LangSmith, Langfuse and OpenTelemetry that send while their service is killed.
//   LANGSMITH_ENDPOINT=… LANGFUSE_BASEURL=… OTEL_EXPORTER_OTLP_ENDPOINT=… CALLS=20 node e2e/otlp/agents/kill-rounds.mjs
// Each line of its input begins a round of `CALLS` calls of a model by each client. When all that they recorded is
// sent, or given up, it prints one JSON object: client to the id of its trace.
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { context, trace } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { Langfuse } from 'langfuse'
import { Client } from 'langsmith'
import { provider } from './exporting.mjs'

const CALLS = Number(process.env.CALLS)
const PAUSE_MS = 50
const USED = 7

const langsmith = new Client({ callerOptions: { maxRetries: 10 } })
const records = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })] })
const [tracer, logger] = [provider.getTracer('rounds'), records.getLogger('rounds')]

const ROUNDS = {
  async langfuse() {
    const langfuse = new Langfuse({ flushAt: 5, fetchRetryCount: 20 })
    const root = langfuse.trace({ name: 'round', sessionId: 'rounds' })
    for (let at = 0; at < CALLS; at++) {
      const call = root.generation({ name: `call ${at}`, model: 'gpt-5', input: 'Is it warm?' })
      await setTimeout(PAUSE_MS)
      call.end({ output: 'Yes.', usageDetails: { input: USED } })
      call.score({ name: 'helpful', value: 1 })
    }
    await langfuse.shutdownAsync()
    return root.id
  },
  async langsmith() {
    const root = { id: crypto.randomUUID(), name: 'round', run_type: 'chain', start_time: Date.now() }
    const order = (id) => `${new Date().toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
    const ofRoot = { trace_id: root.id, dotted_order: order(root.id) }
    await langsmith.createRun({ ...root, ...ofRoot, inputs: { question: 'Is it warm?' } })
    for (let at = 0; at < CALLS; at++) {
      const id = crypto.randomUUID()
      const ids = { trace_id: root.id, parent_run_id: root.id, dotted_order: `${ofRoot.dotted_order}.${order(id)}` }
      await langsmith.createRun({ ...ids, id, name: `call ${at}`, run_type: 'llm', inputs: {}, start_time: Date.now() })
      await setTimeout(PAUSE_MS)
      const outputs = { answer: 'Yes.', usage_metadata: { input_tokens: USED, output_tokens: 0, total_tokens: USED } }
      await langsmith.updateRun(id, { ...ids, end_time: Date.now(), outputs })
    }
    await langsmith.updateRun(root.id, { ...ofRoot, end_time: Date.now(), outputs: { answer: 'Yes.' } })
    return root.id
  },
  async otlp() {
    const root = tracer.startSpan('round')
    const within = trace.setSpan(context.active(), root)
    for (let at = 0; at < CALLS; at++) {
      const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': USED }
      const span = tracer.startSpan(`call ${at}`, { attributes }, within)
      const ofSpan = trace.setSpan(within, span)
      logger.emit({ eventName: 'gen_ai.user.message', body: { content: `question ${at}` }, context: ofSpan })
      await setTimeout(PAUSE_MS)
      logger.emit({ eventName: 'gen_ai.choice', body: { message: { content: 'Yes.' } }, context: ofSpan })
      span.end()
    }
    root.end()
    return root.spanContext().traceId
  },
}

for await (const _line of createInterface(process.stdin)) {
  const ids = Object.entries(ROUNDS).map(async ([name, run]) => [name, await run()])
  const found = Object.fromEntries(await Promise.all(ids))
  // Each flush waits for what is being sent again too.
  const flushes = [langsmith.awaitPendingTraceBatches(), provider.forceFlush(), records.forceFlush()]
  for (const flush of await Promise.allSettled(flushes)) if (flush.status === 'rejected') console.error(flush.reason)
  console.log(JSON.stringify(found))
}
