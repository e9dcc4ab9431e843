import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../lib/domain-error.ts'
import { authenticate } from './authenticate.ts'
import { changeKey } from './change-key.ts'
import { createKey, type CreateKeyRequest, type KeyMaker } from './create-key.ts'
import { createProject } from './create-project.ts'
import { newSecret } from './key-format.ts'
import { listKeys } from './list-keys.ts'
import { listProjects } from './list-projects.ts'
import { projectsFixture, type ProjectsFixture } from './projects.test-support.ts'
import { revokeKey } from './revoke-key.ts'
import type { Scope } from '@spoor/contract/scopes'
import { NO_LIMITS } from '../ports/access/key-store.ts'
import { requireKeyManagement, requireScope, type Principal } from '../ports/access/scopes.ts'

async function projectAndRequest(fixture: ProjectsFixture): Promise<CreateKeyRequest> {
  const { id: projectId } = await createProject(fixture, { name: 'first' })
  return { projectId, name: 'agent', scopes: ['read', 'ingest', 'read'], expiresAt: null, maker: null }
}

function makerWith(scopes: Scope[], keyExpiresAt: number | null = null, keyLimits = NO_LIMITS): KeyMaker {
  return { scopes: new Set(scopes), keyExpiresAt, keyLimits }
}

async function rejection(work: Promise<unknown>): Promise<DomainError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof DomainError, String(error))
    return error
  }
  throw new assert.AssertionError({ message: 'it was accepted' })
}

test('a new key opens its project with its scopes, and only by its secret', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  const { key, secret } = await createKey(fixture, request)
  assert.deepEqual(key.scopes, ['ingest', 'read'])
  assert.equal(key.lastFour, secret.slice(-4))
  const principal = await authenticate(fixture, secret)
  assert.deepEqual(principal, {
    keyId: key.id,
    projectId: request.projectId,
    scopes: new Set(['ingest', 'read']),
    keyExpiresAt: null,
    keyLimits: NO_LIMITS,
  })
  assert.ok(!JSON.stringify(key).includes(secret))
})

test('missing, misspelt, unknown, expired and revoked keys get one identical answer', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  const expiring = await createKey(fixture, { ...request, expiresAt: fixture.clock.time + 1000 })
  const revoked = await createKey(fixture, request)
  await authenticate(fixture, expiring.secret)
  await authenticate(fixture, revoked.secret)
  fixture.clock.time += 1000
  await revokeKey(fixture, { projectId: request.projectId, keyId: revoked.key.id, mayRevokeAdmin: false })
  const unknown = newSecret(fixture.randomBytes)
  const secrets = [undefined, '', 'spoor_junk', unknown, expiring.secret, revoked.secret]
  const answers = await Promise.all(secrets.map((secret) => rejection(authenticate(fixture, secret))))
  assert.deepEqual(new Set(answers.map(({ code, message }) => `${code}: ${message}`)).size, 1)
  assert.equal(answers[0]?.code, 'unauthorized')
})

test('a misspelt key costs no look-up', async () => {
  const { clock } = projectsFixture()
  const keys = { findBySecretHash: () => assert.fail('it was looked up') }
  assert.equal((await rejection(authenticate({ keys, clock }, `spoor_${'0'.repeat(36)}`))).code, 'unauthorized')
})

test('every bad field of a key is named', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  const bad = { ...request, name: '', scopes: ['read', 'root'], expiresAt: fixture.clock.time }
  const { code, errors } = await rejection(createKey(fixture, bad))
  assert.equal(code, 'validation_failed')
  assert.deepEqual(
    errors.map((error) => [error.pointer, error.code]),
    [
      ['/name', 'too_short'],
      ['/scopes/1', 'invalid_value'],
      ['/expires_at', 'invalid_value'],
    ],
  )
  assert.equal((await rejection(createKey(fixture, { ...request, scopes: [] }))).errors[0]?.pointer, '/scopes')
  const nowhere = { ...request, projectId: fixture.ids.newId('proj') }
  assert.equal((await rejection(createKey(fixture, nowhere))).code, 'not_found')
})

test('names have 1 to 200 characters and none that a terminal would obey', async () => {
  const fixture = projectsFixture()
  await createProject(fixture, { name: 'é'.repeat(200) })
  const codes = ['', '  ', 'x'.repeat(201), 'a\u001b[31m', 'a\nb', '\ud800'].map(async (name) => {
    return (await rejection(createProject(fixture, { name }))).errors[0]?.code
  })
  assert.deepEqual(await Promise.all(codes), ['too_short', 'too_short', 'too_long', ...Array(3).fill('invalid_format')])
})

