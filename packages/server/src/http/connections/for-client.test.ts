import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { currentRequester, type Requester } from '../../lib/flow/requester.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { ClientGone } from '../bodies/request-body.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const NOTHING = { values: [], complete: true }

test('a read runs for the project of its key, and its signal does not abort if it is answered', async () => {
  const { app, facets, ownProject } = createHttpWorld()
  const port = await listen(app)
  const seen: Requester[] = []
  facets.traceFacets = async () => {
    seen.push(currentRequester())
    return NOTHING
  }
  await sendTo(port, { path: '/v1/traces/facets?field=name', headers: OWN })
  const [requester] = seen
  assert.ok(requester?.kind === 'project')
  assert.deepEqual([requester.projectId, requester.signal.aborted], [ownProject, false])
})

test('the signal of a read aborts when its client disconnects', async () => {
  const { app, facets } = createHttpWorld()
  const port = await listen(app)
  const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>()
  facets.traceFacets = async () => {
    const requester = currentRequester()
    assert.ok(requester.kind === 'project')
    begin(requester.signal)
    await once(requester.signal, 'abort')
    throw requester.signal.reason
  }
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /v1/traces/facets?field=name HTTP/1.1\r\nHost: spoor\r\nx-api-key: own\r\n\r\n')
  const signal = await begun
  const aborted = once(signal, 'abort')
  socket.destroy()
  await aborted
  assert.ok(signal.reason instanceof ClientGone)
})

test('a write does not run for its client, because others share its work', async () => {
  const { app, traces } = createHttpWorld()
  const port = await listen(app)
  const seen: Requester[] = []
  const commit = traces.commit.bind(traces)
  traces.commit = (request) => {
    seen.push(currentRequester())
    return commit(request)
  }
  await sendTo(port, { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' })
  assert.deepEqual(seen, [{ kind: 'service' }])
})

test('a preview of a monitor is a read', async () => {
  const { app, monitoring, ownProject } = createHttpWorld()
  const port = await listen(app)
  const seen: Requester[] = []
  monitoring.measures.delay = async () => void seen.push(currentRequester())
  const filter = { source: { kind: 'traces', measure: 'count' }, aggregation: 'count' }
  const limits = { window_seconds: 600, comparison: 'gte', threshold: 1, min_samples: 1 }
  const body = JSON.stringify({ name: 'many', ...filter, ...limits })
  const answer = await sendTo(port, { method: 'POST', path: '/v1/monitors/preview', headers: OWN, body })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(
    seen.map((requester) => requester.kind === 'project' && requester.projectId),
    [ownProject],
  )
})
