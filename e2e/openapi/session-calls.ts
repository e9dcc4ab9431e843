import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { signIn } from '../lib/sessions.ts'
import type { ContractChecker } from './contract-checker.ts'

const PATH = '/v1/session'
const JSON_BODY = { 'content-type': 'application/json' }
const ELSEWHERE = { origin: 'http://elsewhere.example' }

/** Every answer of the operations on sessions, and the answer of each changing operation to a foreign origin. */
export async function callSessions(checker: ContractChecker, client: Client): Promise<void> {
  const anyone = client.as(null)
  const post = async (body: string, headers: Record<string, string> = JSON_BODY) =>
    (await checker.call(anyone, { method: 'POST', path: PATH, headers, body })).status
  const good = JSON.stringify({ key: client.key })
  assert.equal(await post(good), 201)
  assert.equal(await post('{'), 400)
  assert.equal(await post('{"key":"junk"}'), 401)
  assert.equal(await post('{"sign_in_token":"junk"}'), 401)
  assert.equal(await post(good, { ...JSON_BODY, ...ELSEWHERE }), 403)
  assert.equal(await post(' '.repeat(5000)), 413)
  assert.equal(await post(good, { 'content-type': 'text/plain' }), 415)
  assert.equal(await post('{}'), 422)

  const { client: browser } = await signIn(client)
  const ask = async (from: Client, method: string, headers = {}) =>
    (await checker.call(from, { method, path: PATH, headers })).status
  assert.equal(await ask(browser, 'GET'), 200)
  assert.equal((await checker.call(browser, { path: '/v1/traces' })).status, 200)
  assert.equal(await ask(browser, 'DELETE', ELSEWHERE), 403)
  const projectId = await firstProjectId(client)
  const move = async (from: Client, id: string, headers: Record<string, string> = JSON_BODY) => {
    const body = JSON.stringify({ project_id: id })
    return (await checker.call(from, { method: 'PATCH', path: PATH, headers, body })).status
  }
  assert.equal(await move(browser, projectId), 200)
  assert.equal(await move(browser, 'proj_01h2xcejqtf2nbrexx3vqjhp41'), 404)
  assert.equal(await move(browser, 'junk'), 422)
  assert.equal(await move(browser, 'x'.repeat(5000)), 413)
  assert.equal(await move(browser, projectId, { 'content-type': 'text/plain' }), 415)
  assert.equal(await move(client, projectId), 404)
  assert.equal(await move(anyone, projectId), 401)
  const reader = client.as((await createKey(client, projectId, { scopes: ['read'] })).secret)
  assert.equal(await move((await signIn(reader)).client, projectId), 403)
  const half = { method: 'PATCH', path: PATH, headers: JSON_BODY, body: '{' }
  assert.equal((await checker.call(browser, half)).status, 400)
  for (const method of ['GET', 'DELETE']) {
    assert.equal(await ask(anyone, method), 401)
    assert.equal(await ask(client, method), 404)
  }
  for (const { method, path } of checker.changing()) {
    const answer = await checker.call(browser, { method, path, headers: ELSEWHERE })
    assert.deepEqual(
      [answer.status, answer.json<{ code: string }>().code],
      [403, 'foreign_origin'],
      `${method} ${path}`,
    )
  }
  assert.equal(await ask(browser, 'DELETE'), 204)
  assert.equal(await ask(browser, 'GET'), 401)
}
