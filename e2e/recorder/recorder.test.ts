import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createRecorder } from '@spoor/sdk'
import { freePorts } from '../lib/free-ports.ts'
import { Service } from '../lib/service.ts'
import { killRounds } from './kill-rounds.ts'

const [port] = await freePorts(1)
const service = await Service.start({ environment: { SPOOR_PORT: String(port) } })
const options = { url: service.url, apiKey: service.key, spoolDir: '' }
const spoolDir = mkdtempSync(join(tmpdir(), 'spoor-spool-'))
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(spoolDir, { recursive: true })
})

interface Found {
  readonly name: string
  readonly run_type: string
  readonly session_id: string
  readonly user_id: string
  readonly state: string
  readonly metadata: object
  readonly token_usage: { readonly input: number; readonly output: number }
  readonly step_count: number
  readonly steps: readonly {
    readonly name: string
    readonly type: string
    readonly model: string
    readonly parent_step_id: string | null
    readonly token_usage: { readonly output: number } | null
    readonly messages: readonly unknown[]
    readonly metadata: Readonly<Record<string, unknown>>
    readonly attachments: readonly { readonly filename: string; readonly uri: string }[]
  }[]
}

const read = async (id: string) => (await service.client.get(`/v1/traces/${id}`)).json<Found>()

test('a flush that is ok means readable: trace, steps, tokens, media, metric events and flag', async () => {
  const defined = await service.client.call({
    method: 'POST',
    path: '/v1/metrics',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"correct","kind":"boolean"}',
  })
  assert.equal(defined.status, 201)
  const spoor = createRecorder(options)
  const bytes = new Uint8Array(100_000).fill(7)
  const facts = { sessionId: 's', userId: 'u', runType: 'chat', metadata: { env: 'x' } }
  const id = await spoor.trace('support', facts, async (trace) => {
    trace.step('answer', { type: 'llm', model: 'm' }, (step) => {
      step.messages([{ role: 'user', content: 'hello' }]).usage({ input: 7, output: 3 })
      step.attach({ bytes, contentType: 'application/pdf', filename: 'a.pdf' })
    })
    await trace.step('look up', { type: 'tool' }, () => spoor.step('inner', () => undefined))
    trace.metric('correct', true, { source: 'code' }).flag('look')
    return trace.traceId
  })
  const verdicts = await spoor.flush()
  assert.deepEqual([verdicts.ok, verdicts.stored, verdicts.reasons], [true, 6, []])
  const { name, run_type, session_id, user_id, metadata, state, token_usage, steps } = await read(id)
  assert.deepEqual([name, run_type, session_id, user_id, state], ['support', 'chat', 's', 'u', 'flagged'])
  assert.deepEqual([metadata, token_usage.input, token_usage.output], [{ env: 'x' }, 7, 3])
  assert.deepEqual(steps.map((step) => step.name).sort(), ['answer', 'inner', 'look up'])
  const answer = steps.find((step) => step.name === 'answer')
  assert.deepEqual([answer?.type, answer?.model, answer?.parent_step_id], ['llm', 'm', null])
  const [media] = answer?.attachments ?? []
  assert.equal(media?.filename, 'a.pdf')
  const served = await service.client.get(`/v1/media/serve?uri=${encodeURIComponent(media?.uri ?? '')}`)
  assert.deepEqual(new Uint8Array(served.bytes), bytes)
  const events = await service.client.get(`/v1/metrics/events?name=correct`)
  assert.equal(events.json<{ events: { passed: boolean }[] }>().events[0]?.passed, true)
})

test('one bad value does not cost its step: it is moved aside and named', async () => {
  const warnings: string[] = []
  const spoor = createRecorder({ ...options, onWarning: (text) => warnings.push(text) })
  const keys = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`key ${at}`, at]))
  let deep: unknown = 'deep'
  for (let level = 0; level < 100; level++) deep = [deep]
  const traceId = spoor.trace('bad values', (trace) => {
    trace.step('type', { type: 'no slug!' }, () => undefined)
    trace.step('usage', { type: 'llm' }, (step) => {
      step.messages([{ role: 'user', content: 'keep me' }]).usage({ input: -5, output: 3 })
    })
    trace.step('keys', (step) => step.metadata(keys))
    trace.step('deep', (step) => step.metadata({ deep }))
    trace.step('large', (step) => step.messages([{ role: 'user', content: 'x'.repeat(5_000_000) }]))
    trace.step('larger', (step) => step.messages([{ role: 'user', content: 'x'.repeat(70_000_000) }]))
    return trace.traceId
  })
  const verdicts = await spoor.flush()
  assert.deepEqual([verdicts.ok, verdicts.stored], [true, 7], JSON.stringify(verdicts))
  assert.match(warnings.join('\n'), /spoor\.step\.type: .*spoor\.step\.usage\/input: /s)
  const { steps } = await read(traceId)
  const step = (name: string) => steps.find((one) => one.name === name)!
  assert.deepEqual([step('type').type, step('usage').token_usage?.output], ['other', 3])
  assert.match(JSON.stringify(step('usage').messages), /keep me/)
  assert.equal((step('keys').metadata['otel.more_attributes'] as Record<string, unknown>)['key 399'], 399)
  for (const name of ['large', 'larger'])
    assert.match(JSON.stringify(step(name).messages), /x… \[\d+ characters were cut\]/)
  const marked = steps.filter(({ metadata }) => 'spoor.problems' in metadata).map(({ name }) => name)
  assert.deepEqual(marked.sort(), ['deep', 'keys', 'large', 'type', 'usage'])
})

test('what is recorded while the service is away is on disk, and sent once when it is back', async () => {
  const away = createRecorder({ ...options, spoolDir, onWarning: () => undefined })
  await service.kill()
  const traceId = away.trace('while away', (trace) => {
    for (let at = 0; at < 5; at++) trace.step(`step ${at}`, () => undefined)
    return trace.traceId
  })
  assert.equal((await away.shutdown({ timeoutMs: 50 })).ok, false)
  assert.equal(readdirSync(spoolDir).length, 1)
  await service.start()
  const back = createRecorder({ ...options, spoolDir })
  assert.equal((await back.flush()).ok, true)
  assert.deepEqual([(await read(traceId)).step_count, readdirSync(spoolDir)], [5, []])
})

test('kills of the recorder and the service lose and double nothing', async () => {
  await killRounds(service, 4)
})
