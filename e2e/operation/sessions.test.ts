import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runSpoor } from '../lib/command.ts'
import { type Client, createClient } from '../lib/client.ts'
import { filesHolding } from '../lib/files-holding.ts'
import { serve, signedUrlPath, upload } from '../lib/media/media.ts'
import { createKey, createProject, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { askForSession, signIn } from '../lib/sessions.ts'
import { openTail } from '../lib/tail.ts'

let service: Service
let projectId: string

before(async () => {
  service = await Service.start()
  projectId = await firstProjectId(service.client)
})

after(() => service[Symbol.asyncDispose]())

async function statusOf(client: Client, method = 'GET', path = '/v1/session'): Promise<number> {
  return (await client.call({ method, path })).status
}

test('a browser that has signed in reads, marks, uploads, sees media and follows the tail without a key', async () => {
  const { client, cookie, setCookie } = await signIn(service.client)
  const { port } = new URL(service.url)
  const attributes = 'Path=/; Max-Age=604800; HttpOnly; SameSite=Strict'
  assert.match(setCookie, new RegExp(`^spoor_session_${port}=[\\w-]{43}; ${attributes}$`))
  const made = (await client.postTrace({ name: 'by cookie', steps: [{ name: 'a' }] })).json<{ id: string }>()
  assert.equal((await client.append(made.id, '{"name":"b"}')).status, 200)
  const read = await client.get(`/v1/traces/${made.id}`)
  assert.equal(read.text, (await service.client.get(`/v1/traces/${made.id}`)).text)
  const { uri } = await upload(client, { trace_id: made.id, kind: 'file' }, { content: 'seen' })
  assert.equal((await serve(client, uri)).text, 'seen')
  const tail = await openTail(service.url, null, { cookie, 'last-event-id': '0' })
  await tail.until(({ text }) => text.includes(made.id))
  assert.equal(await statusOf(client, 'DELETE'), 204)
  await tail.ended
  assert.equal((await openTail(service.url, null, { cookie })).status, 401)
  assert.equal((await serve(client, uri)).status, 401)
})

test('a page from elsewhere changes nothing with the cookie, and gets no signed URL', async () => {
  const { client, cookie } = await signIn(service.client)
  const { id } = (await client.postTrace({ name: 'kept' })).json<{ id: string }>()
  const path = `/v1/traces/${id}`
  const headers = { 'content-type': 'application/json', cookie }
  for (const origin of [undefined, 'http://evil.example', 'http://127.0.0.1', 'null']) {
    const elsewhere = createClient(service.url, null, { ...headers, ...(origin === undefined ? {} : { origin }) })
    for (const [method, body] of [
      ['PATCH', '{"flagged":true}'],
      ['DELETE', ''],
    ] as const) {
      const answer = await elsewhere.call({ method, path, body })
      assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [403, 'foreign_origin'])
    }
    elsewhere.close()
  }
  assert.ok((await client.get(path)).text.includes('"state":"committed"'))
  assert.equal((await askForSession(service.client, { origin: 'http://evil.example' })).status, 403)
  const sign = signedUrlPath({ trace_id: id }, 'x')
  const byCookie = await service.client.as(null).get(sign, { cookie })
  const byKey = await service.client.get(sign, { cookie })
  for (const answer of [byCookie, byKey]) {
    assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [403, 'browser_refused'])
  }
})

test('revoking a key ends its sessions and streams: at once over HTTP, with the next request from the command line', async () => {
  const revocations = [
    async (id: string) => {
      const path = `/v1/projects/${projectId}/keys/${id}`
      assert.equal((await service.client.call({ method: 'DELETE', path })).status, 204)
    },
    async (id: string) => assert.equal((await runSpoor(service.dataDir, ['keys', 'revoke', id])).code, 0),
  ]
  for (const [index, revoke] of revocations.entries()) {
    const { id, secret } = await createKey(service.client, projectId, { scopes: ['read'] })
    const { client, cookie } = await signIn(service.client.as(secret))
    const tails = [await openTail(service.url, null, { cookie }), await openTail(service.url, secret)]
    assert.equal(await statusOf(client), 200)
    await revoke(id)
    assert.equal(await statusOf(client), 401)
    if (index === 0) await Promise.all(tails.map(({ ended }) => ended))
    else for (const tail of tails) tail.close()
  }
})

test('sessions survive a crash; those that were signed out do not come back', async () => {
  const live = await signIn(service.client)
  const dead = await signIn(service.client)
  assert.equal(await statusOf(dead.client, 'DELETE'), 204)
  await service.kill()
  await service.start()
  // On another port, which is part of the cookie's name.
  const { port } = new URL(service.url)
  const statuses = [live, dead].map(async ({ cookie }) => {
    const client = createClient(service.url, null, { cookie: cookie.replace(/_\d+=/, `_${port}=`) })
    return statusOf(client).finally(() => client.close())
  })
  assert.deepEqual(await Promise.all(statuses), [200, 401])
})

test('a session that switched to another project survives a crash, and its tail does not show the previous project', async () => {
  const { id: there } = await createProject(service.client, 'there')
  const session = await signIn(service.client)
  const tail = await openTail(service.url, null, { cookie: session.cookie })
  const answer = await session.client.call({
    method: 'PATCH',
    path: '/v1/session',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: there }),
  })
  assert.deepEqual([answer.status, answer.json<{ project_name: string }>().project_name], [200, 'there'])
  await tail.ended
  const { id } = (await session.client.postTrace({ name: 'there' })).json<{ id: string }>()
  assert.equal((await service.client.get(`/v1/traces/${id}`)).status, 404)
  const signedUrl = await session.client.get(signedUrlPath({ trace_id: id }, 'x'))
  assert.equal(signedUrl.json<{ code: string }>().code, 'browser_refused')
  const { uri } = await upload(session.client, { trace_id: id, kind: 'file' }, { content: 'there' })
  assert.equal((await serve(session.client, uri)).text, 'there')
  assert.equal((await serve(service.client, uri)).status, 404)
  await service.kill()
  await service.start()
  const { port } = new URL(service.url)
  const client = createClient(service.url, null, { cookie: session.cookie.replace(/_\d+=/, `_${port}=`) })
  assert.equal((await client.get('/v1/session')).json<{ project_id: string }>().project_id, there)
  assert.equal((await client.get(`/v1/traces/${id}`)).status, 200)
  client.close()
})

test('behind a proxy with TLS the cookie is secure', async () => {
  const headers = { host: 'traces.example', origin: 'https://traces.example', 'x-forwarded-proto': 'https' }
  const answer = await askForSession(service.client, headers)
  assert.equal(answer.status, 201, answer.text)
  assert.match(String(answer.headers['set-cookie']), /^spoor_session=[\w-]{43}; .*; Secure$/)
})

test('the token of a session is neither in the log nor in the store', async () => {
  const { cookie } = await signIn(service.client)
  const token = cookie.split('=')[1] as string
  assert.ok(!service.log.includes(token))
  assert.deepEqual(filesHolding(service.dataDir, token), [])
})
