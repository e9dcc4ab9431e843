import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRecorder } from '../index.ts'
import type { Recorder } from './recorder.ts'
import type { RecorderOptions } from './recorder-options.ts'
import { ServiceStandIn } from './service-stand-in.test-support.ts'

const service = await ServiceStandIn.start()
after(() => service[Symbol.asyncDispose]())

let warnings: string[] = []
beforeEach(() => {
  warnings = []
  service.taken.length = 0
  service.attempts = 0
  service.answer = () => null
})

const recorder = (options: RecorderOptions = {}): Recorder => service.recorder(warnings, options)

test('records a trace with steps within steps, by context and by explicit parents', async () => {
  const spoor = recorder({ serviceName: 'bot' })
  const answer = await spoor.trace(
    'run',
    { runType: 'chat', sessionId: 's', userId: 'u', metadata: { env: 'x' } },
    async (trace) => {
      await trace.step('outer', { type: 'agent' }, async () => {
        await sleep(1)
        return spoor.step('inner', { type: 'llm', model: 'm' }, (step) => {
          step.messages([{ role: 'user', content: 'hello' }]).usage({ input: 3, output: Number.NaN })
        })
      })
      trace.step('beside', () => undefined)
      return 42
    },
  )
  assert.equal(answer, 42)
  const verdicts = await spoor.flush()
  assert.deepEqual(verdicts, { ok: true, stored: 4, refused: 0, dropped: 0, spooled: 0, pending: 0, reasons: [] })
  const [run, outer, inner, beside] = ['run', 'outer', 'inner', 'beside'].map((name) => service.span(name))
  assert.deepEqual(run?.facts, {
    'spoor.span.kind': 'trace',
    'spoor.trace.name': 'run',
    'spoor.trace.run_type': 'chat',
    'spoor.trace.session_id': 's',
    'spoor.trace.user_id': 'u',
    'spoor.trace.metadata': '{"env":"x"}',
  })
  assert.equal(run?.parentSpanId, undefined)
  assert.deepEqual(
    [outer?.parentSpanId, inner?.parentSpanId, beside?.parentSpanId],
    [run?.spanId, outer?.spanId, run?.spanId],
  )
  assert.deepEqual(inner?.facts, {
    'spoor.step.type': 'llm',
    'spoor.step.model': 'm',
    'spoor.step.messages': '[{"role":"user","content":[{"type":"text","text":"hello"}]}]',
    'spoor.step.usage': '{"input":3}',
  })
  assert.ok(BigInt(run?.startTimeUnixNano ?? 0) <= BigInt(outer?.startTimeUnixNano ?? 0))
  assert.ok(BigInt(outer?.endTimeUnixNano ?? 0) <= BigInt(run?.endTimeUnixNano ?? 0))
  assert.deepEqual([service.taken.length, service.taken[0]?.key, warnings], [1, 'key', []])
  assert.match(JSON.stringify(service.taken[0]?.body), /"service.name","value":{"stringValue":"bot"}/)
})

test('errors are recorded and go on to the caller', async () => {
  const spoor = recorder()
  const error = new TypeError('no')
  await assert.rejects(
    spoor.trace('run', async () => spoor.step('bad', () => Promise.reject(error))),
    error,
  )
  assert.throws(
    () =>
      spoor.trace('sync', () => {
        throw error
      }),
    error,
  )
  await spoor.flush()
  for (const name of ['run', 'bad', 'sync']) {
    assert.equal(service.span(name).status?.code, 2)
    assert.equal(service.span(name).facts['spoor.step.error'], '{"type":"TypeError","message":"no"}')
  }
})

test('generators and streams are the parents of what runs within them, and of nothing between two values', async () => {
  const spoor = recorder()
  const numbers = spoor.observe(async function* numbers(count: number) {
    for (let at = 0; at < count; at++) {
      await spoor.step(`within ${at}`, () => sleep(1))
      yield at
    }
  })
  await spoor.trace('run', async (trace) => {
    for await (const at of numbers(2)) await spoor.step(`between ${at}`, () => sleep(1))
    for await (const _ of numbers(5)) break
    const stream = trace.step('stream', () => new Blob(['some text']).stream())
    assert.equal(await new Response(stream).text(), 'some text')
    const list = trace.step('list', () => [1, 2])
    assert.deepEqual(list, [1, 2])
  })
  await spoor.flush()
  const run = service.span('run').spanId
  const both = service.spans.filter(({ name }) => name === 'numbers')
  assert.equal(both.length, 2)
  assert.equal(service.span('within 1').parentSpanId, both[0]?.spanId)
  assert.deepEqual([service.span('between 0').parentSpanId, service.span('between 1').parentSpanId], [run, run])
  assert.deepEqual([service.span('stream').parentSpanId, service.span('list').parentSpanId], [run, run])
})

