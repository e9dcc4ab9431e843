import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { createRecorder } from '@spoor/sdk'
import OpenAI from 'openai'
import { ServiceStandIn } from '../../packages/sdk/src/recorder/service-stand-in.test-support.ts'
import { runOpenAi } from '../otlp/instrumented-agents.ts'
import * as openAiApi from '../otlp/openai-stand-in.ts'
import * as anthropicApi from './anthropic-stand-in.ts'

const openAi = await openAiApi.OpenAiStandIn.start()
const anthropic = await anthropicApi.AnthropicStandIn.start()
const service = await ServiceStandIn.start()
after(() => Promise.all([openAi, anthropic, service].map((one) => one[Symbol.asyncDispose]())))

interface Message {
  readonly role: string
  readonly content: { readonly type: string; readonly text?: string; readonly input?: unknown }[]
  readonly tool_calls?: { readonly function: { readonly arguments: string } }[]
}

/** A client of a vendor with its stand-in. */
interface Vendor {
  readonly api: typeof openAi | typeof anthropic
  readonly model: string
  readonly step: string
  readonly roles: readonly string[]
  /** An agent: a turn with a tool, then its answer. */
  run(fetch: typeof globalThis.fetch, stream: boolean): Promise<void>
  /** Reads one event of a stream, and no more. Resolves with its text. */
  giveUp(fetch: typeof globalThis.fetch): Promise<string>
  /** The input of the tool that a message calls. */
  toolInput(message: Message | undefined): unknown
  /** What was billed, as Spoor counts it: `input` includes the cached tokens. */
  billed(): Record<string, number>
}

const question = { role: 'user', content: 'What is the weather in Bern?' } as const

const VENDORS: Readonly<Record<string, Vendor>> = {
  OpenAI: {
    api: openAi,
    model: openAiApi.MODEL,
    step: 'chat gpt-5',
    roles: ['system', 'user', 'assistant', 'tool', 'assistant'],
    run: (fetch, stream) => runOpenAi(openAi.baseUrl, { stream, fetch }),
    async giveUp(fetch) {
      const client = new OpenAI({ apiKey: 'any', baseURL: openAi.baseUrl, maxRetries: 0, fetch })
      const messages = [question, { role: 'tool', tool_call_id: 'call_1', content: 'sun' }] as const
      const chunks = await client.chat.completions.create({ model: 'gpt-5', messages: [...messages], stream: true })
      for await (const { choices } of chunks) return choices[0]?.delta.content ?? ''
      return ''
    },
    toolInput: (message) => JSON.parse(message?.tool_calls?.[0]?.function.arguments ?? 'null'),
    billed: () => ({ ...openAi.billed }),
  },
  Anthropic: {
    api: anthropic,
    model: anthropicApi.MODEL,
    step: 'messages claude-sonnet-5',
    roles: ['system', 'user', 'assistant', 'user', 'assistant'],
    async run(fetch, stream) {
      const messages: Anthropic.MessageParam[] = [question]
      const client = anthropicClient(fetch)
      // `stream` of the client reads all events; the answer without it is one JSON.
      const turn = (): PromiseLike<Anthropic.Message> => {
        const asked = { ...ASKED, messages }
        return stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked)
      }
      const { content } = await turn()
      const call = content.find((block) => block.type === 'tool_use')
      assert.deepEqual(call?.input, { city: 'Bern' })
      const result = { type: 'tool_result', tool_use_id: call?.id ?? '', content: 'sun' } as const
      messages.push({ role: 'assistant', content }, { role: 'user', content: [result] })
      assert.deepEqual((await turn()).content, [{ type: 'text', text: openAiApi.ANSWER }])
    },
    async giveUp(fetch) {
      const events = await anthropicClient(fetch).messages.create({ ...ASKED, messages: [question], stream: true })
      for await (const event of events) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') return event.delta.text
      }
      return ''
    },
    toolInput: (message) => message?.content.find(({ type }) => type === 'tool_use')?.input,
    billed() {
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = anthropic.bill
      return {
        input: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
        output: output_tokens,
        cache_read: cache_read_input_tokens,
        cache_write: cache_creation_input_tokens,
      }
    },
  },
}

const ASKED = {
  model: 'claude-sonnet-5',
  max_tokens: 100,
  system: 'Be brief.',
  tools: [{ name: 'weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } }],
}

function anthropicClient(fetch: typeof globalThis.fetch): Anthropic {
  return new Anthropic({ apiKey: 'any', baseURL: anthropic.origin, maxRetries: 0, fetch })
}

/** Runs it in a trace with a wrapped `fetch`. Resolves with what is recorded of its calls, name by name. */
async function recorded(vendor: Vendor, run: (fetch: typeof globalThis.fetch) => Promise<unknown>) {
  vendor.api.reset()
  service.taken.length = 0
  const spoor = createRecorder({ url: service.url, apiKey: 'key', spoolDir: '' })
  const hosts = new Set<string>()
  const fetch = spoor.wrapFetch((input, init) => {
    hosts.add(new URL(input instanceof Request ? input.url : String(input)).hostname)
    return globalThis.fetch(input, init)
  })
  await spoor.trace('run', () => run(fetch))
  const { ok } = await spoor.shutdown()
  assert.ok(ok)
  assert.deepEqual([...hosts], ['127.0.0.1'])
  const calls = service.spans.filter(({ name }) => name === vendor.step)
  const root = service.span('run')
  assert.ok(calls.every(({ parentSpanId }) => parentSpanId === root.spanId))
  const texts = (key: string) =>
    calls.map(({ attributes }) => attributes.find((one) => one.key === `spoor.step.${key}`)?.value.stringValue)
  const json = (key: string): unknown[] => texts(key).map((text) => JSON.parse(text ?? 'null') as unknown)
  return {
    models: texts('model'),
    usages: json('usage') as Record<string, number | undefined>[],
    messages: json('messages') as Message[][],
    tools: (json('metadata') as ({ tools?: unknown[] } | null)[]).map((one) => one?.tools?.length),
    errors: json('error'),
  }
}

for (const [name, vendor] of Object.entries(VENDORS)) {
  for (const stream of [false, true]) {
    test(`the client of ${name} with wrapFetch: what is recorded was billed, ${stream ? 'streamed' : 'whole'}`, async () => {
      const { models, usages, messages, tools, errors } = await recorded(vendor, (fetch) => vendor.run(fetch, stream))
      assert.deepEqual(models, [vendor.model, vendor.model])
      const billed = vendor.billed()
      const sum = (kind: string) => usages.reduce((total, usage) => total + (usage[kind] ?? 0), 0)
      assert.deepEqual(Object.fromEntries(Object.keys(billed).map((kind) => [kind, sum(kind)])), billed)
      const [asked, answered] = messages
      assert.deepEqual(
        answered?.map(({ role }) => role),
        vendor.roles,
      )
      assert.deepEqual(answered?.at(-1)?.content, [{ type: 'text', text: openAiApi.ANSWER }])
      assert.deepEqual(vendor.toolInput(asked?.at(-1)), { city: 'Bern' })
      assert.deepEqual(tools, [1, 1])
      assert.deepEqual(errors, [null, null])
    })
  }

  test(`the client of ${name} with wrapFetch: a stream that is given up is recorded as far as it came`, async () => {
    let text = ''
    vendor.api.stalls = true
    const { messages, errors } = await recorded(vendor, async (fetch) => (text = await vendor.giveUp(fetch)))
    assert.notEqual(text, '')
    assert.deepEqual(messages[0]?.at(-1)?.content, [{ type: 'text', text }])
    assert.deepEqual(errors, [null])
  })
}
