import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { LARGE_BODY_BYTES } from '../../packages/server/src/traces/parse-thread/large-bodies.ts'
import { newPlace } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { type Part, requestOf, ROUNDS_OF_TRACE, SENDERS, type Size, traceOf, USED } from './resend-after-kills.ts'

const CODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const
/** The planner splits them into three groups and two. */
const MANY = { otlp: 4100, langsmith: 2100, langfuse: 2100 } as const
const AGAIN_MS = 500
const LARGE = 'sunny '.repeat(150_000).trim()

interface Found {
  readonly step_count: number
  readonly token_usage: { readonly input: number }
  readonly steps: readonly { readonly name: string; readonly ended_at: string | null }[]
}

let service: Service
before(async () => void (service = await Service.start()))
after(() => service[Symbol.asyncDispose]())

for (const [place, name] of (['otlp', 'langsmith', 'langfuse'] as const).entries()) {
  const [sender, many] = [SENDERS[name], MANY[name]]
  /** Each test has a trace of its own. */
  const ofMany = 3 * place * ROUNDS_OF_TRACE
  const [ofLarge, ofSmall] = [ofMany + ROUNDS_OF_TRACE, ofMany + 2 * ROUNDS_OF_TRACE] as const

  const send = async (round: number, part: Part, size: Size, [coding, encode]: (typeof CODINGS)[number]) => {
    const request = requestOf(sender, round, part, size)
    const headers = { ...request.headers, 'content-encoding': coding }
    const encoded = { ...request, headers, body: encode(request.body) }
    let answer = await service.client.call(encoded)
    // On a busy machine the bodies before it may hold the memory for long; a sender sends again.
    for (; answer.status === 503; answer = await service.client.call(encoded)) await sleep(AGAIN_MS)
    sender.taken(answer.status, answer.text)
    return request.body.length
  }
  const read = async (round: number) => (await service.client.get(`/v1/traces/${traceOf(round)}`)).json<Found>()

  describe(`odd batches of ${name}`, () => {
    test(`${many} ends come before their starts, and again in another coding`, async () => {
      const size = { count: many, textOf: () => 'sunny' }
      const [first, second, third] = CODINGS
      for (const coding of [first, second]) await send(ofMany, 'end', size, coding)
      await send(ofMany, 'start', size, third)
      if ('recordsOf' in sender) for (const coding of [third, first]) await send(ofMany, 'records', size, coding)
      const { step_count: count, token_usage: usage, steps } = await read(ofMany)
      assert.deepEqual([count, usage.input, steps.length], [many, many * USED, many])
      assert.equal(new Set(steps.map((step) => step.name)).size, many)
      assert.ok(steps.every(({ ended_at: end }) => end !== null))
      if (!('recordsOf' in sender)) return
      const said = steps.map((step) => JSON.stringify(step).split(' first"').length)
      assert.ok(said.every((parts) => parts === 2))
    })

    test('a body of more than 20 MB, three times at once', async () => {
      const size = { count: 25, textOf: () => LARGE }
      const sent = await Promise.all(CODINGS.map((coding) => send(ofLarge, 'end', size, coding)))
      assert.ok(sent.every((bytes) => bytes > 20_000_000))
      const { step_count: count, token_usage: usage, steps } = await read(ofLarge)
      assert.deepEqual([count, usage.input], [25, 25 * USED])
      assert.ok(steps.every((step) => JSON.stringify(step).includes(LARGE)))
    })

    test('a body that the main thread parses, in each coding', async () => {
      const size = { count: 25, textOf: (at: number) => `rain ${at} `.repeat(100).trim() }
      for (const coding of CODINGS) assert.ok((await send(ofSmall, 'end', size, coding)) < LARGE_BODY_BYTES)
      const { steps } = await read(ofSmall)
      const printed = steps.map((step) => JSON.stringify(step))
      assert.equal(printed.length, size.count)
      for (let at = 0; at < size.count; at++) assert.ok(printed.some((step) => step.includes(size.textOf(at))))
    })
  })
}

const [ROOT, A, B, C, D] = [1, 2, 3, 4, 5].map((digit) => `01a21a21-3072-71dc-9316-${String(digit).padStart(12, '0')}`)
const run = { trace_id: ROOT, run_type: 'chain', start_time: 1_795_734_740_000 }
const event = (type: string, body: object) => ({
  id: JSON.stringify(body),
  type,
  timestamp: '2026-11-26T23:12:20Z',
  body,
})

/** Three steps in circles, one that only ends, and two with ids of a wrong form. */
const CIRCLES = {
  langsmith: {
    path: '/runs/batch',
    body: {
      post: [
        { ...run, id: A, name: 'a', parent_run_id: B },
        { ...run, id: B, name: 'b', parent_run_id: A },
        { ...run, id: C, name: 'c', parent_run_id: C },
        { ...run, id: 'seven', name: 'd' },
        { ...run, id: 7, name: 'd' },
      ],
      patch: [{ id: D, trace_id: ROOT, parent_run_id: A, end_time: 1_795_734_741_000 }],
    },
    refused: (text: string) => (JSON.parse(text) as { refused: number }).refused,
  },
  langfuse: {
    path: '/api/public/ingestion',
    body: {
      batch: [
        event('span-update', { id: 'd', traceId: ROOT, endTime: '2026-11-26T23:12:21Z' }),
        event('span-create', { id: 'a', name: 'a', traceId: ROOT, parentObservationId: 'b' }),
        event('span-create', { id: 'b', name: 'b', traceId: ROOT, parentObservationId: 'a' }),
        event('span-create', { id: 'c', name: 'c', traceId: ROOT, parentObservationId: 'c' }),
        event('span-create', { id: '', traceId: ROOT }),
        event('span-create', { id: 'a', traceId: { not: 'a text' } }),
      ],
    },
    refused: (text: string) => (JSON.parse(text) as { errors: unknown[] }).errors.length,
  },
} as const

for (const [name, { path, body, refused }] of Object.entries(CIRCLES)) {
  test(`circles of parents, an end without a start and bad ids of ${name}`, async () => {
    // The two senders name the same trace.
    const own = await newPlace(service)
    const headers = { 'content-type': 'application/json' }
    for (let times = 0; times < 3; times++) {
      const { text } = await own.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
      assert.equal(refused(text), 2, text)
    }
    const answer = await own.client.get(`/v1/traces/${ROOT}`)
    const { steps } = answer.json<Found & { steps: readonly { parent_step_id: string | null }[] }>()
    assert.deepEqual(steps.map((step) => step.name).sort(), ['a', 'b', 'c', 'span'])
    assert.deepEqual(
      steps.filter((step) => step.ended_at !== null).map((step) => step.name),
      ['span'],
    )
  })
}