test('a key cannot raise itself: only admin grants and revokes admin', async () => {
  const fixture = projectsFixture()
  const manager = makerWith(['ingest', 'read', 'media:sign', 'manage'])
  const request = { ...(await projectAndRequest(fixture)), scopes: ['admin'], maker: manager }
  assert.equal((await rejection(createKey(fixture, request))).code, 'insufficient_scope')
  const { key, secret } = await createKey(fixture, { ...request, maker: makerWith(['admin']) })
  const revocation = { projectId: request.projectId, keyId: key.id }
  assert.equal(
    (await rejection(revokeKey(fixture, { ...revocation, mayRevokeAdmin: false }))).code,
    'insufficient_scope',
  )
  await authenticate(fixture, secret)
  await revokeKey(fixture, { ...revocation, mayRevokeAdmin: true })
  assert.equal((await rejection(authenticate(fixture, secret))).code, 'unauthorized')
})

test('a key grants no scope that it lacks, unless it has admin', async () => {
  const fixture = projectsFixture()
  const request = { ...(await projectAndRequest(fixture)), scopes: ['ingest', 'read', 'manage'] }
  const refused = await rejection(createKey(fixture, { ...request, maker: makerWith(['manage', 'read']) }))
  assert.deepEqual([refused.code, refused.message.endsWith('lacks ingest.')], ['insufficient_scope', true])
  for (const maker of [makerWith(['ingest', 'read', 'manage']), makerWith(['admin']), null]) {
    assert.deepEqual((await createKey(fixture, { ...request, maker })).key.scopes, ['ingest', 'read', 'manage'])
  }
})

test('a key makes none that outlives it, unless it has admin', async () => {
  const fixture = projectsFixture()
  const ends = fixture.clock.time + 60_000
  const expiring = makerWith(['ingest', 'read', 'manage'], ends)
  const request = await projectAndRequest(fixture)
  const expiryOf = async (expiresAt: number | null, maker: KeyMaker | null) =>
    (await createKey(fixture, { ...request, expiresAt, maker })).key.expiresAt
  assert.equal(await expiryOf(ends - 1, expiring), ends - 1)
  assert.equal(await expiryOf(ends, expiring), ends)
  assert.equal(await expiryOf(null, expiring), ends, 'without a requested expiry, it ends with its maker')
  const refused = await rejection(expiryOf(ends + 1, expiring))
  assert.deepEqual([refused.code, refused.errors[0]?.pointer], ['validation_failed', '/expires_at'])
  assert.ok(refused.errors[0]?.detail.includes(new Date(ends).toISOString()))
  for (const maker of [makerWith(['ingest', 'read', 'admin'], ends), makerWith(['ingest', 'read', 'manage']), null]) {
    assert.deepEqual([await expiryOf(null, maker), await expiryOf(ends + 1, maker)], [null, ends + 1])
  }
})

test('a key of another project, an unknown and a revoked one cannot be told apart', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  const other = await createProject(fixture, { name: 'other' })
  const { key } = await createKey(fixture, request)
  const revoke = (projectId: typeof other.id, keyId = key.id) =>
    rejection(revokeKey(fixture, { projectId, keyId, mayRevokeAdmin: true }))
  const answers = [await revoke(other.id), await revoke(request.projectId, fixture.ids.newId('key'))]
  await revokeKey(fixture, { projectId: request.projectId, keyId: key.id, mayRevokeAdmin: false })
  answers.push(await revoke(request.projectId))
  assert.deepEqual(
    new Set(answers.map(({ code, message }) => `${code}: ${message}`)),
    new Set(['not_found: There is no such key.']),
  )
})

test('paging over keys returns each that existed at the first page once, while keys come and go', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  const made = []
  for (let count = 0; count < 5; count++) made.push((await createKey(fixture, request)).key.id)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page = await listKeys(fixture, { projectId: request.projectId, cursor, limit: 2 })
    seen.push(...page.items.map((key) => key.id))
    cursor = page.nextCursor
    if (seen.length === 2) await revokeKey(fixture, { projectId: null, keyId: made[0]!, mayRevokeAdmin: false })
  } while (cursor !== null)
  assert.deepEqual(seen, made)
  const { items } = await listKeys(fixture, { projectId: request.projectId, cursor: null, limit: 9 })
  assert.deepEqual(
    items.map((key) => key.id),
    made.slice(1),
  )
})

