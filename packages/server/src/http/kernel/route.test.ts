import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'

test('checks a request in order: Accept, query, path, authorization, body', async () => {
  const { app, ownProject, foreignProject } = createHttpWorld()
  after(() => app.close())
  const codeOf = async (id: string, { query = '', accept = '*/*' } = {}) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/v1/projects/${id}/keys${query}`,
      headers: { 'x-api-key': 'own', 'content-type': 'application/json', accept },
      payload: '{"name":',
    })
    return answer.json().code
  }
  assert.equal(await codeOf('nothing', { query: '?x=1', accept: 'image/png' }), 'not_acceptable')
  assert.equal(await codeOf('nothing', { query: '?x=1' }), 'validation_failed')
  assert.equal(await codeOf('nothing'), 'not_found')
  assert.equal(await codeOf(foreignProject), 'not_found')
  assert.equal(await codeOf(ownProject), 'malformed_json')
})

test('the project of a path must be the project of the key, whatever its scopes', async () => {
  const { app, ownProject, foreignProject } = createHttpWorld()
  after(() => app.close())
  const statusOf = async (project: string) =>
    (await app.inject({ url: `/v1/projects/${project}/webhooks`, headers: { 'x-api-key': 'admin' } })).statusCode
  assert.deepEqual([await statusOf(ownProject), await statusOf(foreignProject)], [200, 404])
})
