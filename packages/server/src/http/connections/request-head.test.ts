import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import { contentTypesOf, type Operation } from '@spoor/contract/operations/operation'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }

/** The query and headers of any request. The path parameters name nothing, so that no operation changes anything. */
function requestOf({ method, path }: Operation, ownProject: string) {
  const named = path.replace(':project_id', ownProject).replace(/:\w+/g, 'nothing')
  return { method, path: named, headers: { 'x-api-key': 'admin' } }
}

const CHECKED = Object.entries<Operation>(OPERATIONS).filter(([, operation]) => operation.takesAnyHead !== true)

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: every operation refuses unknown query parameters by name`, async () => {
    const { app, ownProject } = createHttpWorld()
    const send = await connect(app)
    for (const [id, operation] of CHECKED) {
      const request = requestOf(operation, ownProject)
      // The list that is exported refuses it.
      const before = id === 'exportRows' ? 'what=traces&format=csv&' : ''
      const answer = await send({ ...request, path: `${request.path}?${before}no_such_parameter=1` })
      assert.equal(answer.status, 422, id)
      if (operation.method === 'HEAD') continue
      const { code, errors } = answer.json()
      assert.equal(code, 'validation_failed', id)
      assert.deepEqual(
        errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
        [['?no_such_parameter', 'unknown_field']],
        id,
      )
    }
  })

  test(`${name}: every operation refuses an Accept header that excludes its answer`, async () => {
    const { app, ownProject } = createHttpWorld()
    const send = await connect(app)
    for (const [id, operation] of CHECKED) {
      if (contentTypesOf(operation).length === 0) continue
      const { headers, ...request } = requestOf(operation, ownProject)
      const answer = await send({ ...request, headers: { ...headers, accept: 'image/png, text/calendar' } })
      assert.deepEqual([answer.status, answer.json().code], [406, 'not_acceptable'], id)
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/, id)
    }
  })
}

test('an unknown parameter gets the nearest name; a hostile query gets no huge answer', async () => {
  const { app } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  const detail = async (path: string) => (await send({ path, headers: OWN })).json().errors[0].detail
  assert.equal(await detail('/v1/traces?statuss=ok'), 'There is no query parameter `statuss`. Did you mean `status`?')
  assert.equal(await detail('/v1/traces?zzz=ok'), 'There is no query parameter `zzz`.')
  assert.equal(await detail('/v1/settings?zzz=ok'), 'There is no query parameter `zzz`. None are allowed here.')
  const many = Array.from({ length: 1000 }, (_, number) => `p${number}`).join('&')
  const refused = await send({ path: `/v1/traces?${many}&${'x'.repeat(5000)}`, headers: OWN })
  assert.deepEqual([refused.json().errors.length, refused.text.length < 5000], [20, true])
})

test('health and pages take any query and Accept header', async () => {
  const { app } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  for (const [path, status] of [
    ['/healthz?probe=1', 200],
    // To the URL without the query.
    ['/docs?x=1', 302],
    ['/docs', 200],
  ] as const) {
    assert.equal((await send({ path, headers: { accept: 'image/png' } })).status, status, path)
  }
})
