import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { createExpiredKey, createKey, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

let service: Service
let projectId: string

before(async () => {
  service = await Service.start()
  projectId = await firstProjectId(service.client)
})

after(() => service[Symbol.asyncDispose]())

async function statusWith(key: string): Promise<number> {
  const client = service.client.as(key)
  const { status } = await client.get('/v1/traces')
  client.close()
  return status
}

test('a key works until it expires', async () => {
  const { secret } = await createKey(service.client, projectId, {
    scopes: ['read'],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  assert.equal(await statusWith(secret), 200)
  assert.equal(await statusWith(await createExpiredKey(service.dataDir, projectId)), 401)
})

test('the command line creates and revokes keys of the running service, with effect from the next request', async () => {
  const made = await runSpoor(service.dataDir, ['keys', 'create', '--name', 'from outside', '--json'])
  assert.equal(made.code, 0, made.error)
  const { id, secret } = JSON.parse(made.out) as { id: string; secret: string }
  assert.equal(await statusWith(secret), 200)
  const revoked = await runSpoor(service.dataDir, ['keys', 'revoke', id])
  assert.equal(revoked.code, 0, revoked.error)
  assert.equal(await statusWith(secret), 401)
  const listed = await runSpoor(service.dataDir, ['keys', 'list', '--json'])
  assert.ok(!listed.out.includes(id) && !listed.out.includes(secret), listed.out)
})

test('a key is replaced while both are valid, without a refused request in between', async () => {
  const old = await createKey(service.client, projectId, { scopes: ['read', 'ingest'] })
  let key = old.secret
  let answered: string | null = null
  const stop = new AbortController()
  const statuses = new Set<number>()
  const user = (async () => {
    while (!stop.signal.aborted) {
      const used = key
      const client = service.client.as(used)
      statuses.add((await client.postTrace({ name: 'rotating' })).status)
      client.close()
      answered = used
    }
  })()
  const fresh = await createKey(service.client, projectId, { scopes: ['read', 'ingest'] })
  assert.deepEqual([await statusWith(old.secret), await statusWith(fresh.secret)], [200, 200])
  key = fresh.secret
  await eventually('the new key is used', () => answered === fresh.secret)
  const path = `/v1/projects/${projectId}/keys/${old.id}`
  assert.equal((await service.client.call({ method: 'DELETE', path })).status, 204)
  assert.deepEqual([await statusWith(old.secret), await statusWith(fresh.secret)], [401, 200])
  stop.abort()
  await user
  assert.deepEqual([...statuses], [202])
})

test('keys, their states and the bootstrap key survive a restart', async () => {
  const live = await createKey(service.client, projectId, { scopes: ['read'] })
  const dead = await createKey(service.client, projectId, { scopes: ['read'] })
  await service.client.call({ method: 'DELETE', path: `/v1/projects/${projectId}/keys/${dead.id}` })
  await service.kill()
  await service.start()
  assert.deepEqual(
    [await statusWith(live.secret), await statusWith(dead.secret), await statusWith(service.key)],
    [200, 401, 200],
  )
})