test('a cursor of another list, a broken one and an unknown project are refused', async () => {
  const fixture = projectsFixture()
  const request = await projectAndRequest(fixture)
  await createProject(fixture, { name: 'second' })
  const { nextCursor } = await listProjects(fixture, { cursor: null, limit: 1 })
  assert.ok(nextCursor)
  assert.equal((await listProjects(fixture, { cursor: nextCursor, limit: 1 })).items[0]?.name, 'second')
  const { projectId } = request
  for (const cursor of [nextCursor, '', '!', 'AAAA']) {
    assert.equal((await rejection(listKeys(fixture, { projectId, cursor, limit: 1 }))).code, 'invalid_cursor')
  }
  const nowhere = { projectId: fixture.ids.newId('proj'), cursor: null, limit: 1 }
  assert.equal((await rejection(listKeys(fixture, nowhere))).code, 'not_found')
})

test('keys are managed by their own project with manage, and by admin', async () => {
  const { ids } = projectsFixture()
  const [own, other] = [ids.newId('proj'), ids.newId('proj')]
  const principal = (...scopes: Scope[]): Principal => ({
    keyId: ids.newId('key'),
    projectId: own,
    scopes: new Set(scopes),
    keyExpiresAt: null,
    keyLimits: NO_LIMITS,
  })
  const refusal = async (who: Principal, project: typeof own) =>
    (await rejection((async () => requireKeyManagement(who, project))())).code
  requireKeyManagement(principal('manage'), own)
  requireKeyManagement(principal('admin'), other)
  assert.equal(await refusal(principal('read'), own), 'insufficient_scope')
  assert.equal(await refusal(principal('manage'), other), 'not_found')
  assert.equal(await refusal(principal('read'), other), 'not_found')
  requireScope(principal('read'), 'read')
  assert.throws(() => requireScope(principal('admin'), 'read'), DomainError)
})

test('a key with limits and no admin gives no more than its own, also to itself', async () => {
  const fixture = projectsFixture()
  const own = { requestsPerSecond: 5, bytesPerSecond: null }
  const maker = makerWith(['read', 'manage'], null, own)
  const request = { ...(await projectAndRequest(fixture)), scopes: ['read'], maker }
  const { key } = await createKey(fixture, request)
  assert.deepEqual(key.limits, own)
  const tooMuch = createKey(fixture, { ...request, limits: { requestsPerSecond: null, bytesPerSecond: 2000 } })
  assert.deepEqual(
    (await rejection(tooMuch)).errors.map(({ pointer, code }) => [pointer, code]),
    [['/requests_per_second', 'out_of_range']],
  )
  const change = { projectId: key.projectId, keyId: key.id, changer: maker }
  const refused = changeKey(fixture, { ...change, limits: { requestsPerSecond: 6 } })
  assert.equal((await rejection(refused)).code, 'validation_failed')
  const { limits } = await changeKey(fixture, { ...change, limits: { requestsPerSecond: 4, bytesPerSecond: 2000 } })
  assert.deepEqual(limits, { requestsPerSecond: 4, bytesPerSecond: 2000 })
  assert.deepEqual((await fixture.keys.find(key.id))?.limits, limits)
  await changeKey(fixture, { ...change, changer: makerWith(['admin']), limits: { requestsPerSecond: null } })
  assert.deepEqual((await fixture.keys.find(key.id))?.limits, { requestsPerSecond: null, bytesPerSecond: 2000 })
})

test('limits of a key with admin, of another project or revoked are not changed', async () => {
  const fixture = projectsFixture()
  const request = { ...(await projectAndRequest(fixture)), scopes: ['admin'] }
  const { key } = await createKey(fixture, request)
  const change = { projectId: key.projectId, keyId: key.id, changer: makerWith(['manage']), limits: {} }
  assert.equal((await rejection(changeKey(fixture, change))).code, 'insufficient_scope')
  const elsewhere = { ...change, projectId: fixture.ids.newId('proj') }
  assert.equal((await rejection(changeKey(fixture, elsewhere))).code, 'not_found')
  await revokeKey(fixture, { projectId: null, keyId: key.id, mayRevokeAdmin: true })
  const admin = { ...change, changer: makerWith(['admin']) }
  assert.equal((await rejection(changeKey(fixture, admin))).code, 'not_found')
})
