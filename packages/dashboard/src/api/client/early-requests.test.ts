import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EarlyRequests } from './early-requests.ts'

function open() {
  const sent: { path: string; signal: AbortSignal }[] = []
  const requests = new EarlyRequests(async (path, { signal }) => {
    sent.push({ path, signal })
    return new Response(path)
  })
  return { sent, requests }
}

test('a response is taken once, by its path', async () => {
  const { sent, requests } = open()
  requests.send('/v1/session')
  assert.equal(requests.take('/v1/traces', undefined), null)
  const answer = await requests.take('/v1/session', undefined)
  assert.equal(await answer?.text(), '/v1/session')
  assert.equal(requests.take('/v1/session', undefined), null)
  assert.equal(sent.length, 1)
})

test('the caller cancels an early request by a signal, even one that was aborted before', () => {
  const { sent, requests } = open()
  requests.send('/one')
  requests.send('/other')
  const later = new AbortController()
  void requests.take('/one', later.signal)
  void requests.take('/other', AbortSignal.abort())
  assert.deepEqual(
    sent.map(({ signal }) => signal.aborted),
    [false, true],
  )
  later.abort()
  assert.equal(sent[0]?.signal.aborted, true)
})

test('a response that nobody takes for 10 s is dropped, and only that', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { sent, requests } = open()
  requests.send('/one')
  requests.send('/other')
  t.mock.timers.tick(9_999)
  assert.notEqual(requests.take('/one', undefined), null)
  t.mock.timers.tick(1)
  assert.equal(requests.take('/other', undefined), null)
  assert.deepEqual(
    sent.map(({ signal }) => signal.aborted),
    [false, true],
  )
})

test('requests sent without a session are not reused by the next session', () => {
  const { sent, requests } = open()
  requests.send('/one')
  requests.forget()
  assert.equal(sent[0]?.signal.aborted, true)
  assert.equal(requests.take('/one', undefined), null)
})
