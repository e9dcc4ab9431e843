import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../lib/operator-error.ts'
import { authenticate } from './authenticate.ts'
import { bootstrap } from './bootstrap.ts'
import { createProject } from './create-project.ts'
import { newSecret } from './key-format.ts'
import { projectsFixture } from './projects.test-support.ts'
import { revokeKey } from './revoke-key.ts'
import { SCOPES } from '@spoor/contract/scopes'

test('the first start makes a project and a key with all scopes, later ones make nothing', async () => {
  const fixture = projectsFixture()
  const first = await bootstrap(fixture, null)
  assert.ok(first.secret)
  assert.deepEqual([first.firstStart, first.bootstrapKey], [true, 'not_given'])
  const principal = await authenticate(fixture, first.secret)
  assert.deepEqual([principal.projectId, [...principal.scopes]], [first.projectId, [...SCOPES]])
  assert.equal((await fixture.projects.find(first.projectId))?.name, 'default')
  assert.deepEqual(await bootstrap(fixture, null), {
    projectId: first.projectId,
    firstStart: false,
    secret: null,
    bootstrapKey: 'not_given',
  })
  assert.equal((await fixture.projects.list(null, 9)).length, 1)
  assert.equal((await fixture.keys.listLive(first.projectId, null, 9)).length, 1)
})

test('a given key is the first key and is never returned', async () => {
  const fixture = projectsFixture()
  const given = newSecret(fixture.randomBytes)
  const { projectId, firstStart, secret, bootstrapKey } = await bootstrap(fixture, given)
  assert.deepEqual([firstStart, secret, bootstrapKey], [true, null, 'added'])
  assert.equal((await authenticate(fixture, given)).projectId, projectId)
  assert.equal((await bootstrap(fixture, given)).bootstrapKey, 'known')
  assert.equal((await fixture.keys.listLive(projectId, null, 9)).length, 1)
})

test('a key given later is added to the first project', async () => {
  const fixture = projectsFixture()
  const { projectId, secret } = await bootstrap(fixture, null)
  await createProject(fixture, { name: 'second' })
  const given = newSecret(fixture.randomBytes)
  assert.deepEqual(await bootstrap(fixture, given), {
    projectId,
    firstStart: false,
    secret: null,
    bootstrapKey: 'added',
  })
  assert.equal((await authenticate(fixture, given)).projectId, projectId)
  assert.equal((await authenticate(fixture, secret ?? '')).projectId, projectId)
})

test('a given key that was revoked stays revoked', async () => {
  const fixture = projectsFixture()
  const given = newSecret(fixture.randomBytes)
  await bootstrap(fixture, given)
  const { keyId } = await authenticate(fixture, given)
  await revokeKey(fixture, { projectId: null, keyId, mayRevokeAdmin: true })
  assert.equal((await bootstrap(fixture, given)).bootstrapKey, 'revoked')
  await assert.rejects(authenticate(fixture, given))
})

test('a malformed given key is a clear error that does not repeat it, and nothing is made', async () => {
  const fixture = projectsFixture()
  await assert.rejects(bootstrap(fixture, 'hunter2'), (error) => {
    assert.ok(error instanceof OperatorError)
    assert.match(error.message, /SPOOR_BOOTSTRAP_KEY is not an API key.*spoor keys generate/)
    return !error.message.includes('hunter2')
  })
  assert.deepEqual(await fixture.projects.list(null, 9), [])
})
