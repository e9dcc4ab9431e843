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
const options = { url: service.url, apiKey: service.key }
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

test('a step that the service refuses is a verdict', async () => {
  const spoor = createRecorder({ ...options, onWarning: () => undefined })
  spoor.trace('refused', (trace) => {
    trace.step('bad', { type: 'no slug!' }, () => undefined)
    trace.step('good', () => undefined)
  })
  const { ok, stored, refused, reasons } = await spoor.flush()
  assert.deepEqual([ok, stored, refused, reasons.length], [false, 2, 1, 1])
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
