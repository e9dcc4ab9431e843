import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportJson, ns, type TestSpan } from '../../packages/server/src/traces/otlp/spans.test-support.ts'
import { launchBrowser } from '../lib/browser.ts'
import { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'

/*
 * What users of other services reported as read wrong, each with other words and numbers than theirs: a span as its
 * sender writes it, and what a person finds here. More of each kind is in the tests of the mapping.
 */

interface Found {
  readonly id: string
  readonly name: string
  readonly cost_usd: number | null
  readonly session_id: string | null
  readonly input_preview: string | null
  readonly output_preview: string | null
  readonly token_usage: Readonly<Record<'input' | 'output' | 'total' | 'cache_write', number>>
  readonly steps: readonly { readonly name: string; readonly type: string; readonly messages?: readonly unknown[] }[]
}

let service: Service
before(async () => {
  service = await Service.start()
})
after(() => service[Symbol.asyncDispose]())

let traces = 0
const id = (number: number) => number.toString(16).padStart(16, '0')
const json = JSON.stringify
const chat = (more: TestSpan['attributes'] = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  ...more,
})
const usage = (input: number, output: number, more: TestSpan['attributes'] = {}) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
  ...more,
})

/** Sends the spans as one trace: the first is the root, and without a parent the others are below it. */
async function send(spans: readonly TestSpan[], scope = 'test'): Promise<Found> {
  const traceId = `${(++traces).toString(16).padStart(31, '0')}f`
  const sent = spans.map((span, at) => ({
    traceId,
    spanId: id(at + 1),
    ...(at === 0 ? {} : { parentSpanId: id(1) }),
    startTimeUnixNano: ns(at * 10),
    endTimeUnixNano: ns(1000 - at),
    ...span,
  }))
  const headers = { 'content-type': 'application/json' }
  const body = json(exportJson(sent, { scope: { name: scope } }))
  const answer = await service.client.call({ method: 'POST', path: '/otlp/v1/traces', headers, body })
  assert.deepEqual([answer.status, answer.text], [200, '{}'])
  return (await service.client.get(`/v1/traces/${traceId}`)).json<Found>()
}

const record = async (body: object | string) => (await service.client.postTrace(body)).json<{ id: string }>().id
const tokens = ({ token_usage: { input, output } }: Found) => [input, output]
const previews = (found: Found) => [found.input_preview, found.output_preview]

