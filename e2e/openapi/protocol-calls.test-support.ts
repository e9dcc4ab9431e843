import assert from 'node:assert/strict'
import {
  toProtobuf,
  exportJson,
  ns,
  spanId,
  type TestSpan,
} from '../../packages/server/src/traces/otlp/spans.test-support.ts'
import type { Answer, Call, Client } from '../lib/client.ts'
import { type CheckedAnswer, nodeOf } from './contract-checker.ts'

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'
const NOWHERE = 'tr_01h2xcejqtf2nbrexx3vqjhp41'
/** Of the traces of the exports: one by each encoding and path. */
const [AS_JSON, AS_PROTOBUF, AT_TRACES] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]

/** Calls of OpenTelemetry and MCP, whose own documents define them, and what the API shows of the spans afterwards. */
export async function callProtocols(client: Client): Promise<readonly CheckedAnswer[]> {
  const answers: CheckedAnswer[] = []
  const send = async (call: Call, status: number, from = client): Promise<Answer> => {
    const answer = await from.call(call)
    assert.equal(answer.status, status, answer.text)
    answers.push({ call: `${call.method ?? 'GET'} ${call.path}`, status, text: readable(answer), node: nodeOf(answer) })
    return answer
  }
  await callOpenTelemetry(client, send)
  await callMcp(client, send)
  return answers
}

type Send = (call: Call, status: number, from?: Client) => Promise<Answer>

async function callOpenTelemetry(client: Client, send: Send): Promise<void> {
  const post = (path: string, type: string, body: Buffer | string, status: number, from = client) =>
    send({ method: 'POST', path, headers: { 'content-type': type }, body }, status, from)
  const inJson = (traceId: string) => JSON.stringify(exportJson(agentRun(traceId)))
  const inProtobuf = (traceId: string) => toProtobuf(exportJson(agentRun(traceId)))
  await post('/otlp/v1/traces', JSON_TYPE, inJson(AS_JSON), 200)
  // As an exporter sends it again that got no answer.
  await post('/otlp/v1/traces', JSON_TYPE, inJson(AS_JSON), 200)
  await post('/otlp/v1/traces', PROTOBUF_TYPE, inProtobuf(AS_PROTOBUF), 200)
  await post('/v1/traces', PROTOBUF_TYPE, inProtobuf(AT_TRACES), 200)
  await post('/otlp/v1/traces', PROTOBUF_TYPE, Buffer.from('no protobuf'), 400)
  await post('/otlp/v1/traces', JSON_TYPE, '{', 400)
  await post('/otlp/v1/traces', 'text/plain', '{}', 415)
  await post('/otlp/v1/traces', PROTOBUF_TYPE, inProtobuf(AS_JSON), 401, client.as(null))
  await post('/otlp/v1/logs', JSON_TYPE, '{"resourceLogs":[]}', 200)
  await post('/otlp/v1/metrics', JSON_TYPE, '{"resourceMetrics":[]}', 200)
  for (const traceId of [AS_JSON, AS_PROTOBUF, AT_TRACES]) {
    const found = await send({ path: `/v1/traces/${traceId}` }, 200)
    assert.equal(found.json<{ step_count: number }>().step_count, 3, found.text)
  }
}

function agentRun(traceId: string): readonly TestSpan[] {
  const one = { traceId, parentSpanId: spanId(1) }
  return [
    { traceId, name: 'invoke_agent shop', attributes: { 'gen_ai.operation.name': 'invoke_agent', 'user.id': 'otel' } },
    {
      ...one,
      spanId: spanId(2),
      name: 'chat gpt-5',
      startTimeUnixNano: ns(1),
      endTimeUnixNano: ns(20),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.usage.input_tokens': 1200,
        'gen_ai.usage.output_tokens': 80,
      },
    },
    {
      ...one,
      spanId: spanId(3),
      name: 'execute_tool pay',
      startTimeUnixNano: ns(21),
      endTimeUnixNano: ns(30),
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'pay' },
      status: { code: 2, message: 'no such card' },
    },
  ]
}

async function callMcp(client: Client, send: Send): Promise<void> {
  let id = 0
  const post = (body: string, status: number, from = client) => {
    const headers = { 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, text/event-stream` }
    return send({ method: 'POST', path: '/mcp', headers, body }, status, from)
  }
  const ask = (method: string, params: object) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }), 200)
  const use = (name: string, input: object) => ask('tools/call', { name, arguments: input })
  const clientInfo = { name: 'test', version: '1' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  await ask('tools/list', {})
  const shown = await use('get_trace', { id: AS_PROTOBUF })
  assert.match(shown.text, /execute_tool pay|"pay\\"/)
  await use('search_traces', { user_id: 'otel' })
  // Writes, so another node than the one that was asked may commit it.
  const flagged = await use('flag_trace', { id: AS_JSON, reason: 'look' })
  assert.match(flagged.text, /flagged\\":true/)
  assert.match((await use('get_trace', { id: AS_JSON })).text, /look/)
  assert.match((await use('get_trace', { id: NOWHERE })).text, /not_found/)
  await post('[]', 400)
  await post('{}', 401, client.as(null))
}

/** The result of a tool is JSON in a text: without its backslashes, what changes in it is found as in other answers. */
function readable({ text }: Answer): string {
  return text.replaceAll('\\"', '"')
}
