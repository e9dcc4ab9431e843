import { OpenTelemetry } from '@ai-sdk/otel'
import { OpenAIInstrumentation as OpenInference } from '@arizeai/openinference-instrumentation-openai'
import type { TracerProvider } from '@opentelemetry/api'
import { OpenAIInstrumentation as OpenLlmetry } from '@traceloop/instrumentation-openai'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import OpenAI from 'openai'
import { ANSWER, type Billed, MODEL } from './openai-stand-in.ts'

const QUESTION = 'What is the weather in Bern?'
const SYSTEM = 'Be brief.'
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } } as const

/** An agent of AI SDK 7 on its mock model: a turn with a tool, an answer, and the same answer as a stream. */
export async function runAiSdk(provider: TracerProvider): Promise<Billed> {
  const billed: Billed = { input: 0, output: 0, cache_read: 0, reasoning: 0 }
  const use = (input: number, output: number, cacheRead: number, reasoning: number) => {
    billed.input += input
    billed.output += output
    billed.cache_read += cacheRead
    return {
      inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: undefined },
      outputTokens: { total: output, text: output - reasoning, reasoning },
    }
  }
  const stop = { unified: 'stop', raw: 'stop' } as const
  let turn = 0
  const model = new MockLanguageModelV4({
    provider: 'openai.chat',
    modelId: MODEL,
    doGenerate: async () =>
      turn++ === 0
        ? {
            content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Bern"}' }],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage: use(100, 20, 40, 0),
            warnings: [],
          }
        : { content: [{ type: 'text', text: ANSWER }], finishReason: stop, usage: use(150, 30, 100, 10), warnings: [] },
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: ANSWER },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: stop, usage: use(150, 30, 100, 10) },
        ],
      }),
    }),
  })
  const integrations = [new OpenTelemetry({ tracer: provider.getTracer('ai') })]
  const telemetry = { integrations, functionId: 'forecast' }
  const weather = tool({ inputSchema: jsonSchema<{ city: string }>(PARAMETERS), execute: async () => 'sun' })
  const asked = { model, instructions: SYSTEM, prompt: QUESTION, telemetry }
  await generateText({ ...asked, tools: { weather }, stopWhen: isStepCount(3) })
  for await (const _text of streamText(asked).textStream);
  return billed
}

interface Instrumentation {
  setTracerProvider(provider: TracerProvider): void
  manuallyInstrument(module: typeof OpenAI): void
  disable(): void
}

export const INSTRUMENTATIONS: Readonly<Record<string, () => Instrumentation>> = {
  OpenInference: () => new OpenInference() as unknown as Instrumentation,
  OpenLLMetry: () => new OpenLlmetry({ enrichTokens: false }) as unknown as Instrumentation,
}

/** An agent on the client of OpenAI: a turn with a tool, then its answer, whole or as a stream. */
export async function runOpenAi(
  baseURL: string,
  { stream, fetch = globalThis.fetch }: { readonly stream: boolean; readonly fetch?: typeof globalThis.fetch },
): Promise<void> {
  const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0, fetch })
  const tools = [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }] as const
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: QUESTION },
  ]
  const asked = { model: 'gpt-5', messages, tools: [...tools] }
  const first = await client.chat.completions.create(asked)
  const call = first.choices[0]?.message
  if (call === undefined) throw new Error('no answer')
  messages.push(call, { role: 'tool', tool_call_id: 'call_1', content: 'sun' })
  if (!stream) return void (await client.chat.completions.create(asked))
  const chunks = await client.chat.completions.create({ ...asked, stream, stream_options: { include_usage: true } })
  for await (const _chunk of chunks);
}
