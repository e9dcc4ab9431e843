import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Api, ToolError } from '../api.ts'
import { getTrace } from './get-trace.ts'

interface SentStep {
  readonly texts?: readonly string[]
  readonly error?: { readonly type?: string; readonly message?: string }
}

/** The API with one trace. */
function apiWith(steps: readonly SentStep[], metadata: object = {}, findings: readonly object[] = []): Api {
  const rows = steps.map(({ texts = [], error }, position) => ({
    id: `st_${position}`,
    position,
    name: `step ${position}`,
    type: 'llm',
    status: error === undefined ? 'ok' : 'error',
    started_at: null,
    ended_at: null,
    parent_inferred: true,
    model: null,
    messages: texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    attachments: [],
    ...(error === undefined ? {} : { error }),
  }))
  const trace = {
    id: 'tr_1',
    name: 'run',
    status: 'error',
    metadata,
    findings,
    step_count: steps.length,
    token_usage: { total: 1 },
    models: [],
    session_id: null,
    user_id: null,
  }
  return new Api(async ({ path, query }) => {
    const answer = (body: object) => ({ status: 200, body: JSON.stringify(body), retryAfter: null })
    if (path.endsWith('/steps')) {
      const from = Number(query?.get('cursor') ?? 0)
      const page = rows.slice(from, from + 10)
      return answer({ steps: page, next_cursor: from + 10 < rows.length ? String(from + 10) : null })
    }
    return answer(path === '/v1/metrics/events' ? { events: [], next_cursor: null } : trace)
  })
}

const ID = 'tr_01h455vb4pex5vsknk084sn02q'

interface Shown {
  readonly steps: readonly {
    readonly step: number
    readonly recorded: { readonly error?: string; readonly messages?: readonly string[] }
  }[]
  readonly next_step?: number
  readonly recorded?: { readonly text?: string }
  readonly next_offset?: number
}

const call = async (api: Api, input: object = {}) => (await getTrace.call({ id: ID, ...input }, api)) as Shown

test('a trace that fits is shown whole', async () => {
  const shown = await call(apiWith([{ texts: ['hello'] }, { error: { type: 'Timeout', message: 'too slow' } }]))
  assert.deepEqual(shown.steps[0]?.recorded.messages, ['user: hello'])
  assert.equal(shown.steps[1]?.recorded.error, 'Timeout: too slow')
  assert.equal(shown.next_step, undefined)
})

test('findings are shown with their first steps, while they fit', async () => {
  const step_ids = Array.from({ length: 9 }, (_, at) => `st_${at}`)
  const loop = { kind: 'repeated_call', times: 9, wasted_tokens: 80, wasted_cost_usd: null }
  const sent = { ...loop, sentence: 'It was called.', tools: ['look'], step_ids }
  const findings = async (count: number) => {
    const shown = await call(
      apiWith(
        [{}],
        {},
        Array.from({ length: count }, () => sent),
      ),
      { max_chars: 4000 },
    )
    return (shown as unknown as { readonly findings: readonly object[] }).findings
  }
  const shown = { ...loop, step_ids: step_ids.slice(0, 5), recorded: { sentence: sent.sentence } }
  assert.deepEqual(await findings(1), [shown])
  assert.deepEqual(await findings(50), [shown, shown])
})

test('no answer is longer than max_chars, whatever the trace', async () => {
  const quotes = '"\n'.repeat(50_000)
  const traces = [
    [{ texts: [quotes, quotes] }],
    [{ texts: Array.from({ length: 3000 }, (_, at) => `message ${at}`) }],
    Array.from({ length: 500 }, (_, at) => ({ texts: [`${at} ${'x'.repeat(500)}`] })),
    Array.from({ length: 30 }, (_, at) => ({ error: { message: `${at} ${'e'.repeat(5000)}` } })),
  ]
  for (const max_chars of [4000, 20_000]) {
    for (const steps of traces) {
      const length = JSON.stringify(await call(apiWith(steps, { long: quotes }), { max_chars })).length
      assert.ok(length <= max_chars, `${length} of ${max_chars}`)
      assert.ok(length > max_chars / 4, `${length} of ${max_chars}`)
    }
  }
})

test('a shortened text can be read on to its end, by what its mark says', async () => {
  const text = Array.from({ length: 4000 }, (_, at) => `${at} 😀`).join(' ')
  const api = apiWith([{}, { texts: ['short', text] }])
  const shown = await call(api, { max_chars: 5000 })
  const message = shown.steps[1]?.recorded.messages?.[1] ?? ''
  const mark = /… \[\d+ more characters: step (\d+), part (\S+), offset (\d+)\]$/.exec(message)
  assert.ok(mark !== null, message.slice(-200))
  let read = message.slice(0, mark.index)
  let offset: number | undefined = Number(mark[3])
  while (offset !== undefined) {
    const piece: Shown = await call(api, { step: Number(mark[1]), part: mark[2], offset, max_chars: 20_000 })
    assert.ok(JSON.stringify(piece).length <= 20_000)
    read += piece.recorded?.text
    offset = piece.next_offset
  }
  assert.equal(read, `user: ${text}`)
})

test('all steps are read by following next_step, and a negative step begins at the end', async () => {
  const api = apiWith(Array.from({ length: 95 }, (_, at) => ({ texts: [`${at} ${'x'.repeat(300)}`] })))
  const read: number[] = []
  let step: number | undefined = 0
  while (step !== undefined) {
    const shown: Shown = await call(api, { step, max_chars: 4000 })
    read.push(...shown.steps.map((one) => one.step))
    step = shown.next_step
  }
  assert.deepEqual(
    read,
    Array.from({ length: 95 }, (_, at) => at),
  )
  const last = await call(api, { step: -2 })
  assert.deepEqual(
    last.steps.map((one) => one.step),
    [93, 94],
  )
})

test('a message that was shown before is only named', async () => {
  const system = 'You are an agent. '.repeat(20)
  const shown = await call(apiWith([{ texts: [system] }, { texts: [system, 'and now?'] }]))
  assert.deepEqual(shown.steps[1]?.recorded.messages, ['(the same as step 0 messages/0)', 'user: and now?'])
})

test('what does not exist is an error that says what does', async () => {
  const api = apiWith([{ texts: ['a'] }])
  await assert.rejects(call(api, { step: 7 }), new ToolError('not_found: The trace has 1 steps, from 0 on.'))
  await assert.rejects(call(api, { step: 0, part: 'error' }), /Step 0 has no part "error"; it has messages\/0/)
  await assert.rejects(call(api, { part: 'error' }), /name its step/)
  await assert.rejects(call(api, { max_chars: 1 }), /max_chars/)
})

test('an offset within a surrogate pair begins with the pair', async () => {
  const api = apiWith([{ texts: ['a😀b'] }])
  const read = async (offset: number) => getTrace.call({ id: ID, step: 0, part: 'messages/0', offset }, api)
  // The text begins with `user: `.
  const piece = (offset: number, text: string) => ({
    id: 'tr_1',
    step: 0,
    part: 'messages/0',
    chars: 10,
    offset,
    recorded: { text },
  })
  assert.deepEqual(await read(8), piece(7, '😀b'))
  assert.deepEqual(await read(9), piece(9, 'b'))
})
