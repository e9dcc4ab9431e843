import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { Readiness } from '../../operation/readiness.ts'
import { holdAddress } from './starting-server.ts'

const OPTIONS = { host: '127.0.0.1', port: 0, version: '1.2.3', newRequestId: () => 'request-1' }

test('while the service starts, its port answers so', async (context) => {
  const readiness = new Readiness(['engine'])
  const held = await holdAddress({ ...OPTIONS, readiness })
  context.after(() => held.release())
  const at = `http://127.0.0.1:${held.port}`

  const alive = await fetch(`${at}/healthz`)
  assert.deepEqual([alive.status, await alive.json()], [200, { status: 'ok', version: '1.2.3' }])

  // Also if every part is ready, because the routes do not exist yet.
  readiness.report('engine', null)
  const ready = await fetch(`${at}/readyz`)
  assert.deepEqual([ready.status, ready.headers.get('retry-after')], [503, '1'])
  assert.deepEqual(await ready.json(), {
    status: 'unavailable',
    checks: [{ name: 'engine', ok: true, detail: null }],
  })

  const commit = await fetch(`${at}/v1/traces`, { method: 'POST', body: '{"name": "x"}' })
  assert.deepEqual([commit.status, commit.headers.get('retry-after')], [503, '1'])
  assert.equal(commit.headers.get('content-type'), 'application/problem+json')
  const problem = (await commit.json()) as Record<string, unknown>
  assert.deepEqual([problem['code'], problem['request_id']], ['starting', 'request-1'])
})

test('the port is free as soon as it is released', async () => {
  const held = await holdAddress({ ...OPTIONS, readiness: new Readiness() })
  held.release()
  const next = createServer()
  await new Promise<void>((resolve, reject) => {
    next.once('error', reject)
    next.listen(held.port, '127.0.0.1', resolve)
  })
  next.close()
})

test('a port that is in use is an error', async (context) => {
  const held = await holdAddress({ ...OPTIONS, readiness: new Readiness() })
  context.after(() => held.release())
  await assert.rejects(holdAddress({ ...OPTIONS, port: held.port, readiness: new Readiness() }), { code: 'EADDRINUSE' })
})
