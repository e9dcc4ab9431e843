import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'
import { parseExport } from '../parse-export.ts'
import { PROJECT } from '../../trace-builders.test-support.ts'

/** What a reader sees of a step: roles with the types of their parts, and tokens. */
interface Shown {
  readonly name: string
  readonly type: string
  readonly model?: string
  readonly messages?: readonly string[]
  readonly usage?: Readonly<Record<string, number>>
}

/** Of the agent that `e2e/otlp/instrumented-agents.ts` runs: a turn with a tool, then the answer. */
const [ASKED, ANSWERED] = [
  ['system: text', 'user: text'],
  ['system: text', 'user: text', 'assistant: tool_call', 'tool: tool_call_response', 'assistant: text'],
]
const agent = { type: 'agent' }

/** Requests as they were captured, with the steps that become of them. */
const CAPTURED: Readonly<Record<string, readonly Shown[]>> = {
  'ai-sdk-7': [
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5',
      messages: [...ASKED, 'assistant: tool_call'],
      usage: { input: 100, output: 20, cache_read: 40 },
    },
    { name: 'weather', type: 'tool', messages: ['assistant: data', 'tool: text'] },
    { name: 'step 1', ...agent },
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5',
      messages: ANSWERED,
      usage: { input: 150, output: 30, cache_read: 100 },
    },
    { name: 'step 2', ...agent },
    {
      name: 'invoke_agent gpt-5',
      ...agent,
      model: 'gpt-5',
      messages: [...ASKED, 'assistant: text, tool_call, tool_call_response'],
      usage: { input: 250, output: 50, cache_read: 140 },
    },
  ],
  'openinference-openai': [
    {
      name: 'OpenAI Chat Completions',
      type: 'llm',
      model: 'gpt-5-2026-05-01',
      messages: [...ASKED, 'assistant: 1 tool call'],
      usage: { input: 100, output: 20, cache_read: 40 },
    },
    // A stream: it has neither usage nor the exact model.
    {
      name: 'OpenAI Chat Completions',
      type: 'llm',
      model: 'gpt-5',
      messages: [...ASKED, 'assistant: 1 tool call', 'tool: text', 'assistant: text'],
    },
  ],
  'opentelemetry-sdk': [
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5-2026-05-01',
      messages: ['user: text', 'assistant: text'],
      usage: { input: 1200, output: 80, cache_read: 1000 },
    },
    { name: 'execute_tool pay', type: 'tool' },
    { name: 'invoke_agent shop', ...agent },
  ],
  langfuse: [
    { name: 'look-up', type: 'tool', messages: ['assistant: data'] },
    {
      name: 'ask-model',
      type: 'llm',
      model: 'gpt-5',
      messages: ['user: text', 'assistant: text'],
      usage: { input: 1200, output: 30, cache_read: 1000 },
    },
    { name: 'handle-request', type: 'other', messages: ['user: text', 'assistant: text'] },
  ],
  // The exporter leaves the question and the call of the tool out of model calls: the steps around them have both.
  mastra: [
    { name: 'model_chunk forecast', type: 'other' },
    { name: 'weather', type: 'tool', messages: ['assistant: data', 'tool: text'] },
    { name: 'model_chunk forecast', type: 'other' },
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5-2026-05-01',
      messages: ['assistant: text'],
      usage: { input: 100, output: 20, cache_read: 40 },
    },
    { name: 'agent_step forecast', ...agent, messages: [...ASKED, 'assistant: 1 tool call'] },
    { name: 'model_chunk forecast', type: 'other' },
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5-2026-05-01',
      messages: ['assistant: text'],
      usage: { input: 150, output: 30, cache_read: 100, reasoning: 10 },
    },
    {
      name: 'agent_step forecast',
      ...agent,
      messages: [...ASKED, 'assistant: text', 'tool: text', 'assistant: text'],
    },
    { name: 'model_generation gpt-5', type: 'chain', messages: [...ASKED, 'assistant: text, 1 tool call'] },
    { name: 'invoke_agent forecast', ...agent, messages: [...ASKED, 'assistant: text'] },
  ],
  'openllmetry-openai': [
    {
      name: 'chat gpt-5',
      type: 'llm',
      model: 'gpt-5-2026-05-01',
      messages: [...ASKED, 'assistant: tool_call'],
      usage: { input: 100, output: 20 },
    },
    // A stream: it has no usage.
    { name: 'chat gpt-5', type: 'llm', model: 'gpt-5-2026-05-01', messages: ANSWERED },
  ],
}

interface StoredMessage {
  readonly role: string
  readonly content?: readonly { readonly type: string }[]
  readonly tool_calls?: readonly unknown[]
}

for (const [sender, expected] of Object.entries(CAPTURED)) {
  test(`a captured request: ${sender}`, () => {
    const body = readFileSync(new URL(`captured/${sender}.json`, import.meta.url))
    const { spans, rejected } = parseExport(PROJECT, body, 'json', DEFAULT_LIMITS)
    assert.equal(rejected.count, 0)
    assert.deepEqual(
      spans.map(({ step }) => shownOf(step)),
      expected,
    )
  })
}

function shownOf({ name, type, model, body }: PreparedStep): Shown {
  const { messages, token_usage: usage } = JSON.parse(body.toString()) as {
    readonly messages?: readonly StoredMessage[]
    readonly token_usage?: Readonly<Record<string, number>>
  }
  return {
    name,
    type,
    ...(model === null ? {} : { model }),
    ...(messages === undefined ? {} : { messages: messages.map(outline) }),
    ...(usage === undefined ? {} : { usage }),
  }
}

function outline({ role, content = [], tool_calls: calls = [] }: StoredMessage): string {
  const parts = content.map(({ type }) => type)
  return `${role}: ${[...parts, ...(calls.length > 0 ? [`${calls.length} tool call`] : [])].join(', ')}`
}
