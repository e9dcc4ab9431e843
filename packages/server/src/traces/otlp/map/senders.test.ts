import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { PreparedSpan } from '../../../ports/traces/prepared.ts'
import { PROJECT } from '../../trace-builders.test-support.ts'
import { exportJson, spanId, type TestOrigin, type TestSpan } from '../spans.test-support.ts'
import { parseExport } from '../parse-export.ts'

/**
 * One span of each sender, as it sends it, and what becomes of it: fields of the step, its messages, usage, error and
 * metadata (without what every span has), and what it says about its trace.
 */
interface Golden {
  readonly span: TestSpan
  readonly origin?: TestOrigin
  readonly step: { readonly name: string; readonly type: string; readonly model?: string; readonly status?: string }
  readonly messages?: readonly unknown[]
  readonly usage?: Readonly<Record<string, number>>
  readonly error?: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly trace?: Partial<PreparedSpan['facts']>
}

const text = (role: string, ...texts: readonly string[]) => ({
  role,
  content: texts.map((one) => ({ type: 'text', text: one })),
})

const data = (role: string, value: unknown) => ({ role, content: [{ type: 'data', data: value }] })

const CHILD = { parentSpanId: spanId(9) }

const ASKED_WITH_PICTURE =
  '{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}'

const REASONED = {
  input:
    '[{"role":"user","content":"Hi"},{"type":"reasoning","content":[{"type":"input_text","text":"Hm."}]},{"type":"function_call","callId":"c1","name":"get","arguments":"{}"}]',
  output:
    '{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"So."}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Ho"}]}]}',
}