async function listed(query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const answer = await service.client.get(`/v1/traces?${String(new URLSearchParams(query))}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ traces: { id: string }[] }>().traces.map((row) => row.id)
}

const NESTED = {
  'openinference.span.kind': 'LLM',
  'llm.model_name': 'gpt-4o',
  'llm.token_count.prompt': 800,
  'llm.token_count.completion': 60,
}
const SONNET = { 'gen_ai.request.model': 'claude-sonnet-4-5' }

const USAGE: readonly {
  readonly about: string
  readonly spans: readonly TestSpan[]
  readonly tokens: readonly [input: number, output: number]
  readonly cost?: number
  readonly type?: string
}[] = [
  {
    about: 'a call within the call of a framework counts once',
    spans: [{ attributes: NESTED }, { attributes: NESTED }],
    tokens: [800, 60],
    cost: 0.0026,
  },
  {
    about: 'an agent that alone knows its usage',
    spans: [{ attributes: { 'gen_ai.operation.name': 'invoke_agent', ...SONNET, ...usage(2000, 400) } }],
    tokens: [2000, 400],
    cost: 0.012,
  },
  {
    about: 'cached tokens that the total says are beside the input',
    spans: [
      {
        attributes: chat({
          ...SONNET,
          ...usage(600, 40, {
            'gen_ai.usage.cache_read_input_tokens': 9000,
            'gen_ai.usage.cache_write_input_tokens': 300,
            'gen_ai.usage.total_tokens': 9940,
          }),
        }),
      },
    ],
    tokens: [9900, 40],
  },
  {
    about: 'the same where the total includes them',
    spans: [
      {
        attributes: chat(
          usage(6000, 40, { 'gen_ai.usage.cache_read_input_tokens': 900, 'gen_ai.usage.total_tokens': 6040 }),
        ),
      },
    ],
    tokens: [6000, 40],
  },
  {
    about: 'thoughts that are more than the output are not in it',
    spans: [
      {
        attributes: chat({
          'gen_ai.request.model': 'gemini-2.5-pro',
          ...usage(20, 30, { 'gen_ai.usage.reasoning.output_tokens': 500, 'gen_ai.usage.total_tokens': 550 }),
        }),
      },
    ],
    tokens: [20, 530],
  },
  {
    about: 'a model and usage without an operation',
    spans: [{ attributes: { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4o', ...usage(70, 7) } }],
    tokens: [70, 7],
    type: 'llm',
  },
  {
    about: 'an operation that no list has',
    spans: [{ attributes: { ...chat(usage(80, 8)), 'gen_ai.operation.name': 'responses' } }],
    tokens: [80, 8],
    type: 'llm',
  },
  ...['gen_ai.usage.cost', 'operation.cost', 'llm.cost.total'].map((name) => ({
    about: `what the sender says it cost: ${name}`,
    spans: [{ attributes: chat({ 'gen_ai.request.model': 'own/model-9', ...usage(10, 1), [name]: 0.5 }) }],
    tokens: [10, 1] as const,
    cost: 0.5,
  })),
  {
    about: 'usage that was set by hand wins over instrumentation',
    spans: [
      {
        attributes: {
          'langfuse.observation.type': 'generation',
          'langfuse.observation.usage_details': json({ input: 90, output: 9 }),
          ...usage(90, 99),
        },
      },
    ],
    tokens: [90, 9],
  },
]

for (const { about, spans, tokens: expected, cost, type } of USAGE) {
  test(about, async () => {
    const found = await send(spans)
    assert.deepEqual(tokens(found), expected)
    if (cost !== undefined) assert.equal(found.cost_usd, cost)
    if (type !== undefined) assert.equal(found.steps[0]?.type, type)
  })
}

test('all names of a model have its price', async () => {
  const base = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
  for (const name of [base, `eu.${base}`, `global.${base}`, `bedrock/${base}`, 'claude-sonnet-4-5@20250929']) {
    const { prices } = (await service.client.get(`/v1/prices?model=${encodeURIComponent(name)}`)).json<{
      prices: { input_usd_per_million: number }[]
    }>()
    assert.equal(prices[0]?.input_usd_per_million, 3, name)
  }
})

const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })

const SAID: readonly {
  readonly about: string
  readonly span: TestSpan
  readonly previews: readonly [input: string, output: string]
}[] = [
  {
    about: 'messages of Azure are JSON in their events',
    span: {
      attributes: chat(),
      events: [
        {
          name: 'gen_ai.user.message',
          attributes: { 'gen_ai.event.content': json({ role: 'user', content: 'Which desk?' }) },
        },
        {
          name: 'gen_ai.choice',
          attributes: { 'gen_ai.event.content': json({ index: 0, message: { content: 'Desk 12.' } }) },
        },
      ],
    },
    previews: ['Which desk?', 'Desk 12.'],
  },
  {
    about: 'an answer that is the whole response of the provider',
    span: {
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Book it.',
        'output.value': json({
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: {
                role: 'assistant',
                content: 'One moment.',
                tool_calls: [{ id: 'c', type: 'function', function: { name: 'book', arguments: '{}' } }],
              },
            },
          ],
        }),
      },
    },
    previews: ['Book it.', 'One moment.'],
  },
  {
    about: 'what Langfuse calls input and output of the trace',
    span: {
      attributes: {
        'langfuse.observation.type': 'span',
        'langfuse.trace.input': 'Why?',
        'langfuse.trace.output': 'Therefore.',
      },
    },
    previews: ['Why?', 'Therefore.'],
  },
]

for (const { about, span, previews: expected } of SAID) {
  test(about, async () => assert.deepEqual(previews(await send([span])), expected))
}

test('documents of a retriever are its result and are found', async () => {
  const document = (at: number, text: string) => ({ [`retrieval.documents.${at}.document.content`]: text })
  const attributes = {
    'openinference.span.kind': 'RETRIEVER',
    'input.value': 'luggage',
    ...document(0, 'Two bags of medlarwood.'),
    ...document(1, 'None.'),
  }
  const found = await send([{ attributes }])
  assert.match(json(found.steps[0]?.messages), /medlarwood/)
  assert.deepEqual(await listed({ q: 'medlarwood' }), [found.id])
})

test('agents and tools of Pydantic AI 1.x say what they were given and what they found', async () => {
  const messages = json([said('user', 'How far?'), said('assistant', 'Nine miles.')])
  const found = await send(
    [
      {
        name: 'agent run',
        attributes: { agent_name: 'a', 'pydantic_ai.all_messages': messages, final_result: 'Nine miles.' },
      },
      {
        name: 'running tool',
        attributes: { 'gen_ai.tool.name': 'measure', tool_arguments: json({ from: 'harbour' }), tool_response: '9 mi' },
      },
    ],
    'pydantic-ai',
  )
  const [agent, tool] = ['agent', 'tool'].map((type) => found.steps.find((step) => step.type === type))
  assert.match(json(tool?.messages), /harbour.*9 mi/)
  assert.ok(agent)
  assert.deepEqual(previews(found), ['How far?', 'Nine miles.'])
})

test('runs are found by one of their tags, and belong to the thread that LangSmith and the AI SDK name', async () => {
  const tagged = await send([{ attributes: { 'langfuse.trace.tags': ['north', 'weekly-7'] } }])
  assert.deepEqual(await listed({ tag: 'weekly-7' }), [tagged.id])
  assert.deepEqual(await listed({ meta_key: 'tags', meta_value: 'weekly-7' }), [tagged.id])
  for (const name of [
    'langsmith.metadata.thread_id',
    'langsmith.metadata.session_id',
    'langsmith.metadata.conversation_id',
    'ai.telemetry.metadata.session_id',
  ]) {
    assert.equal((await send([{ attributes: { [name]: 'thread 8' } }])).session_id, 'thread 8', name)
  }
})

test('search finds words without their accents, emoji, and words within sentences of other scripts', async () => {
  const texts = [
    'Le thé glacé 🍋',
    '我想更改我的航班日期',
    '予約を取り消してください',
    'أين حقيبتي الآن',
    'กระเป๋าของฉันหายไป',
  ]
  const steps = (text: string) => [{ name: 'a', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }]
  const ids = await Promise.all(texts.map((text) => record({ name: 'said', steps: steps(text) })))
  for (const [at, word] of [
    [0, 'glace'],
    [0, '🍋'],
    [1, '航班'],
    [2, '取り消'],
    [3, 'حقيبتي'],
    [4, 'กระเป๋า'],
  ] as const) {
    assert.ok((await listed({ q: word, limit: '1000' })).includes(ids[at]!), word)
  }
  const escaped = await send([
    { attributes: { 'openinference.span.kind': 'CHAIN', 'input.value': '{"q":"\\u822a\\u53f8"}' } },
  ])
  assert.ok((await listed({ q: '航司', limit: '1000' })).includes(escaped.id))
})

test('half an emoji and NUL refuse nothing, and the text is kept', async () => {
  const text = 'half \\ud83c and \\u0000'
  const found = await send([
    {
      name: 'odd \ud83c',
      attributes: chat({
        'gen_ai.input.messages': json([said('user', '@')]).replace('@', text),
        'key\ud801': 'v\udc01',
      }),
    },
    { name: 'even' },
  ])
  assert.equal(found.steps.length, 2)
  assert.match(json(found.steps[0]?.messages), /half \\ud83c and \\u0000/)
})

test('the root that began first names the trace, whatever joins later', async () => {
  assert.equal(
    (
      await send([
        { name: 'root' },
        { name: 'joined', parentSpanId: id(99), attributes: { 'langfuse.internal.as_root': true } },
      ])
    ).name,
    'root',
  )
  const roots = await send([
    { name: 'second', startTimeUnixNano: ns(500) },
    { name: 'first', parentSpanId: '' },
  ])
  assert.equal(roots.name, 'first')
})

test('numbers beyond 2^53, keys with dots, booleans and null are stored and filtered as they were sent', async () => {
  const name = 'exact values'
  const one = await record(
    `{"name":"${name}","metadata":{"big":9007199254740995,"a.b":"c","yes":true,"no":null,"one":1.0}}`,
  )
  assert.match((await service.client.get(`/v1/traces/${one}`)).text, /"big":9007199254740995/)
  for (const [meta_key, meta_value, count] of [
    ['big', '9007199254740995', 1],
    ['big', '9007199254740996', 0],
    ['a.b', 'c', 1],
    ['yes', 'true', 1],
    ['no', 'null', 1],
    ['one', '1', 1],
  ] as const) {
    assert.equal((await listed({ name, meta_key, meta_value })).length, count, `${meta_key} ${meta_value}`)
  }
})

test('the conversation: calls of Bedrock, a history that begins late, equal turns, small pictures', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  const { page } = await SignedInPage.open(browser, service)
  const read = async (place: string, expected: RegExp) => {
    await page.goto(`${service.url}/app${place}`)
    const main = page.getByRole('main')
    await main.getByText(expected).first().waitFor()
    return {
      text: ((await main.textContent()) ?? '').replaceAll(/\s+/g, ' '),
      images: await main.locator('img').count(),
    }
  }
  const conversation = async (found: Found, expected: RegExp) => read(`/traces/${found.id}?tab=conversation`, expected)

  const event = (name: string, parts: object[], key = 'content') => ({ name, attributes: { [key]: json(parts) } })
  const bedrock = await send([
    {
      attributes: chat(),
      events: [
        event('gen_ai.user.message', [{ text: 'Add 4 and 5.' }]),
        event('gen_ai.assistant.message', [{ toolUse: { toolUseId: 'u', name: 'adder', input: { sum: '4+5' } } }]),
        event('gen_ai.tool.message', [
          { toolResult: { toolUseId: 'u', status: 'success', content: [{ text: 'nine' }] } },
        ]),
        event('gen_ai.choice', [{ text: 'That is 9.' }], 'message'),
      ],
    },
  ])
  assert.match((await conversation(bedrock, /That is 9/)).text, /adder sum: "4\+5" → nine/)

  const call = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'late', name: 'tide', arguments: { port: 'Leith' } }],
  }
  const result = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'late', response: 'low' }] }
  const asked = (input: object[], output: object[]) => ({
    attributes: chat({ 'gen_ai.input.messages': json(input), 'gen_ai.output.messages': json(output) }),
  })
  const late = await send([
    { attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
    asked([said('user', 'Tide?')], [call]),
    { ...asked([call, result], [said('assistant', 'It is low.')]), startTimeUnixNano: ns(700) },
  ])
  const shown = (await conversation(late, /It is low/)).text
  assert.deepEqual([shown.split('tide port').length - 1, shown.includes('No result')], [1, false])

  for (const answer of ['Not now.', 'Not now.', 'Done.']) {
    const messages = [
      ['user', 'once more'],
      ['assistant', answer],
    ].map(([role, text]) => ({ role, content: [{ type: 'text', text }] }))
    await record({ name: 'turn', session_id: 'thrice', steps: [{ name: 'a', type: 'llm', messages }] })
  }
  assert.equal((await read('/sessions/thrice', /Done\./)).text.split('once more').length - 1, 3)

  const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const parts = [
    { type: 'text', content: 'Two pictures' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
    { type: 'image', mediaType: 'image/png', image },
  ]
  const seen = await send([{ attributes: chat({ 'gen_ai.input.messages': json([{ role: 'user', parts }]) }) }])
  assert.equal((await conversation(seen, /Two pictures/)).images, 2)
})
