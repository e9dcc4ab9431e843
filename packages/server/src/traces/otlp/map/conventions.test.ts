import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { PROJECT } from '../../trace-builders.test-support.ts'
import { parseExport } from '../parse-export.ts'
import { exportJson, ns, spanId, type TestOrigin, type TestSpan, toProtobuf } from '../spans.test-support.ts'

/** The span as it is stored. */
function mapped(span: TestSpan, origin?: TestOrigin) {
  const json = exportJson([span], origin)
  const { spans, rejected } = parseExport(PROJECT, Buffer.from(JSON.stringify(json)), 'json', DEFAULT_LIMITS)
  assert.deepEqual(rejected, { count: 0, reasons: [] })
  const body = JSON.parse(spans[0]!.step.body.toString()) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  return { ...spans[0]!, body }
}

const CHILD = { parentSpanId: spanId(9) }
const USED = { 'gen_ai.request.model': 'gpt-5', 'gen_ai.usage.input_tokens': 7 }

const TYPES: readonly (readonly [type: string, attributes: TestSpan['attributes'], more?: TestSpan])[] = [
  ['llm', USED],
  ['llm', { ...USED, 'gen_ai.operation.name': 'responses' }],
  ['llm', { ...USED, 'gen_ai.operation.name': 'image_generation' }],
  ['llm', { 'llm.model_name': 'm', 'llm.token_count.prompt': 7 }],
  ['agent', { ...USED, 'gen_ai.operation.name': 'invoke_agent' }],
  ['tool', { ...USED, 'gen_ai.operation.name': 'execute_tool' }],
  ['embedding', { ...USED, 'gen_ai.operation.name': 'embedding' }],
  // Usage alone, or a model alone, may be of the steps below.
  ['other', { 'gen_ai.usage.input_tokens': 7 }],
  ['other', { 'gen_ai.request.model': 'gpt-5' }],
  ['llm', { 'gen_ai.request.model': 'claude-5' }, { name: 'bedrock.completion', kind: 3 }],
  ['llm', { 'agentops.span.kind': 'llm' }],
  ['llm', { 'mlflow.spanType': '"CHAT_MODEL"' }],
  ['other', { 'mlflow.spanType': '"UNKNOWN"' }],
  ['llm', { 'braintrust.span_attributes': '{"type":"llm"}' }],
  ['chain', { 'braintrust.span_attributes': '{"type":"task"}' }],
  ['tool', { 'opik.span.type': 'tool' }],
  ['embedding', { 'langsmith.span.kind': 'embedding' }],
  ['chain', { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' }],
  ['embedding', { 'llm.request.type': 'embedding' }],
  ['chain', { 'ai.operationId': 'ai.streamText' }],
  ['chain', { 'ai.operationId': 'ai.embedMany' }],
  ['rerank', { 'ai.operationId': 'ai.rerank.doRerank' }],
  ['llm', { 'genkit:type': 'action', 'genkit:metadata:subtype': 'model' }],
  ['retrieval', { 'genkit:type': 'action', 'genkit:metadata:subtype': 'retriever' }],
  ['chain', { 'genkit:type': 'util' }],
  ['llm', { 'gcp.vertex.agent.llm_request': '{}' }, { name: 'call_llm' }],
  ['other', {}, { name: 'call_llm' }],
  ['tool', {}, { name: 'execute_tool weather' }],
  ['chain', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': '(merged tools)' }],
  ['llm', { 'gen_ai.operation.name': 'llm_call' }],
  ['tool', { 'gen_ai.operation.name': 'tool_call' }],
  ['chain', { 'gen_ai.operation.name': 'schedule_tool_calls' }],
  ['tool', { 'span.type': 'tool', 'entity.type': 'agent' }],
  ['other', { 'span.type': 'memory', 'entity.type': 'agent' }],
  ['agent', { 'entity.type': 'agent' }],
  ['llm', { 'gen_ai.usage.input_tokens': 7 }, { name: 'handle_responses' }],
  ['other', {}, { name: 'handle_responses' }],
  ['tool', { tool_name: 'exec_command', call_id: 'c1' }, { name: 'exec_command' }],
  // The operation is more exact than the kind of OpenLLMetry.
  ['tool', { 'traceloop.span.kind': 'task', 'gen_ai.operation.name': 'execute_tool' }],
  ['agent', { 'traceloop.span.kind': 'workflow', 'gen_ai.operation.name': 'invoke_agent' }],
  ['chain', { 'traceloop.span.kind': 'workflow', 'gen_ai.operation.name': 'conversation' }],
  ['agent', { 'ag2.span.type': 'agent' }],
  ['chain', { ...USED, 'ag2.span.type': 'conversation', 'gen_ai.operation.name': 'conversation' }],
  // LlamaIndex for JavaScript, whose tasks have the method at the end of their name.
  ['retrieval', { 'traceloop.span.kind': 'task' }, { name: 'vector_index_retriever.retrieve' }],
  ['embedding', { 'traceloop.span.kind': 'task' }, { name: 'openai_embedding.get_query_embedding' }],
  ['chain', { 'traceloop.span.kind': 'task' }, { name: 'response_synthesizer.synthesize' }],
  ['other', {}, { name: 'store.retrieve' }],
  // A span inside the step of the tool.
  ['chain', { 'gen_ai.tool.name': 'weather', 'tool.call_id': 'c1' }, { name: 'qwen-code.tool.execution' }],
  ['other', { tool_name: 'exec_command', call_id: 'c1' }, { name: 'scoring' }],
]

test('the kind that a sender names is the type, then a model with usage is a call of it', () => {
  for (const [type, attributes = {}, more = {}] of TYPES) {
    const { step } = mapped({ ...CHILD, attributes, ...more })
    assert.equal(step.type, type, JSON.stringify([attributes, more]))
  }
})

test('whatever has a type is about agents, and so is all of a known sender', () => {
  const about = (span: TestSpan, origin?: TestOrigin) => mapped({ ...CHILD, ...span }, origin).isAboutAgents
  assert.equal(about({ attributes: { 'span.type': 'tool' } }), true)
  assert.equal(about({ attributes: { tool_name: 'run', call_id: 'c1' }, name: 'run' }), true)
  assert.equal(about({ attributes: { 'genkit:name': 'x' } }), true)
  assert.equal(about({}, { scope: { name: 'gcp.vertex.agent' } }), true)
  // Of Codex, which sends many of these.
  assert.equal(about({ name: 'fs.read_file' }, { scope: { name: 'codex_exec' } }), false)
  assert.equal(about({ attributes: { 'conversation.id': 's1', 'span.type': 'web' } }), false)
})

test('models of calls', () => {
  const model = (attributes: TestSpan['attributes']) => mapped({ ...CHILD, attributes: attributes! }).step.model
  assert.equal(model({ 'genkit:metadata:subtype': 'model', 'genkit:name': 'googleai/g' }), 'googleai/g')
  assert.equal(model({ 'genkit:metadata:subtype': 'tool', 'genkit:name': 'weather' }), null)
  assert.equal(model({ 'span.type': 'llm', 'llm.model': 'gpt-5' }), 'gpt-5')
})

test('tools are named on steps of tools only', () => {
  const nameOf = (attributes: TestSpan['attributes']) =>
    mapped({ ...CHILD, name: 'chat gpt-5', attributes: attributes! }).step.name
  assert.equal(nameOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.tool.name': 'weather' }), 'chat gpt-5')
  assert.equal(nameOf({ 'tool.name': 'weather' }), 'chat gpt-5')
  assert.equal(nameOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' }), 'weather')
  assert.equal(nameOf({ 'openinference.span.kind': 'TOOL', 'tool.name': 'weather' }), 'weather')
})

test('the root names the trace; of others, those that a person has named come first', () => {
  const ranked = (spans: readonly TestSpan[]) =>
    spans.map((span) => mapped(span).facts).sort((a, b) => a.nameRank - b.nameRank)[0]!.name
  const langsmith = (name: string) => ({ name, attributes: { 'langsmith.trace.name': name } })
  assert.equal(ranked([{ ...CHILD, ...langsmith('ChatOpenAI') }, langsmith('my-agent')]), 'my-agent')
  const nested = { ...CHILD, name: 'query', attributes: { 'traceloop.workflow.name': 'query_engine' } }
  assert.equal(ranked([nested, { name: 'w', attributes: { 'traceloop.workflow.name': 'rag' } }]), 'rag')
  assert.equal(ranked([nested, { name: 'my run' }]), 'my run')
  assert.equal(ranked([{ ...CHILD, name: 'GET' }, nested]), 'query_engine')
  assert.equal(ranked([{ ...CHILD, attributes: { 'langfuse.trace.name': 'shop' } }, { name: 'root' }]), 'shop')
})

test('a root that is called alike in all traces leaves its name to a span below, or to the prompt', () => {
  const ranks = [
    { ...CHILD, name: 'run', attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'weather' } },
    { ...CHILD, name: 'call_llm' },
    { name: 'invocation' },
  ].map((span) => mapped(span).facts.nameRank)
  assert.deepEqual(ranks, ranks.toSorted())
  const prompt = (text: string) =>
    mapped({ name: 'claude_code.interaction', attributes: { user_prompt: text } }).facts.name
  assert.equal(prompt('\nMend the test.\nIt fails.'), 'Mend the test.')
  assert.equal(prompt('<REDACTED>'), 'claude_code.interaction')
})

const THROWN = {
  'exception.type': 'TypeError',
  'exception.message': 'broken',
  'exception.stacktrace': 'TypeError: broken\n    at run',
}
const thrown = (ms: number, more: object = {}) => [
  { name: 'exception', timeUnixNano: ns(ms), attributes: { ...THROWN, ...more } },
]

test('a span that an exception has ended has failed, though its status does not say so', () => {
  const status = (span: TestSpan, scope = '') =>
    mapped({ startTimeUnixNano: ns(0), endTimeUnixNano: ns(10), ...span }, { scope: { name: scope } }).step.status
  assert.equal(status({ events: thrown(10) }), 'error')
  assert.equal(status({ events: thrown(9) }), 'error')
  assert.equal(status({ events: thrown(5) }), null)
  assert.equal(status({ events: [...thrown(5), ...thrown(10)] }), 'error')
  assert.equal(status({ events: [...thrown(10), ...thrown(5)] }), null)
  for (const handled of [false, 'False'])
    assert.equal(status({ events: thrown(10, { 'exception.escaped': handled }) }), null)
  assert.equal(status({ events: thrown(10, { 'exception.escaped': 'True' }) }), 'error')
  assert.equal(status({ events: thrown(10), status: { code: 1 } }), 'ok')
  assert.equal(status({ events: thrown(5), status: { code: 1 } }, 'langsmith'), 'error')
  assert.equal(status({ events: thrown(5) }, 'lmnr.tracer'), 'error')
  assert.equal(status({ attributes: { 'error.type': 'timeout' } }), 'error')
  assert.equal(status({ attributes: { 'error.type': 'timeout' }, status: { code: 1 } }), 'ok')
})

test('an error has its stack, and the metadata has it no more', () => {
  const { body } = mapped({ events: thrown(1), status: { code: 2, message: 'broken' } })
  assert.deepEqual(body['error'], { type: 'TypeError', message: 'broken', stack: THROWN['exception.stacktrace'] })
  assert.deepEqual(body['metadata']!['otel.events'], [
    {
      name: 'exception',
      time_unix_nano: ns(1),
      attributes: { 'exception.type': 'TypeError', 'exception.message': 'broken' },
    },
  ])
  // JavaScript's SDK writes the code of an error as its type.
  const ofCode = { ...THROWN, 'exception.type': '404' }
  const events = [{ name: 'exception', timeUnixNano: ns(1), attributes: ofCode }]
  assert.equal(mapped({ events, status: { code: 2 } }).body['error']?.['type'], 'TypeError')
  for (const [told, type, message] of [
    ['Error: broken\n\nError: broken', 'Error', 'broken'],
    ['no such city\n\nRangeError: no such city', 'RangeError', 'no such city'],
    ['no\n\ncity\n\nRangeError: no\n\ncity', 'RangeError', 'no\n\ncity'],
    ['TypeError: broken', 'TypeError', 'broken'],
  ] as const) {
    const { error } = mapped({ status: { code: 2, message: `${told}\n    at run (a.js:1)` } }).body
    const stack = `${type}: ${message}\n    at run (a.js:1)`
    assert.deepEqual(error, { type, message, stack })
  }
})

test('metadata is what people have set; session and user come from wherever a sender has them', () => {
  const facts = (attributes: TestSpan['attributes'], resource: TestOrigin['resource'] = {}) => {
    const { metadata, sessionId, userId } = mapped({ attributes: attributes! }, { resource }).facts
    return { metadata, sessionId, userId }
  }
  assert.deepEqual(
    facts({
      'lmnr.association.properties.metadata.plan': 'pro',
      'lmnr.association.properties.trace_type': 'DEFAULT',
      'lmnr.association.properties.user_id': 'u1',
    }),
    { metadata: { plan: 'pro' }, sessionId: null, userId: 'u1' },
  )
  assert.deepEqual(
    facts({
      'langsmith.metadata.plan': 'pro',
      'langsmith.metadata.user_id': 'u1',
      'langsmith.metadata.ls_provider': 'openai',
      'langsmith.metadata.LANGSMITH_TRACING': 'true',
      'langsmith.metadata.usage_metadata': '{}',
      'langsmith.span.tags': 'beta, eu',
    }),
    { metadata: { tags: ['beta', 'eu'], plan: 'pro' }, sessionId: null, userId: 'u1' },
  )
  assert.deepEqual(facts({ metadata: '{"thread_id":7,"user_id":"u1","langgraph_step":1}' }), {
    metadata: { thread_id: 7, user_id: 'u1' },
    sessionId: '7',
    userId: 'u1',
  })
  assert.deepEqual(
    facts({}, { 'session.id': 's1', 'user.id': 'u1', 'service.name': 'unknown_service:node', 'service.version': '2' }),
    { metadata: { version: '2' }, sessionId: 's1', userId: 'u1' },
  )
  assert.equal(facts({ 'session.id': 's2' }, { 'session.id': 's1' }).sessionId, 's2')
  for (const name of ['conversation.id', 'gcp.vertex.agent.session_id', 'genkit:sessionId', 'mlflow.trace.session'])
    assert.equal(facts({ [name]: 's1' }).sessionId, 's1')
})

test('an attribute without a value is absent, in both encodings', () => {
  const json = exportJson([{ attributes: { 'session.id': null, a: [null], b: { c: null } } }])
  for (const [bytes, encoding] of [
    [Buffer.from(JSON.stringify(json)), 'json'],
    [toProtobuf(json), 'protobuf'],
  ] as const) {
    const { step } = parseExport(PROJECT, bytes, encoding, DEFAULT_LIMITS).spans[0]!
    const { metadata } = JSON.parse(step.body.toString()) as { readonly metadata: object }
    assert.deepEqual(metadata, { 'otel.span_id': spanId(1), a: [null], b: { c: null } })
  }
})

test('messages of several events of details are all there, in their order', () => {
  const said = (role: string, text: string) => JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }])
  const { body } = mapped({
    attributes: { 'gen_ai.operation.name': 'chat' },
    events: [
      { 'gen_ai.input.messages': said('user', 'one') },
      { 'gen_ai.system_instructions': 'Be brief.', 'gen_ai.input.messages': said('user', 'two') },
      { 'gen_ai.output.messages': said('assistant', 'three') },
      { 'gen_ai.output.messages': said('assistant', 'four') },
    ].map((attributes) => ({ name: 'gen_ai.client.inference.operation.details', attributes })),
  })
  const messages = body['messages'] as unknown as readonly { readonly content: readonly { readonly text: string }[] }[]
  assert.deepEqual(
    messages.map(({ content }) => content[0]!.text),
    ['Be brief.', 'one', 'two', 'three', 'four'],
  )
})