test('a traceparent joins the trace of the caller, and its own names the span', async () => {
  const spoor = recorder()
  const caller = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`
  spoor.trace('served', { traceparent: caller }, (trace) => {
    assert.equal(trace.traceparent, `00-${'a'.repeat(32)}-${trace.spanId}-01`)
  })
  spoor.trace('own', { traceparent: 'nonsense' }, () => undefined)
  await spoor.flush()
  const served = service.span('served')
  assert.deepEqual([served.traceId, served.parentSpanId], ['a'.repeat(32), 'b'.repeat(16)])
  assert.equal(served.facts['spoor.span.kind'], undefined)
  assert.equal(service.span('own').facts['spoor.span.kind'], 'trace')
})

test('sampling is by trace id, and keepOnError sends failed traces whole', async () => {
  const none = recorder({ sampleRate: 0 })
  none.trace('unsampled', (trace) => trace.step('a', () => 1))
  assert.deepEqual([(await none.flush()).stored, service.attempts], [0, 0])
  const half = createRecorder({ url: service.url, apiKey: 'key', spoolDir: '', sampleRate: 0.5 })
  for (const [digit, name] of [
    ['0', 'low'],
    ['f', 'high'],
  ] as const) {
    half.trace(name, { traceparent: `00-${digit.repeat(32).replace(/^0/, '1')}-${'1'.repeat(16)}-01` }, () => undefined)
  }
  await half.flush()
  assert.deepEqual(
    service.spans.map(({ name }) => name),
    ['low'],
  )
  const kept = recorder({ sampleRate: 0, keepOnError: true })
  kept.trace('fine', (trace) => trace.step('b', () => trace.flag('no')))
  kept.trace('failed', (trace) => {
    trace.step('c', () => 1)
    trace.step('d', (step) => step.error('broke'))
    trace.flag('look')
  })
  assert.equal((await kept.flush()).stored, 4)
  assert.deepEqual(
    service.spans.map(({ name }) => name),
    ['low', 'c', 'd', 'failed'],
  )
  assert.deepEqual(service.taken.at(-1)?.body, { flagged: true, reason: 'look' })
})

test('metric events and flags are sent after the trace', async () => {
  const spoor = recorder()
  spoor.trace('run', (trace) => {
    trace.metric('correct', true, { source: 'code' }).metric('score', 0.5).flag('odd')
    trace.step('a', () => undefined)
  })
  assert.equal((await spoor.flush()).stored, 5)
  const [spans, metrics, flag] = service.taken
  assert.equal(spans?.path, '/otlp/v1/traces')
  const { traceId } = service.span('run')
  const events = metrics?.body as Record<string, unknown>[]
  assert.deepEqual(
    events.map(({ name, trace_id, passed, value }) => [name, trace_id, passed, value]),
    [
      ['correct', traceId, true, undefined],
      ['score', traceId, undefined, 0.5],
    ],
  )
  assert.match(String(events[0]?.['idempotency_key']), /^[0-9a-f]{32}$/)
  assert.deepEqual([flag?.method, flag?.path], ['PATCH', `/v1/traces/${traceId}`])
})

test('mask replaces values before they are queued, and what it throws at is left out', async () => {
  const spoor = recorder({
    mask: (value, path) => {
      if (path.endsWith('broken')) throw new Error('mask')
      return typeof value === 'string' ? value.replaceAll(/\d{4}/g, '****') : value
    },
  })
  spoor.trace('run', { metadata: { pin: 'is 1234', broken: 'secret' } }, (trace) => {
    trace.step('a', (step) => step.messages([{ role: 'user', content: 'card 5678' }]).error(new Error('9999')))
  })
  await spoor.flush()
  const sent = JSON.stringify(service.taken)
  assert.doesNotMatch(sent, /1234|5678|9999|secret/)
  assert.match(sent, /card \*{4}/)
})

test('nothing that it is given makes it throw', async () => {
  const spoor = recorder()
  const cycle: Record<string, unknown> = { big: 10n, call: () => 1 }
  cycle['self'] = cycle
  Object.defineProperty(cycle, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error('getter')
    },
  })
  const odd = undefined as never
  spoor.trace('run', { metadata: cycle }, (trace) => {
    trace.step('a', (step) => {
      step.messages(odd).usage(odd).error(odd).attach(odd)
      step.metadata(odd).messages([cycle])
    })
    trace.metric(odd, odd).flag(odd)
    trace.end()
    trace.end()
  })
  const without = createRecorder({
    url: 'nonsense',
    apiKey: 'k',
    onWarning: () => {
      throw new Error('warning')
    },
  })
  assert.equal(
    without.trace('run', () => 1),
    1,
  )
  assert.equal((await without.flush()).ok, false)
  await spoor.flush()
  assert.match(service.span('run').facts['spoor.trace.metadata'] ?? '', /"self":"\[circular\]"/)
  assert.equal(service.span('run').facts['spoor.trace.metadata']?.includes('"bad":"[unreadable]"'), true)
})

test('10,000 traces at the same time keep their steps apart', async () => {
  const spoor = recorder({ delayMs: 50 })
  await Promise.all(
    Array.from({ length: 10_000 }, (_, at) =>
      spoor.trace(`trace ${at}`, async () => {
        await Promise.resolve()
        await spoor.step(`step ${at}`, () => null)
      }),
    ),
  )
  const { ok, stored } = await spoor.flush()
  assert.deepEqual([ok, stored], [true, 20_000])
  const traces = new Map(service.spans.map(({ name, traceId }) => [name, traceId]))
  assert.equal(traces.size, 20_000)
  for (let at = 0; at < 10_000; at++) assert.equal(traces.get(`trace ${at}`), traces.get(`step ${at}`))
})

test('files are base64 in an object that names their type', async () => {
  const spoor = recorder()
  await spoor.trace('run', (trace) =>
    trace.step('a', async (step) => {
      step.attach({ bytes: new Uint8Array([1, 2, 3]), contentType: 'image/png', filename: 'x.png' })
      step.attach({ bytes: await new Blob(['text']).arrayBuffer(), contentType: 'text/plain' })
      step.attach({ uri: 'media://x' })
    }),
  )
  await spoor.flush()
  const { facts } = service.span('a')
  assert.deepEqual(JSON.parse(facts['spoor.step.metadata'] ?? ''), {
    attachments: [
      { type: 'file', media_type: 'image/png', filename: 'x.png', data: 'AQID' },
      { type: 'file', media_type: 'text/plain', data: 'dGV4dA==' },
    ],
  })
  assert.equal(facts['spoor.step.attachments'], '[{"uri":"media://x"}]')
})
