import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EarlyRequests } from './early-requests.ts'

function open() {
  const asked: { path: string; signal: AbortSignal }[] = []
  const requests = new EarlyRequests(async (path, { signal }) => {
    asked.push({ path, signal })
    return new Response(path)
  })
  return { asked, requests }
}

test('an answer is taken once, by its path', async () => {
  const { asked, requests } = open()
  requests.send('/v1/session')
  assert.equal(requests.take('/v1/traces', undefined), null)
  const answer = await requests.take('/v1/session', undefined)
  assert.equal(await answer?.text(), '/v1/session')
  assert.equal(requests.take('/v1/session', undefined), null)
  assert.equal(asked.length, 1)
})

test('who takes it gives it up by a signal, also by one that was given before', () => {
  const { asked, requests } = open()
  requests.send('/one')
  requests.send('/other')
  const later = new AbortController()
  void requests.take('/one', later.signal)
  void requests.take('/other', AbortSignal.abort())
  assert.deepEqual(
    asked.map(({ signal }) => signal.aborted),
    [false, true],
  )
  later.abort()
  assert.equal(asked[0]?.signal.aborted, true)
})

test('what was asked without a session is not kept for one', () => {
  const { asked, requests } = open()
  requests.send('/one')
  requests.forget()
  assert.equal(asked[0]?.signal.aborted, true)
  assert.equal(requests.take('/one', undefined), null)
})
