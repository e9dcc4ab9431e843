import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { filesHolding } from '../lib/files-holding.ts'
import { Service } from '../lib/service.ts'

test('the first start prints a URL that signs in once; later starts print one without a token', async () => {
  await using service = await Service.start({ environment: { SPOOR_BOOTSTRAP_KEY: '' } })
  const signIn = (body: object) =>
    service.client.as(null).call({
      method: 'POST',
      path: '/v1/session',
      headers: { 'content-type': 'application/json', origin: service.url, 'x-request-id': 'same' },
      body: JSON.stringify(body),
    })
  const [, key = ''] = /^ {2}API key: {2}(\S+)$/m.exec(service.greeting) ?? []
  const [, url = '', token = ''] = /^ {2}dashboard: (\S+)\/#sign-in=([\w-]{43})$/m.exec(service.greeting) ?? []
  assert.equal(url, service.url, service.greeting)
  assert.equal(service.greeting.split('\n')[0], `spoor ready at ${service.url}`)
  const signedIn = await signIn({ sign_in_token: token })
  assert.equal(signedIn.status, 201, signedIn.text)
  const { key_id } = signedIn.json<{ key_id: string }>()
  assert.equal((await signIn({ key })).json<{ key_id: string }>().key_id, key_id)
  const again = await signIn({ sign_in_token: token })
  assert.deepEqual([again.status, again.text], [401, (await signIn({ key: 'junk' })).text])
  assert.deepEqual(filesHolding(service.dataDir, token), [])
  assert.ok(!service.log.includes(token))
  await service.restart()
  assert.match(service.greeting, new RegExp(`^ {2}dashboard: ${service.url}/$`, 'm'))
})

test('a first start whose port is in use creates nothing, and the next one prints the key', async (context) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  context.after(() => other.close())
  const { port } = other.address() as AddressInfo
  await using service = new Service({ environment: { SPOOR_BOOTSTRAP_KEY: '' } })
  await assert.rejects(service.start(['--port', String(port)]), new RegExp(`127.0.0.1:${port} is in use by process`))
  assert.deepEqual(readdirSync(service.dataDir), [])
  await service.start()
  assert.match(service.greeting, /^ {2}API key: {2}spoor_/m)
})

test('a start with a configured key prints no token', async () => {
  await using service = await Service.start()
  assert.match(service.greeting, new RegExp(`^ {2}dashboard: ${service.url}/$`, 'm'))
  assert.ok(!service.greeting.includes('#'))
})