const GOLDEN: Readonly<Record<string, Golden>> = {
  'gen_ai, structured messages (1.37 and later), an agent as root': {
    span: {
      name: 'invoke_agent Weather',
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'Weather',
        'gen_ai.provider.name': 'openai',
        'gen_ai.conversation.id': 'conv-1',
        'gen_ai.usage.input_tokens': 500,
        'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Weather?"}]}]',
        'gen_ai.output.messages': [
          {
            role: 'assistant',
            parts: [
              { type: 'tool_call', id: 'c1', name: 'get', arguments: { city: 'Bern' } },
              { type: 'text', content: 'Sun' },
            ],
            finish_reason: 'stop',
          },
        ],
      },
    },
    step: { name: 'invoke_agent Weather', type: 'agent' },
    messages: [
      text('system', 'Be brief.'),
      text('user', 'Weather?'),
      {
        role: 'assistant',
        content: [
          { type: 'tool_call', id: 'c1', name: 'get', arguments: { city: 'Bern' } },
          { type: 'text', text: 'Sun' },
        ],
        finish_reason: 'stop',
      },
    ],
    // What the steps below say of it counts there; see usage-tree.ts.
    usage: { input: 500, output: 0 },
    metadata: {
      'otel.kind': 'client',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'Weather',
      'gen_ai.provider.name': 'openai',
    },
    trace: { isRoot: true, name: 'Weather', nameRank: 3, runType: 'agent', sessionId: 'conv-1' },
  },
  'gen_ai, messages in the event of details': {
    span: {
      ...CHILD,
      name: 'chat gpt-5',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.usage.input_tokens': 30,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 20,
        'gen_ai.usage.cache_write.input_tokens': 5,
        'gen_ai.usage.reasoning.output_tokens': 3,
        'gen_ai.usage.made_up_tokens': 1000,
      },
      events: [
        {
          name: 'gen_ai.client.inference.operation.details',
          attributes: {
            'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }],
            'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Ho"}]}]',
          },
        },
      ],
    },
    step: { name: 'chat gpt-5', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 30, output: 7, cache_read: 20, cache_write: 5, reasoning: 3 },
    metadata: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.made_up_tokens': 1000 },
    trace: { isRoot: false, name: 'chat gpt-5', nameRank: 5, runType: null },
  },
  'gen_ai, messages as events (1.28 to 1.36), usage by old names': {
    span: {
      ...CHILD,
      name: 'chat claude',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.model': 'claude-5',
        'gen_ai.usage.prompt_tokens': 4,
        'gen_ai.usage.completion_tokens': 6,
        // More than the input: the sender has left cached tokens out of it.
        'gen_ai.usage.cache_read_input_tokens': 100,
        'gen_ai.usage.cache_creation_input_tokens': 10,
      },
      events: [
        { name: 'gen_ai.system.message', attributes: { content: 'Be brief.', 'gen_ai.system': 'anthropic' } },
        { name: 'gen_ai.user.message', attributes: { content: 'Hi' } },
        {
          name: 'gen_ai.choice',
          attributes: { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Ho' } },
        },
      ],
    },
    step: { name: 'chat claude', type: 'llm', model: 'claude-5' },
    messages: [
      text('system', 'Be brief.'),
      text('user', 'Hi'),
      { index: 0, finish_reason: 'stop', ...text('assistant', 'Ho') },
    ],
    usage: { input: 114, output: 6, cache_read: 100, cache_write: 10 },
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'gen_ai, a tool': {
    span: {
      ...CHILD,
      name: 'execute_tool pay',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'pay',
        'gen_ai.tool.call.arguments': '{"amount":3}',
        'gen_ai.tool.call.result': 'done',
        'error.type': 'TimeoutError',
      },
      status: { code: 2, message: 'too slow' },
    },
    step: { name: 'pay', type: 'tool', status: 'error' },
    messages: [{ role: 'assistant', content: [{ type: 'data', data: { amount: 3 } }] }, text('tool', 'done')],
    error: { type: 'TimeoutError', message: 'too slow' },
    metadata: { 'gen_ai.operation.name': 'execute_tool' },
  },
  'AI SDK, a model call': {
    span: {
      ...CHILD,
      name: 'ai.generateText.doGenerate',
      attributes: {
        'operation.name': 'ai.generateText.doGenerate answer',
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.id': 'gpt-5',
        'ai.response.model': 'gpt-5-2026',
        'ai.telemetry.functionId': 'answer',
        'ai.telemetry.metadata.userId': 'u1',
        'ai.telemetry.metadata.sessionId': 's1',
        'ai.telemetry.metadata.plan': 'pro',
        'ai.prompt.messages': '[{"role":"user","content":[{"type":"text","text":"Hi"}]}]',
        'ai.response.text': 'Ho',
        'ai.response.toolCalls': '[{"toolCallId":"c1","toolName":"get","input":"{}"}]',
        'ai.usage.inputTokens': 10,
        'ai.usage.outputTokens': 5,
        'ai.usage.cachedInputTokens': 4,
        'ai.usage.reasoningTokens': 2,
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
      },
    },
    step: { name: 'ai.generateText.doGenerate', type: 'llm', model: 'gpt-5-2026' },
    messages: [
      text('user', 'Hi'),
      { ...text('assistant', 'Ho'), tool_calls: [{ toolCallId: 'c1', toolName: 'get', input: '{}' }] },
    ],
    usage: { input: 10, output: 5, cache_read: 4, reasoning: 2 },
    metadata: {
      'operation.name': 'ai.generateText.doGenerate answer',
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.id': 'gpt-5',
      'ai.telemetry.functionId': 'answer',
      'ai.usage.inputTokens': 10,
      'ai.usage.outputTokens': 5,
    },
    trace: { name: 'answer', userId: 'u1', sessionId: 's1', metadata: { plan: 'pro' } },
  },
  'AI SDK, the function around the model calls': {
    span: {
      name: 'ai.generateText',
      attributes: {
        'ai.operationId': 'ai.generateText',
        'ai.telemetry.functionId': 'answer',
        'ai.prompt': '{"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]}',
        'ai.response.text': 'Ho',
        'ai.usage.inputTokens': 20,
      },
    },
    step: { name: 'ai.generateText', type: 'chain' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: {
      'ai.operationId': 'ai.generateText',
      'ai.telemetry.functionId': 'answer',
    },
    usage: { input: 20, output: 0 },
    trace: { name: 'answer', nameRank: 3 },
  },
  'AI SDK, a tool': {
    span: {
      ...CHILD,
      name: 'ai.toolCall',
      attributes: {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'weather',
        'ai.toolCall.id': 'c1',
        'ai.toolCall.args': '{"city":"Bern"}',
        'ai.toolCall.result': '"sun"',
      },
    },
    step: { name: 'weather', type: 'tool' },
    messages: [
      { role: 'assistant', content: [{ type: 'data', data: { city: 'Bern' } }] },
      { ...text('tool', 'sun'), tool_call_id: 'c1' },
    ],
    metadata: { 'ai.operationId': 'ai.toolCall' },
  },
  'AI SDK, a tool without a result keeps the id in the metadata': {
    span: {
      ...CHILD,
      name: 'ai.toolCall',
      attributes: { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'weather', 'ai.toolCall.id': 'c1' },
    },
    step: { name: 'weather', type: 'tool' },
    metadata: { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.id': 'c1' },
  },
  'OpenInference, a model call': {
    span: {
      ...CHILD,
      name: 'ChatCompletion',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'gpt-5',
        'llm.token_count.prompt': 12,
        'llm.token_count.completion': 3,
        'llm.token_count.total': 15,
        'llm.token_count.prompt_details.cache_read': 8,
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief.',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.contents.0.message_content.type': 'text',
        'llm.input_messages.1.message.contents.0.message_content.text': 'What is this?',
        'llm.input_messages.1.message.contents.1.message_content.type': 'image',
        'llm.input_messages.1.message.contents.1.message_content.image.image.url': 'https://a.b/c.png',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{}',
        'session.id': 's1',
        'user.id': 'u1',
        metadata: '{"plan":"pro"}',
        'tag.tags': ['a', 'b'],
        'input.value': '{"model":"gpt-5"}',
        'input.mime_type': 'application/json',
      },
    },
    step: { name: 'ChatCompletion', type: 'llm', model: 'gpt-5' },
    messages: [
      text('system', 'Be brief.'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', url: 'https://a.b/c.png' },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'get', arguments: '{}' } }] },
    ],
    usage: { input: 12, output: 3, cache_read: 8 },
    metadata: {
      'openinference.span.kind': 'LLM',
      'llm.token_count.total': 15,
      'input.value': '{"model":"gpt-5"}',
      'input.mime_type': 'application/json',
    },
    trace: { sessionId: 's1', userId: 'u1', metadata: { plan: 'pro', tags: ['a', 'b'] } },
  },
  'OpenInference, a retriever': {
    span: {
      ...CHILD,
      name: 'retrieve',
      attributes: {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'query',
        'retrieval.documents.0.document.content': 'text',
        'retrieval.documents.0.document.id': 'd1',
        'retrieval.documents.0.document.score': 0.5,
        'retrieval.documents.0.document.metadata': '{"page":2}',
      },
    },
    step: { name: 'retrieve', type: 'retrieval' },
    messages: [
      text('user', 'query'),
      {
        role: 'tool',
        content: [{ type: 'document', id: 'd1', text: 'text', score: 0.5, metadata: { page: 2 } }],
      },
    ],
    metadata: { 'openinference.span.kind': 'RETRIEVER' },
  },
  'OpenLLMetry, a model call': {
    span: {
      ...CHILD,
      name: 'openai.chat',
      kind: 3,
      attributes: {
        'llm.request.type': 'chat',
        'gen_ai.system': 'OpenAI',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.response.model': 'gpt-5-2026',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Hi',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'Ho',
        'gen_ai.completion.0.finish_reason': 'stop',
        'gen_ai.completion.0.tool_calls.0.name': 'get',
        'gen_ai.usage.input_tokens': 9,
        'gen_ai.usage.output_tokens': 2,
        'llm.usage.total_tokens': 11,
        'traceloop.workflow.name': 'joke',
        'traceloop.association.properties.session_id': 's1',
        'traceloop.association.properties.user_id': 'u1',
        'traceloop.association.properties.plan': 'pro',
      },
    },
    step: { name: 'openai.chat', type: 'llm', model: 'gpt-5-2026' },
    messages: [
      text('user', 'Hi'),
      { ...text('assistant', 'Ho'), finish_reason: 'stop', tool_calls: [{ name: 'get' }] },
    ],
    usage: { input: 9, output: 2 },
    metadata: {
      'otel.kind': 'client',
      'llm.request.type': 'chat',
      'gen_ai.system': 'OpenAI',
      'gen_ai.request.model': 'gpt-5',
      'llm.usage.total_tokens': 11,
    },
    trace: { name: 'joke', nameRank: 4, sessionId: 's1', userId: 'u1', metadata: { plan: 'pro' } },
  },
  'OpenLLMetry, a workflow': {
    span: {
      name: 'joke.workflow',
      attributes: {
        'traceloop.span.kind': 'workflow',
        'traceloop.entity.name': 'joke',
        'traceloop.workflow.name': 'joke',
        'traceloop.entity.input': '{"args":[],"kwargs":{"topic":"cats"}}',
        'traceloop.entity.output': '"miau"',
      },
    },
    step: { name: 'joke', type: 'chain' },
    messages: [{ role: 'user', content: [{ type: 'data', data: { topic: 'cats' } }] }, text('assistant', 'miau')],
    metadata: { 'traceloop.span.kind': 'workflow' },
    trace: { name: 'joke', runType: 'workflow' },
  },
  'Langfuse SDK, a generation': {
    span: {
      ...CHILD,
      name: 'answer',
      attributes: {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.model.name': 'gpt-5',
        'langfuse.observation.input': '[{"role":"user","content":"Hi"}]',
        'langfuse.observation.output': '{"role":"assistant","content":"Ho"}',
        'langfuse.observation.usage_details':
          '{"input":5,"output":4,"input_cached_tokens":7,"output_reasoning_tokens":2,"total":18}',
        'langfuse.observation.metadata.try': 1,
        'langfuse.trace.name': 'checkout',
        'langfuse.trace.tags': ['a'],
        'langfuse.trace.metadata.plan': 'pro',
        'langfuse.environment': 'staging',
        'langfuse.release': 'v9',
        'session.id': 's1',
        'user.id': 'u1',
      },
    },
    step: { name: 'answer', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 12, output: 6, cache_read: 7, reasoning: 2 },
    metadata: { 'langfuse.observation.type': 'generation', 'langfuse.observation.metadata.try': 1 },
    trace: {
      name: 'checkout',
      nameRank: 0,
      sessionId: 's1',
      userId: 'u1',
      metadata: { env: 'staging', 'langfuse.release': 'v9', tags: ['a'], plan: 'pro' },
    },
  },
  'Langfuse SDK, an error and an experiment': {
    span: {
      name: 'run',
      attributes: {
        'langfuse.observation.type': 'span',
        'langfuse.observation.level': 'ERROR',
        'langfuse.observation.status_message': 'gone',
        'langfuse.experiment.id': 'e1',
      },
    },
    step: { name: 'run', type: 'other', status: 'error' },
    error: { message: 'gone' },
    metadata: {
      'langfuse.observation.type': 'span',
      'langfuse.observation.level': 'ERROR',
      'langfuse.experiment.id': 'e1',
    },
    trace: { name: 'run', runType: 'eval' },
  },
  'OpenAI Agents, by the conventions of generative AI': {
    span: {
      ...CHILD,
      name: 'response',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.prompt': '[{"role":"user","content":"Hi"}]',
        'gen_ai.usage.input_tokens': '12',
        'gen_ai.usage.output_tokens': 2n,
      },
      events: [
        { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': '[{"role":"user","content":"Hi"}]' } },
        { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': 'Ho' } },
      ],
    },
    step: { name: 'response', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 12, output: 2 },
    metadata: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.prompt': '[{"role":"user","content":"Hi"}]',
    },
  },
  'Claude Code, a model call': {
    span: {
      ...CHILD,
      name: 'claude_code.llm_request',
      attributes: {
        'session.id': 's1',
        'user.id': 'u1',
        model: 'claude-opus-5',
        input_tokens: 6,
        output_tokens: 50,
        cache_read_tokens: 3,
        cache_creation_tokens: 1,
        speed: 'fast',
      },
    },
    step: { name: 'claude_code.llm_request', type: 'llm', model: 'claude-opus-5' },
    usage: { input: 10, output: 50, cache_read: 3, cache_write: 1 },
    metadata: { speed: 'fast' },
    trace: { sessionId: 's1', userId: 'u1' },
  },
  'Claude Code, a tool': {
    span: { ...CHILD, name: 'claude_code.tool', attributes: { tool_name: 'Bash', success: true } },
    step: { name: 'Bash', type: 'tool' },
    metadata: { success: true },
  },
  'Mastra, a model call': {
    span: {
      ...CHILD,
      name: 'chat gpt-5',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Ho"}]}]',
        'gen_ai.usage.input_tokens': 8,
        'gen_ai.usage.output_tokens': 3,
        'mastra.span.type': 'model_generation',
      },
    },
    origin: { scope: { name: '@mastra/otel-exporter', version: '1.0.0' } },
    step: { name: 'chat gpt-5', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 8, output: 3 },
    metadata: {
      'otel.scope.name': '@mastra/otel-exporter',
      'otel.scope.version': '1.0.0',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'mastra.span.type': 'model_generation',
    },
  },
  'Mastra, an agent, below a span of HTTP': {
    span: {
      ...CHILD,
      name: 'invoke_agent forecast',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'forecast',
        'gen_ai.conversation.id': 'thread-7',
        'gen_ai.system_instructions': 'Be brief.',
        'mastra.span.type': 'agent_run',
        'mastra.agent_run.input': 'Hi',
        'mastra.agent_run.output': '{"text":"Ho","files":[],"object":{"mood":"good"}}',
        'mastra.metadata.userId': 'user-7',
        'mastra.metadata.resourceId': 'resource-7',
        'mastra.metadata.sessionId': 'session-7',
        'mastra.metadata.plan': 'pro',
        'mastra.metadata.runId': 'run-7',
        'mastra.tags': '["a","b"]',
      },
    },
    step: { name: 'invoke_agent forecast', type: 'agent' },
    messages: [
      text('system', 'Be brief.'),
      text('user', 'Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Ho' },
          { type: 'data', data: { object: { mood: 'good' } } },
        ],
      },
    ],
    metadata: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'forecast',
      'gen_ai.conversation.id': 'thread-7',
      'mastra.span.type': 'agent_run',
      'mastra.metadata.runId': 'run-7',
    },
    trace: {
      sessionId: 'session-7',
      userId: 'user-7',
      metadata: { tags: ['a', 'b'], plan: 'pro', resourceId: 'resource-7' },
    },
  },
  'Mastra, a turn of its loop': {
    span: {
      ...CHILD,
      name: 'agent_step forecast',
      attributes: {
        'gen_ai.operation.name': 'agent_step',
        'mastra.span.type': 'model_step',
        'mastra.model_step.input': '[{"role":"user","content":"Hi"}]',
        'mastra.model_step.output': '{"text":"","toolCalls":[{"toolCallId":"c1","toolName":"find","args":{"a":1}}]}',
        'mastra.metadata.userId': 'user-7',
        'mastra.metadata.headers': '{"date":"today"}',
      },
    },
    step: { name: 'agent_step forecast', type: 'agent' },
    messages: [
      text('user', 'Hi'),
      {
        role: 'assistant',
        content: [],
        tool_calls: [{ toolCallId: 'c1', toolName: 'find', args: { a: 1 } }],
      },
    ],
    metadata: {
      'gen_ai.operation.name': 'agent_step',
      'mastra.span.type': 'model_step',
      'mastra.metadata.headers': '{"date":"today"}',
    },
    trace: { userId: 'user-7' },
  },
  'instructions beside an input in another form, which has them too': {
    span: {
      ...CHILD,
      name: 'chat',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system_instructions': 'Be brief.',
        'langfuse.observation.input': '[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]',
        'langfuse.observation.output': 'Ho',
      },
    },
    step: { name: 'chat', type: 'llm' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'instructions beside events, one of which is a plain text': {
    span: {
      ...CHILD,
      name: 'chat',
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.system_instructions': 'Be brief.' },
      events: [
        { name: 'gen_ai.user.message', attributes: { content: 'Hi' } },
        { name: 'gen_ai.choice', attributes: { index: 0, message: 'Ho' } },
      ],
    },
    step: { name: 'chat', type: 'llm' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi'), { index: 0, ...text('assistant', 'Ho') }],
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'an output with a text and lists of its own': {
    span: {
      ...CHILD,
      name: 'look up',
      attributes: {
        'openinference.span.kind': 'RETRIEVER',
        'output.value': '{"text":"nothing","documents":[],"score":0}',
        'ai.telemetry.metadata.userId': 42,
      },
    },
    step: { name: 'look up', type: 'retrieval' },
    messages: [{ role: 'assistant', content: [{ type: 'data', data: { text: 'nothing', documents: [], score: 0 } }] }],
    metadata: { 'openinference.span.kind': 'RETRIEVER' },
    trace: { userId: '42' },
  },
  'Strands, an event of details for each part': {
    span: {
      ...CHILD,
      name: 'chat',
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        { 'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]' },
        { 'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]' },
        { 'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Ho"}]}]' },
      ].map((attributes) => ({ name: 'gen_ai.client.inference.operation.details', attributes })),
    },
    step: { name: 'chat', type: 'llm' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'Strands, a tool': {
    span: {
      ...CHILD,
      name: 'execute_tool weather',
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' },
      events: [
        { name: 'gen_ai.tool.message', attributes: { role: 'tool', content: '{"city":"Bern"}', id: 'c1' } },
        { name: 'gen_ai.choice', attributes: { message: '[{"json":{"sky":"blue"}}]', id: 'c1' } },
      ],
    },
    step: { name: 'weather', type: 'tool' },
    messages: [data('assistant', { city: 'Bern' }), data('tool', { sky: 'blue' })],
    metadata: { 'gen_ai.operation.name': 'execute_tool' },
  },
  'Azure AI, the JSON of each message in its event': {
    span: {
      ...CHILD,
      name: 'chat',
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        { name: 'gen_ai.user.message', attributes: { 'gen_ai.event.content': '{"role":"user","content":"Hi"}' } },
        { name: 'gen_ai.choice', attributes: { 'gen_ai.event.content': '{"message":{"content":"Ho"},"index":0}' } },
      ],
    },
    step: { name: 'chat', type: 'llm' },
    messages: [text('user', 'Hi'), { index: 0, ...text('assistant', 'Ho') }],
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'OpenInference, only the whole answer of a provider': {
    span: {
      ...CHILD,
      name: 'invoke',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Hi',
        'output.value':
          '{"id":"x","choices":[{"message":{"role":"assistant","content":"Ho","tool_calls":[{"id":"c1","function":{"name":"get","arguments":"{}"}}]}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
      },
    },
    step: { name: 'invoke', type: 'llm' },
    messages: [
      text('user', 'Hi'),
      { ...text('assistant', 'Ho'), tool_calls: [{ id: 'c1', function: { name: 'get', arguments: '{}' } }] },
    ],
    usage: { input: 3, output: 4 },
    // What became no message stays.
    metadata: {
      'openinference.span.kind': 'LLM',
      'output.value': { id: 'x', usage: { prompt_tokens: 3, completion_tokens: 4 } },
    },
  },
  'OpenInference, messages that have lost a result and the system prompt': {
    span: {
      ...CHILD,
      name: 'converse',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'input.value':
          '{"modelId":"m","system":[{"text":"Be brief."}],"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":{"sky":"blue"}}]}}]}]}',
      },
    },
    step: { name: 'converse', type: 'llm' },
    messages: [
      text('system', 'Be brief.'),
      {
        role: 'user',
        content: [{ type: 'tool_call_response', id: 'c1', response: [{ type: 'data', data: { sky: 'blue' } }] }],
      },
    ],
    metadata: {
      'openinference.span.kind': 'LLM',
      'input.value':
        '{"modelId":"m","system":[{"text":"Be brief."}],"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":{"sky":"blue"}}]}}]}]}',
    },
  },
  'OpenInference for OpenAI Agents, reasoning without a role and answers without it': {
    span: {
      ...CHILD,
      name: 'response',
      attributes: {
        'openinference.span.kind': 'LLM',
        'input.value': REASONED.input,
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief.',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.content': 'Hi',
        'llm.input_messages.2.message.contents.0.message_content.text': 'Hm.',
        'llm.input_messages.3.message.role': 'assistant',
        'llm.input_messages.3.message.tool_calls.0.tool_call.id': 'c1',
        'output.value': REASONED.output,
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'Ho',
      },
    },
    step: { name: 'response', type: 'llm' },
    messages: [
      text('system', 'Be brief.'),
      text('user', 'Hi'),
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'get', arguments: {} }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'So.' }] },
      text('assistant', 'Ho'),
    ],
    metadata: { 'openinference.span.kind': 'LLM', 'input.value': REASONED.input, 'output.value': REASONED.output },
  },
  'OpenInference, a message without a role and no request beside it': {
    span: {
      ...CHILD,
      name: 'response',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.invocation_parameters': '{"system":"Be brief."}',
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief.',
        'llm.input_messages.1.message.content': 'Hi',
      },
    },
    step: { name: 'response', type: 'llm' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi')],
    metadata: { 'openinference.span.kind': 'LLM', 'llm.invocation_parameters': '{"system":"Be brief."}' },
  },
  'OpenInference, an embedding and a reranker': {
    span: {
      ...CHILD,
      name: 'rerank',
      attributes: {
        'openinference.span.kind': 'RERANKER',
        'embedding.embeddings.0.embedding.text': 'sun',
        'embedding.embeddings.0.embedding.vector': [0.5],
        'reranker.output_documents.0.document.content': 'text',
        'reranker.output_documents.0.document.score': 0.5,
      },
    },
    step: { name: 'rerank', type: 'rerank' },
    messages: [text('user', 'sun'), { role: 'tool', content: [{ type: 'document', text: 'text', score: 0.5 }] }],
    metadata: { 'openinference.span.kind': 'RERANKER', 'embedding.embeddings.0.embedding.vector': [0.5] },
  },
  'AI SDK, reasoning': {
    span: {
      ...CHILD,
      name: 'ai.generateText.doGenerate',
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.response.text': 'Ho',
        'ai.response.reasoning': 'Hm',
      },
    },
    step: { name: 'ai.generateText.doGenerate', type: 'llm' },
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm' },
          { type: 'text', text: 'Ho' },
        ],
      },
    ],
    metadata: { 'ai.operationId': 'ai.generateText.doGenerate' },
  },
  'AI SDK, an embedding': {
    span: {
      ...CHILD,
      name: 'ai.embedMany.doEmbed',
      attributes: {
        'ai.operationId': 'ai.embedMany.doEmbed',
        'ai.values': ['"sun"', '"rain"'],
        'ai.embeddings': [1, 2].map((seed) => JSON.stringify(Array.from({ length: 1536 }, (_, at) => seed / (at + 1)))),
      },
    },
    step: { name: 'ai.embedMany.doEmbed', type: 'embedding' },
    messages: [text('user', 'sun', 'rain')],
    metadata: { 'ai.operationId': 'ai.embedMany.doEmbed', 'ai.embeddings': '2 × 1,536' },
  },
  'AI SDK, an embedding of one text, and one that is no vector': {
    span: {
      ...CHILD,
      name: 'ai.embed.doEmbed',
      attributes: {
        'ai.operationId': 'ai.embed.doEmbed',
        'ai.embedding': '[0.5,0.25]',
        'ai.embeddings': ['[0.5,"x"]'],
      },
    },
    step: { name: 'ai.embed.doEmbed', type: 'embedding' },
    metadata: { 'ai.operationId': 'ai.embed.doEmbed', 'ai.embedding': '1 × 2', 'ai.embeddings': ['[0.5,"x"]'] },
  },
  'OpenInference, an embedding': {
    span: {
      ...CHILD,
      name: 'embed',
      attributes: {
        'openinference.span.kind': 'EMBEDDING',
        'embedding.embeddings.0.embedding.text': 'sun',
        'embedding.embeddings.0.embedding.vector': [0.5, 0.5],
        'embedding.embeddings.1.embedding.text': 'rain',
        'embedding.embeddings.1.embedding.vector': [0.5, 0.5, 0.5],
      },
    },
    step: { name: 'embed', type: 'embedding' },
    messages: [text('user', 'sun', 'rain')],
    metadata: { 'openinference.span.kind': 'EMBEDDING', 'embedding.embeddings': '1 × 2, 1 × 3' },
  },
  'Pydantic AI, an agent': {
    span: {
      ...CHILD,
      name: 'agent run',
      attributes: {
        agent_name: 'a',
        'pydantic_ai.all_messages':
          '[{"role":"user","parts":[{"type":"text","content":"Hi"}]},{"role":"assistant","parts":[{"type":"text","content":"Ho"}]}]',
        final_result: 'Ho',
      },
    },
    step: { name: 'agent run', type: 'agent' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { agent_name: 'a', final_result: 'Ho' },
  },
  'Pydantic AI, a tool': {
    span: {
      ...CHILD,
      name: 'running tool',
      attributes: { 'gen_ai.tool.name': 'look', tool_arguments: '{"q":1}', tool_response: 'Bern' },
    },
    step: { name: 'look', type: 'tool' },
    messages: [data('assistant', { q: 1 }), text('tool', 'Bern')],
    metadata: {},
  },
  'Langfuse, input and output of the trace, instructions in the metadata': {
    span: {
      name: 'run',
      attributes: {
        'langfuse.trace.input': 'Hi',
        'langfuse.trace.output': 'Ho',
        'langfuse.observation.metadata.instructions': 'Be brief.',
      },
    },
    step: { name: 'run', type: 'other' },
    messages: [text('system', 'Be brief.'), text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: {},
  },
  'LangSmith, whole requests and answers': {
    span: {
      ...CHILD,
      name: 'ChatOpenAI',
      attributes: {
        'langsmith.span.kind': 'llm',
        'gen_ai.prompt': '{"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function"}]}',
        'gen_ai.completion': '{"choices":[{"message":{"role":"assistant","content":"Ho"}}]}',
        'langsmith.metadata.thread_id': 's1',
      },
    },
    step: { name: 'ChatOpenAI', type: 'llm' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { 'langsmith.span.kind': 'llm', 'gen_ai.prompt': { tools: [{ type: 'function' }] } },
    trace: { sessionId: 's1' },
  },
  'ADK, a model call': {
    span: {
      ...CHILD,
      name: 'call_llm',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gcp.vertex.agent.llm_request':
          '{"contents":[{"role":"user","parts":[{"text":"Hi"},{}]}],"config":{"systemInstruction":"Be brief."}}',
        'gcp.vertex.agent.llm_response':
          '{"content":{"role":"model","parts":[{"functionCall":{"name":"get","args":{"a":1}}}]}}',
      },
    },
    step: { name: 'call_llm', type: 'llm' },
    messages: [
      text('system', 'Be brief.'),
      text('user', 'Hi'),
      { role: 'model', content: [{ type: 'tool_call', name: 'get', arguments: { a: 1 } }] },
    ],
    metadata: {
      'gen_ai.operation.name': 'chat',
      'gcp.vertex.agent.llm_request': { config: { systemInstruction: 'Be brief.' } },
    },
  },
  'MLflow and Sentry, by their names': {
    span: {
      ...CHILD,
      name: 'chat',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'mlflow.spanInputs': '{"messages":[{"role":"user","content":"Hi"}]}',
        'gen_ai.response.text': '["Ho"]',
        'gen_ai.response.tool_calls': '[{"id":"c1","function":{"name":"get","arguments":"{}"}}]',
      },
    },
    step: { name: 'chat', type: 'llm' },
    messages: [
      text('user', 'Hi'),
      { ...text('assistant', 'Ho'), tool_calls: [{ id: 'c1', function: { name: 'get', arguments: '{}' } }] },
    ],
    metadata: { 'gen_ai.operation.name': 'chat' },
  },
  'Braintrust, a model call': {
    span: {
      ...CHILD,
      name: 'Chat Completion',
      attributes: {
        'braintrust.span_attributes': '{"type":"llm"}',
        'braintrust.input_json': '[{"role":"user","content":"Hi"}]',
        'braintrust.output_json': '[{"index":0,"message":{"role":"assistant","content":"Ho"}}]',
        'braintrust.metrics':
          '{"prompt_tokens":30,"completion_tokens":9,"tokens":39,"prompt_cached_tokens":20,"completion_reasoning_tokens":4}',
        'braintrust.metadata': '{"provider":"openai","model":"gpt-5"}',
        'braintrust.tags': ['a'],
      },
    },
    step: { name: 'Chat Completion', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), { ...text('assistant', 'Ho'), index: 0 }],
    usage: { input: 30, output: 9, cache_read: 20, reasoning: 4 },
    metadata: {
      'braintrust.span_attributes': '{"type":"llm"}',
      'braintrust.metrics':
        '{"prompt_tokens":30,"completion_tokens":9,"tokens":39,"prompt_cached_tokens":20,"completion_reasoning_tokens":4}',
      'braintrust.metadata': '{"provider":"openai","model":"gpt-5"}',
    },
    trace: { metadata: { tags: ['a'] } },
  },
  'Braintrust, a model call in single attributes': {
    span: {
      ...CHILD,
      name: 'Chat Completion',
      attributes: {
        'braintrust.span_attributes': '{"type":"llm"}',
        'braintrust.input': '[{"role":"user","content":"Hi"}]',
        'braintrust.output': 'Ho',
        'braintrust.metrics.prompt_tokens': 30,
        'braintrust.metrics.completion_tokens': 9,
        'braintrust.metrics.prompt_cached_tokens': 20,
        'braintrust.metrics.prompt_cache_creation_tokens': 5,
        'braintrust.metrics.completion_reasoning_tokens': 4,
        'braintrust.metadata.model': 'gpt-5',
      },
    },
    step: { name: 'Chat Completion', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 30, output: 9, cache_read: 20, cache_write: 5, reasoning: 4 },
    metadata: { 'braintrust.span_attributes': '{"type":"llm"}' },
  },
  'Opik, on a span of any instrumentation': {
    span: {
      ...CHILD,
      name: 'step',
      attributes: { 'opik.tags': 'a, b', 'opik.metadata.plan': 'pro', thread_id: 't1' },
    },
    step: { name: 'step', type: 'other' },
    metadata: {},
    trace: { sessionId: 't1', metadata: { tags: ['a', 'b'], plan: 'pro' } },
  },
  'VoltAgent, a tool': {
    span: {
      ...CHILD,
      name: 'tool.execution:weather',
      attributes: { 'span.type': 'tool', 'tool.name': 'weather', input: '{"city":"Bern"}', output: '{"sky":"blue"}' },
    },
    step: { name: 'weather', type: 'tool' },
    messages: [data('assistant', { city: 'Bern' }), data('tool', { sky: 'blue' })],
    metadata: { 'span.type': 'tool' },
  },
  'Genkit, a model call': {
    span: {
      ...CHILD,
      name: 'googleai/gemini',
      attributes: {
        'genkit:type': 'action',
        'genkit:metadata:subtype': 'model',
        'genkit:name': 'googleai/gemini',
        'genkit:input': '{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"config":{}}',
        'genkit:output':
          '{"message":{"role":"model","content":[{"toolRequest":{"name":"get","input":{"a":1}}}]},"usage":{"inputTokens":5,"outputTokens":2,"thoughtsTokens":3}}',
      },
    },
    step: { name: 'googleai/gemini', type: 'llm', model: 'googleai/gemini' },
    messages: [
      text('user', 'Hi'),
      { role: 'model', content: [{ type: 'tool_call', name: 'get', arguments: { a: 1 } }] },
    ],
    usage: { input: 5, output: 5, reasoning: 3 },
    metadata: {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'model',
      'genkit:input': { config: {} },
      'genkit:output': { usage: { inputTokens: 5, outputTokens: 2, thoughtsTokens: 3 } },
    },
  },
  'VoltAgent, whose attributes have bare names': {
    span: { ...CHILD, name: 'agent', attributes: { 'entity.type': 'agent', input: 'Hi', output: 'Ho' } },
    step: { name: 'agent', type: 'agent' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { 'entity.type': 'agent' },
  },
  'VoltAgent, a model call': {
    span: {
      ...CHILD,
      name: 'llm:generateText',
      attributes: {
        'span.type': 'llm',
        'entity.type': 'agent',
        'llm.model': 'gpt-5',
        'llm.messages': '[{"role":"user","content":"Hi"}]',
        'llm.usage.prompt_tokens': 9,
        'llm.usage.completion_tokens': 4,
        'llm.usage.total_tokens': 13,
        'llm.usage.cached_tokens': 6,
        'llm.usage.reasoning_tokens': 2,
        'usage.cost': 0.25,
        output: 'Ho',
      },
    },
    step: { name: 'llm:generateText', type: 'llm', model: 'gpt-5' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    usage: { input: 9, output: 4, cache_read: 6, reasoning: 2, cost_usd: 0.25 },
    metadata: { 'span.type': 'llm', 'entity.type': 'agent', 'llm.usage.total_tokens': 13, 'usage.cost': 0.25 },
  },
  'VoltAgent, an agent with the sum of its calls': {
    span: {
      ...CHILD,
      name: 'agent',
      attributes: {
        'entity.type': 'agent',
        'ai.model.name': 'gpt-5',
        'usage.prompt_tokens': 20,
        'usage.completion_tokens': 7,
        'usage.total_tokens': 27,
        'usage.cached_tokens': 12,
        'usage.reasoning_tokens': 3,
      },
    },
    step: { name: 'agent', type: 'agent', model: 'gpt-5' },
    usage: { input: 20, output: 7, cache_read: 12, reasoning: 3 },
    metadata: { 'entity.type': 'agent', 'usage.total_tokens': 27 },
  },
  'Sentry, cached tokens and reasoning': {
    span: {
      ...CHILD,
      name: 'chat gpt-5',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.usage.input_tokens': 30,
        'gen_ai.usage.input_tokens.cached': 20,
        'gen_ai.usage.input_tokens.cache_write': 5,
        'gen_ai.usage.output_tokens': 8,
        'gen_ai.usage.output_tokens.reasoning': 3,
        'gen_ai.usage.total_tokens': 38,
      },
    },
    step: { name: 'chat gpt-5', type: 'llm', model: 'gpt-5' },
    usage: { input: 30, output: 8, cache_read: 20, cache_write: 5, reasoning: 3 },
    metadata: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.total_tokens': 38 },
  },
  'Sentry, an embedding': {
    span: {
      ...CHILD,
      name: 'embeddings small',
      attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.embeddings.input': '["north","south"]' },
    },
    step: { name: 'embeddings small', type: 'embedding' },
    messages: [text('user', 'north', 'south')],
    metadata: { 'gen_ai.operation.name': 'embeddings' },
  },
  'Qwen Code, whose user and reasoning have names of their own': {
    span: {
      ...CHILD,
      name: 'qwen-code.llm_request',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.user.id': 'u1',
        'gen_ai.usage.output_tokens': 8,
        thoughts_token_count: 3,
      },
    },
    step: { name: 'qwen-code.llm_request', type: 'llm' },
    usage: { input: 0, output: 8, reasoning: 3 },
    metadata: { 'gen_ai.operation.name': 'chat' },
    trace: { userId: 'u1' },
  },
  'OpenLLMetry for LangChain, a tool': {
    span: {
      ...CHILD,
      name: 'execute_tool weather',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'traceloop.span.kind': 'task',
        'traceloop.entity.name': 'weather',
        'traceloop.entity.input': '{"args":["{\\"city\\":\\"Bern\\"}"]}',
        'traceloop.entity.output': '{"lc":1,"id":["ToolMessage"],"kwargs":{"content":"sun","tool_call_id":"c1"}}',
      },
    },
    step: { name: 'weather', type: 'tool' },
    messages: [data('assistant', { city: 'Bern' }), { ...text('tool', 'sun'), tool_call_id: 'c1' }],
    metadata: { 'gen_ai.operation.name': 'execute_tool', 'traceloop.span.kind': 'task' },
  },
  'OpenInference beside AI SDK, whose messages are copied with less': {
    span: {
      ...CHILD,
      name: 'ai.generateText.doGenerate',
      attributes: {
        'openinference.span.kind': 'LLM',
        'ai.prompt.messages':
          '[{"role":"user","content":[{"type":"file","mediaType":"image/png","data":"iVBORw0KGgo="}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"get","input":{"a":1}}]}]',
        'ai.response.toolCalls': '[{"toolCallId":"c2","toolName":"get","input":"{}"}]',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'file',
        'llm.input_messages.1.message.role': 'assistant',
        'llm.input_messages.1.message.contents.0.message_content.type': 'tool-call',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '"{}"',
      },
    },
    step: { name: 'ai.generateText.doGenerate', type: 'llm' },
    messages: [
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'get', input: { a: 1 } }] },
      { role: 'assistant', content: [], tool_calls: [{ toolCallId: 'c2', toolName: 'get', input: '{}' }] },
    ],
    metadata: { 'openinference.span.kind': 'LLM' },
  },
  'LangGraph, which returns what it was given before the answer': {
    span: {
      ...CHILD,
      name: 'LangGraph',
      attributes: {
        'openinference.span.kind': 'CHAIN',
        'input.value': '{"messages":[{"role":"user","content":"Hi"}]}',
        'output.value':
          '{"messages":[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"Hi","id":"h1"}},{"lc":1,"id":["AIMessage"],"kwargs":{"content":"Ho"}}]}',
      },
    },
    step: { name: 'LangGraph', type: 'chain' },
    messages: [text('user', 'Hi'), text('assistant', 'Ho')],
    metadata: { 'openinference.span.kind': 'CHAIN' },
  },
  'a chain that returns what it was given, and no more': {
    span: {
      ...CHILD,
      name: 'echo',
      attributes: {
        'openinference.span.kind': 'CHAIN',
        'input.value': '[{"role":"user","content":"Hi"}]',
        'output.value': '[{"role":"user","content":"Hi"}]',
      },
    },
    step: { name: 'echo', type: 'chain' },
    messages: [text('user', 'Hi'), text('user', 'Hi')],
    metadata: { 'openinference.span.kind': 'CHAIN' },
  },
  'OpenInference for Anthropic, a picture without its bytes': {
    span: {
      ...CHILD,
      name: 'Anthropic Messages',
      attributes: {
        'openinference.span.kind': 'LLM',
        'input.value': ASKED_WITH_PICTURE,
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'image',
        'llm.input_messages.0.message.contents.0.message_content.image.type': 'base64',
        'llm.input_messages.0.message.contents.0.message_content.image.media_type': 'image/png',
      },
    },
    step: { name: 'Anthropic Messages', type: 'llm' },
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
    ],
    metadata: { 'openinference.span.kind': 'LLM', 'input.value': ASKED_WITH_PICTURE },
  },
  'Claude Code, what a tool returned': {
    span: {
      ...CHILD,
      name: 'claude_code.tool',
      attributes: { 'gen_ai.tool.name': 'weather' },
      events: [{ name: 'tool.output', attributes: { output: '{"sky":"blue"}' } }],
    },
    step: { name: 'weather', type: 'tool' },
    messages: [data('tool', { sky: 'blue' })],
    metadata: {},
  },
  'LangSmith, a model call': {
    span: {
      ...CHILD,
      name: 'ChatOpenAI',
      attributes: {
        'langsmith.span.kind': 'llm',
        'langsmith.trace.name': 'agent run',
        'langsmith.trace.session_id': 's1',
        'langsmith.metadata.plan': 'pro',
        'gen_ai.request.model': 'gpt-5',
      },
    },
    step: { name: 'ChatOpenAI', type: 'llm', model: 'gpt-5' },
    metadata: { 'langsmith.span.kind': 'llm' },
    trace: { name: 'agent run', nameRank: 4, sessionId: 's1', metadata: { plan: 'pro' } },
  },
  'a span that is not about agents': {
    span: {
      ...CHILD,
      name: 'GET /',
      kind: 2,
      attributes: { 'http.request.method': 'GET', big: 2n ** 60n, ratio: 0.5, list: [1, 'a', null, [true]] },
      events: [{ name: 'cache miss', attributes: { key: 'a' } }],
    },
    origin: { resource: { 'service.name': 'shop', 'service.version': '2', 'deployment.environment.name': 'prod' } },
    step: { name: 'GET /', type: 'other' },
    metadata: {
      'otel.kind': 'server',
      'otel.events': [{ name: 'cache miss', attributes: { key: 'a' } }],
      'otel.resource': { 'service.name': 'shop', 'service.version': '2', 'deployment.environment.name': 'prod' },
      'http.request.method': 'GET',
      big: '1152921504606846976',
      ratio: 0.5,
      list: [1, 'a', null, [true]],
    },
    trace: { metadata: { 'service.name': 'shop', version: '2', env: 'prod' } },
  },
}

