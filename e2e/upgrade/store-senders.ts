import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { read, said, send } from './store-calls.ts'

/** Of the service that takes spans: a trace is complete a second after its last one. */
export const QUIET = { SPOOR_TRACE_QUIET_SECONDS: '1' }
const SPAN_TRACE = '0af7651916cd43dd8448eb211c80319c'
const ROOTLESS_TRACE = '1'.repeat(32)
const LANGFUSE_TRACE = '01a21a21-3072-71dc-9316-000000000001'
const LANGSMITH_RUN = '01a21a21-3072-71dc-9316-000000000002'
/** 9 October 2025, in nanoseconds. */
const START = 1_760_000_000n * 10n ** 9n

export const SPANS_PATH = '/otlp/v1/traces'
/** An agent that calls a model and a tool, and a trace whose root never comes. */
export const SPANS = {
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'travel')] },
      scopeSpans: [
        {
          scope: { name: 'openinference.instrumentation', version: '1.0' },
          spans: [
            span(SPAN_TRACE, 1, null, 'invoke_agent travel', { 'gen_ai.operation.name': 'invoke_agent' }),
            span(SPAN_TRACE, 2, 1, 'chat house-model', {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'house-model',
              'gen_ai.usage.input_tokens': '12',
              'gen_ai.usage.output_tokens': '3',
              'gen_ai.input.messages': JSON.stringify([
                { role: 'user', parts: [{ type: 'text', content: 'to Lisbon' }] },
              ]),
            }),
            span(SPAN_TRACE, 3, 1, 'execute_tool book', {
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': 'book',
              'gen_ai.tool.call.arguments': JSON.stringify({ city: 'Lisbon' }),
            }),
            span(ROOTLESS_TRACE, 4, 9, 'a part without its root', {}),
          ],
        },
      ],
    },
  ],
}

/** What other services' SDKs and OpenTelemetry send. Resolves when all traces with a root are complete. */
export async function sendAsOthers(client: Client): Promise<void> {
  await send(client, 'POST', SPANS_PATH, SPANS, 200)
  const event = (type: string, body: object) => ({ id: type, type, timestamp: '2026-11-26T23:12:20Z', body })
  const batch = [
    event('trace-create', { id: LANGFUSE_TRACE, name: 'a trace of Langfuse', input: 'hello', output: 'good day' }),
    event('generation-create', {
      id: 'generation',
      traceId: LANGFUSE_TRACE,
      name: 'answer',
      model: 'house-model',
      input: [{ role: 'user', content: 'hello' }],
      output: 'good day',
      usage: { input: 3, output: 2, unit: 'TOKENS' },
    }),
    event('score-create', { id: 'score', traceId: LANGFUSE_TRACE, name: 'reward', value: 0.25, comment: 'a score' }),
  ]
  const { errors } = await send<{ errors: unknown[] }>(client, 'POST', '/api/public/ingestion', { batch }, 207)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  const run = { id: LANGSMITH_RUN, trace_id: LANGSMITH_RUN, run_type: 'llm', name: 'a run of LangSmith' }
  const times = { start_time: 1_795_734_740_000, end_time: 1_795_734_741_000 }
  const texts = {
    inputs: { messages: [{ role: 'user', content: 'hello' }] },
    outputs: { messages: [{ role: 'assistant', content: 'good day' }] },
  }
  const feedback = { run_id: LANGSMITH_RUN, trace_id: LANGSMITH_RUN, key: 'reward', score: 1 }
  for (const [path, body] of [
    ['/runs/batch', { post: [{ ...run, ...times, ...texts }] }],
    ['/feedback', feedback],
  ] as const) {
    const { reasons } = await send<{ reasons?: unknown }>(client, 'POST', path, body, 202)
    if (reasons !== undefined) throw new Error(`${path}: ${JSON.stringify(reasons)}`)
  }
  await eventually('traces with a root are complete', async () => {
    const { traces } = await read<{ traces: { growing: boolean; root_seen: boolean }[] }>(
      client,
      '/v1/traces?limit=1000',
    )
    return traces.every(({ growing, root_seen: hasRoot }) => growing !== hasRoot)
  })
}

/** A step with the same call each time, and its result. */
export function repeatedCall(at: number): readonly object[] {
  const call = { type: 'tool_use', id: `call_${at}`, name: 'find_order', input: { id: 7, city: 'Lisbon' } }
  return [
    {
      name: 'turn',
      type: 'llm',
      model: 'house-model',
      token_usage: { input: 1000 * (at + 1), output: 10 },
      messages: [said('user', 'Where is my order?'), { role: 'assistant', content: [call] }],
    },
    {
      name: 'find_order',
      type: 'retrieval',
      messages: [{ role: 'tool', tool_call_id: `call_${at}`, content: [{ type: 'text', text: 'none' }] }],
    },
  ]
}

function span(trace: string, id: number, parent: number | null, name: string, attributes: Record<string, string>) {
  return {
    traceId: trace,
    spanId: spanId(id),
    ...(parent !== null && { parentSpanId: spanId(parent) }),
    name,
    startTimeUnixNano: String(START + BigInt(id) * 10n ** 8n),
    endTimeUnixNano: String(START + 10n ** 9n),
    attributes: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
  }
}

function spanId(id: number): string {
  return id.toString(16).padStart(16, '0')
}

function attribute(key: string, value: string) {
  return { key, value: /^\d+$/.test(value) ? { intValue: value } : { stringValue: value } }
}
