import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { hasListed, walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { runSpoor, startSpoor } from './run-spoor.ts'

interface Summary {
  readonly complete: boolean
  readonly committed: number
  readonly replayed: number
  readonly refused: number
  readonly unsettled: number
  readonly refusals: readonly { readonly line: number; readonly code: string; readonly detail: string }[]
  readonly stopped: string | null
  readonly import_id: string | null
}

interface Body {
  readonly name: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly session_id: string
  readonly steps: readonly Readonly<Record<string, unknown>>[]
}

function traceBody(index: number): Body {
  const text = `question ${index}: "what\u2028is" \\ ${'é'.repeat(index)}`
  return {
    name: `run ${index}`,
    metadata: { index, share: index / 7, nested: { list: [1, null, true, `${index}`] } },
    session_id: `session ${index % 3}`,
    steps: [
      { name: 'search', type: 'retrieval', metadata: { hits: index } },
      {
        name: 'answer',
        type: 'llm',
        model: index % 2 === 0 ? 'even' : 'odd',
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
        token_usage: { input: index, output: 1 },
        ...(index % 5 === 0 && { status: 'error', error: { type: 'TimeoutError', message: 'too late' } }),
      },
    ],
  }
}

const BODIES = Array.from({ length: 60 }, (_, index) => traceBody(index))
const LINES = BODIES.map((body) => JSON.stringify(body))

describe('spoor import', () => {
  let service: Service
  const folder = mkdtempSync(join(tmpdir(), 'spoor-import-'))
  before(async () => {
    service = await Service.start()
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const settings = () => ({ SPOOR_URL: service.url, SPOOR_API_KEY: service.key })
  const file = (content: string) => {
    const path = join(folder, 'input.jsonl')
    writeFileSync(path, content)
    return path
  }
  const summaryOf = async (args: readonly string[], input?: string) => {
    const run = await runSpoor(['import', '--json', ...args], {
      settings: settings(),
      ...(input !== undefined && { input }),
    })
    return { code: run.code, ...(JSON.parse(run.out) as Summary) }
  }

  test('the runs of a file are listed, found and read back as sent; importing it again adds nothing', async () => {
    const path = file(`${LINES.join('\r\n')}\r\n\n`)
    const first = await summaryOf([path])
    assert.deepEqual([first.code, first.committed, first.replayed, first.refused], [0, 60, 0, 0])
    const rows = await walkFeed(service.client)
    assert.equal(rows.length, 60)
    for (const { id, metadata } of rows) {
      const sent = BODIES[Number(metadata['index'])]
      assert.ok(sent)
      const { name, session_id, metadata: stored, steps } = (await service.client.get(`/v1/traces/${id}`)).json<Trace>()
      const fields = steps.map((step, index) =>
        Object.fromEntries(Object.keys(sent.steps[index] ?? {}).map((key) => [key, step[key as keyof typeof step]])),
      )
      assert.deepEqual({ name, session_id, metadata: stored, steps: fields }, sent)
    }
    const found = async (query: Record<string, string>) => (await walkFeed(service.client, query)).length
    assert.equal(await found({ model: 'even' }), 30)
    assert.equal(await found({ status: 'error' }), 12)
    assert.equal(await found({ meta_key: 'index', meta_value: '7' }), 1)
    assert.equal(await found({ q: 'question 41:' }), 1)

    // From standard input, with other line ends and in another order: the lines are the same.
    const again = await summaryOf(['-'], LINES.toReversed().join('\n'))
    assert.deepEqual([again.code, again.committed, again.replayed], [0, 0, 60])
    assert.equal((await walkFeed(service.client)).length, 60)
  })

  test('--again creates new traces once, and --import-id continues that import', async () => {
    const path = file('{"name":"once more"}\n{"name":"once more"}\n')
    assert.deepEqual((await summaryOf([path])).committed, 2)
    const again = await summaryOf([path, '--again'])
    assert.deepEqual([again.committed, again.replayed], [2, 0])
    assert.ok(again.import_id)
    const resumed = await summaryOf([path, '--import-id', again.import_id])
    assert.deepEqual([resumed.committed, resumed.replayed], [0, 2])
  })

  test('invalid lines are refused with number and reason, the others are imported', async () => {
    const path = file('\uFEFF{"name":"good"}\n\n{"name":\n{"nam":"typo"}\n[]\n{"name":"also good"}')
    const run = await runSpoor(['import', path], { settings: settings() })
    assert.equal(run.code, 1)
    assert.match(run.out, /^2 committed, 0 already there, 3 refused in /)
    assert.match(run.out, /line 3: malformed_json: /)
    assert.match(run.out, /line 4: validation_failed: .*Did you mean `name`/)
    assert.match(run.out, /line 5: validation_failed: /)
  })

  test('what a recorder kept is imported once, however often, and refused spans are named', async () => {
    const traceId = 'a'.repeat(31) + '1'
    const span = (spanId: string, name: string, attributes: Record<string, string>) => ({
      traceId,
      spanId: spanId.padStart(16, '0'),
      ...(spanId !== '1' && { parentSpanId: '1'.padStart(16, '0') }),
      name,
      startTimeUnixNano: '1772323200000000000',
      endTimeUnixNano: '1772323201000000000',
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    })
    const spans = (...of: readonly object[]) => ({
      kind: 'spans',
      body: { resourceSpans: [{ scopeSpans: [{ scope: { name: 'spoor' }, spans: of }] }] },
    })
    await service.client.call({
      method: 'POST',
      path: '/v1/metrics',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'kept', kind: 'numeric' }),
    })
    const event = { name: 'kept', trace_id: traceId, value: 0.5, idempotency_key: 'once' }
    const lines = [
      spans(span('2', 'kept step', { 'spoor.step.usage': '{"input":3}' }), span('0', 'bad', {})),
      spans(span('1', 'kept run', { 'spoor.span.kind': 'trace' })),
      { kind: 'metric', path: '/v1/metrics/events', body: event },
      { kind: 'flag', path: `/v1/traces/${traceId}`, body: { flagged: true, reason: 'kept' } },
    ]
    const path = file(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    for (const expected of [
      [3, 0, 1],
      [2, 1, 1],
    ]) {
      const { committed, replayed, refused, refusals } = await summaryOf([path])
      assert.deepEqual([committed, replayed, refused], expected)
      assert.match(
        JSON.stringify(refusals),
        /"line":1,"code":"spans_refused","detail":"1 span of the line: the span id/,
      )
      const { name, steps, state, token_usage } = (await service.client.get(`/v1/traces/${traceId}`)).json<Trace>()
      assert.deepEqual([name, steps.map((step) => step.name), state], ['kept run', ['kept step'], 'flagged'])
      assert.equal(steps[0]?.parent_step_id, null)
      assert.equal(token_usage.input, 3)
      const events = await service.client.get(`/v1/metrics/events?trace_id=${traceId}`)
      assert.equal(events.json<{ events: readonly unknown[] }>().events.length, 1)
    }
  })

  test('a wrong key, a wrong address, a missing file and wrong usage are each reported at once', async () => {
    const path = file('{"name":"a"}\n')
    const wrongKey = await runSpoor(['import', path], { settings: { ...settings(), SPOOR_API_KEY: 'spoor_wrong' } })
    assert.equal(wrongKey.code, 1)
    assert.match(wrongKey.out, /unauthorized/)
    const closed = await freePort()
    const nowhere = await runSpoor(['import', path, '--url', `http://127.0.0.1:${closed}`], { settings: settings() })
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.errors, /No service answers at .*ECONNREFUSED.*npm start/)
    const missing = await runSpoor(['import', join(folder, 'nothing')], { settings: settings() })
    assert.deepEqual([missing.code, /there is no such file/.test(missing.errors)], [1, true])
    const usage = await runSpoor(['import', path], { settings: { SPOOR_URL: service.url } })
    assert.deepEqual([usage.code, /needs an API key/.test(usage.errors)], [2, true])
  })

  test('Ctrl-C ends it with a summary, also while the input is idle', async () => {
    const child = startSpoor(['import', '-', '--json', '--import-id', 'interrupted'], settings())
    child.write('{"name":"before the interruption"}\n')
    while ((await walkFeed(service.client, { name: 'before the interruption' })).length === 0);
    child.interrupt()
    const { out, code } = await child.finished
    const summary = JSON.parse(out) as Summary
    assert.deepEqual([code, summary.committed, summary.stopped], [1, 1, 'it was interrupted.'])
  })
})

test('an import survives a restart of the service, and rerunning a killed import duplicates nothing', async () => {
  const port = await freePort()
  await using service = await Service.start({ environment: { SPOOR_PORT: String(port) } })
  const child = startSpoor(['import', '-', '--json'], { SPOOR_URL: service.url, SPOOR_API_KEY: service.key })
  child.write(`${LINES.slice(0, 20).join('\n')}\n`)
  await hasListed(service.client, 5)
  await service.kill()
  child.write(`${LINES.slice(20, 40).join('\n')}\n`)
  await service.start()
  child.write(`${LINES.slice(40).join('\n')}\n`)
  await hasListed(service.client, 25)
  await service.stop()
  child.end()
  await service.start()
  const { out, code } = await child.finished
  const summary = JSON.parse(out) as Summary
  assert.equal(code, 0, out)
  assert.deepEqual([summary.complete, summary.committed + summary.replayed, summary.refused], [true, 60, 0])
  const rows = await walkFeed(service.client)
  assert.deepEqual(
    rows.map(({ metadata }) => Number(metadata['index'])).sort((a, b) => a - b),
    BODIES.map((_, index) => index),
  )
})

/** A port that was free a moment ago. A restarted service must use the same one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  server.close()
  await once(server, 'close')
  return address.port
}