for (const [sender, golden] of Object.entries(GOLDEN)) {
  test(sender, () => {
    const body = Buffer.from(JSON.stringify(exportJson([golden.span], golden.origin)))
    const { spans, rejected } = parseExport(PROJECT, body, 'json', DEFAULT_LIMITS)
    assert.deepEqual(rejected, { count: 0, reasons: [] })
    const { step, facts } = spans[0]!
    const { name, type, model, status } = step
    const { model: expectedModel = null, status: expectedStatus = null, ...expected } = golden.step
    assert.deepEqual({ name, type, model, status }, { ...expected, model: expectedModel, status: expectedStatus })
    const stored = JSON.parse(step.body.toString()) as Readonly<Record<string, unknown>>
    const { 'otel.span_id': id, ...metadata } = stored['metadata'] as Readonly<Record<string, unknown>>
    assert.equal(id, spanId(1))
    assert.deepEqual(stored['messages'], golden.messages)
    assert.deepEqual(stored['token_usage'], golden.usage)
    assert.deepEqual(stored['error'], golden.error)
    assert.deepEqual(metadata, golden.metadata)
    for (const [field, value] of Object.entries(golden.trace ?? {})) {
      assert.deepEqual(facts[field as keyof typeof facts], value, field)
    }
  })
}
