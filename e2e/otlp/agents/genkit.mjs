// Run by agents.test.ts: flows of Genkit.
import { OTLPTraceExporter } from 'exporter-of-genkit'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { openAI } from '@genkit-ai/compat-oai/openai'
import { genkit, z } from 'genkit'
import { enableTelemetry, flushTracing } from 'genkit/tracing'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'

await enableTelemetry({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
const create = (execute, baseURL) => {
  const ai = genkit({ plugins: [openAI({ apiKey: 'any', baseURL, maxRetries: 0 })] })
  const inputSchema = z.object({ city: z.string() })
  const weather = ai.defineTool(
    { name: 'weather', description: 'The weather of a city', inputSchema, outputSchema: z.string() },
    execute,
  )
  return { ai, asked: { model: openAI.model('gpt-5'), system: SYSTEM, prompt: QUESTION, tools: [weather] } }
}
const run = (name, execute, ask, baseURL = MODEL_URL) => {
  const { ai, asked } = create(execute, baseURL)
  const flow = ai.defineFlow({ name, inputSchema: z.string(), outputSchema: z.string() }, () => ask(ai, asked))
  return flow(QUESTION)
}
const whole = async (ai, asked) => (await ai.generate(asked)).text
await run('whole', async () => 'sun', whole)
await run(
  'streamed',
  async () => 'sun',
  async (ai, asked) => {
    const { stream, response } = ai.generateStream(asked)
    for await (const _ of stream);
    return (await response).text
  },
)
const broken = async () => {
  throw new RangeError('no such city')
}
await run('tool', broken, whole).catch(() => undefined)
await run('model', broken, whole, 'http://127.0.0.1:1').catch(() => undefined)
await flushTracing()
