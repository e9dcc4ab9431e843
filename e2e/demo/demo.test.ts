import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { SESSIONS } from '../../fixtures/demo-agent/questions.ts'
import { runDemo } from '../lib/demo-agent.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { openTail } from '../lib/tail.ts'

test('the demo fills a service with complete runs of every kind, also while they run', async () => {
  await using service = await Service.start()
  const tail = await openTail(service.url, service.key, {})
  const {
    out,
    error: complaint,
    code,
  } = await runDemo(['--pace', '0'], { SPOOR_URL: service.url, SPOOR_API_KEY: service.key })
  assert.deepEqual([code, complaint], [0, ''])

  const questions = SESSIONS.flatMap((session) => session.questions)
  const rows = await walkFeed(service.client)
  assert.deepEqual(rows.map(({ metadata }) => metadata['question']).toReversed(), questions)
  await tail.until(({ events }) => events.length === questions.length)
  tail.close()
  assert.equal(new Set(rows.map(({ session_id }) => session_id)).size, SESSIONS.length)
  assert.deepEqual(new Set(rows.map(({ metadata }) => metadata['sent'])), new Set(['whole', 'live']))
  assert.ok(rows.every(({ models, token_usage }) => models[0] === 'extractive-bm25' && token_usage.total > 10))

  const failed = rows.filter(({ status }) => status === 'error')
  const coped = rows.filter(({ recovered_errors: recovered }) => recovered > 0)
  const counts = [failed.length, coped.length, rows.length]
  assert.ok(failed.length >= 2 && coped.length >= 1 && failed.length + coped.length < rows.length / 2, counts.join())
  const errorTypes = new Set<unknown>()
  const stepTypes = new Set<string>()
  for (const { id } of rows) {
    const { steps } = (await service.client.get(`/v1/traces/${id}`)).json<Trace>()
    for (const { type, error } of steps) {
      stepTypes.add(type)
      if (error) errorTypes.add(error.type)
    }
  }
  assert.deepEqual(stepTypes, new Set(['chain', 'tool', 'retrieval', 'rerank', 'guardrail', 'llm']))
  assert.ok(errorTypes.isSupersetOf(new Set(['CalculationError', 'ENOENT', 'HttpError'])), [...errorTypes].join())
  assert.match(out, new RegExp(`${questions.length} runs are traced`))
  const failedId = new RegExp(`${service.url}/app/traces/(\\w+)`).exec(out)?.[1]
  const shown = (await service.client.get(`/v1/traces/${failedId}`)).json<Trace>()
  assert.deepEqual([shown.name, shown.status], ['answer from documents', 'error'])
  assert.ok(out.includes(`${service.url}/v1/traces?status=error`) && !out.includes(service.key))
})

test('without a service, without a key and with a wrong key it says what to do', async () => {
  const nowhere = await runDemo([], { SPOOR_URL: 'http://127.0.0.1:9' })
  assert.deepEqual([nowhere.code, /npm start[^]*npm run demo/.test(nowhere.error)], [1, true])
  await using service = await Service.start()
  const keyless = await runDemo([], { SPOOR_URL: service.url })
  assert.deepEqual([keyless.code, /keys create[^]*npm run demo/.test(keyless.error)], [1, true])
  const wrong = await runDemo([], { SPOOR_URL: service.url, SPOOR_API_KEY: 'spoor_wrong' })
  assert.deepEqual([wrong.code, /401[^]*keys create/.test(wrong.error)], [1, true])
  assert.equal((await runDemo(['--pace', 'slow'], {})).code, 2)
})
