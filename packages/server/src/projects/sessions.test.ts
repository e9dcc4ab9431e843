import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { authenticateSession } from './authenticate-session.ts'
import { createKey } from './create-key.ts'
import { createProject } from './create-project.ts'
import { newSecret } from './key-format.ts'
import { projectsFixture } from './projects.test-support.ts'
import { pruneSessions } from './prune-sessions.ts'
import { revokeKey } from './revoke-key.ts'
import { newSessionToken } from '../ports/access/session.ts'
import { SESSIONS_PER_KEY, signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { switchProject } from './switch-project.ts'
import { NO_LIMITS } from '../ports/access/key-store.ts'

const LIFETIME_MS = 1000

async function createWorld() {
  const fixture = { ...projectsFixture(), lifetimeMs: LIFETIME_MS }
  const { id: projectId } = await createProject(fixture, { name: 'first' })
  const newKey = (expiresAt: number | null = null) =>
    createKey(fixture, { projectId, name: 'k', scopes: ['read'], expiresAt, maker: null })
  const enter = (secret: string, replacedToken: string | null = null) => signIn(fixture, { secret, replacedToken })
  const opens = async (token: string) => {
    try {
      return (await authenticateSession(fixture, token, null)).projectId === projectId
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, 'unauthorized', String(error))
      return false
    }
  }
  return { fixture, projectId, newKey, enter, opens }
}

test('a session may do what its key may, until it expires', async () => {
  const { fixture, projectId, newKey, enter, opens } = await createWorld()
  const { key, secret } = await newKey()
  const { token, session } = await enter(secret)
  const createdAt = fixture.clock.time
  const expected = {
    keyId: key.id,
    projectId,
    scopes: new Set(['read']),
    keyExpiresAt: null,
    keyLimits: NO_LIMITS,
    createdAt,
    expiresAt: createdAt + LIFETIME_MS,
  }
  assert.deepEqual(session, expected)
  assert.deepEqual(await authenticateSession(fixture, token, null), expected)
  fixture.clock.time += LIFETIME_MS - 1
  assert.ok(await opens(token))
  fixture.clock.time += 1
  assert.ok(!(await opens(token)))
})

test('a token is 256 random bits, of which only the hash is stored', async () => {
  const { fixture, newKey, enter } = await createWorld()
  const { token } = await enter((await newKey()).secret)
  const bytes = Buffer.from(token, 'base64url')
  assert.equal(bytes.length, 32)
  const tokenHash = createHash('sha256').update(token).digest()
  assert.ok(await fixture.sessions.find(tokenHash))
  for (const stored of [bytes, Buffer.from(token)]) assert.equal(await fixture.sessions.find(stored), undefined)
})

test('a session ends with its key: revoked at once, expired in time', async () => {
  const { fixture, projectId, newKey, enter, opens } = await createWorld()
  const revoked = await newKey()
  const expiring = await newKey(fixture.clock.time + 500)
  const ofRevoked = await enter(revoked.secret)
  const ofExpiring = await enter(expiring.secret)
  assert.equal(ofExpiring.session.expiresAt, expiring.key.expiresAt)
  await revokeKey(fixture, { projectId, keyId: revoked.key.id, mayRevokeAdmin: false })
  assert.deepEqual([await opens(ofRevoked.token), await opens(ofExpiring.token)], [false, true])
  fixture.clock.time += 500
  assert.ok(!(await opens(ofExpiring.token)))
})

test('signing out ends the session, and signing in again ends the session before, but only with the right key', async () => {
  const { fixture, newKey, enter, opens } = await createWorld()
  const { secret } = await newKey()
  const [first, second] = [await enter(secret), await enter(secret)]
  await signOut(fixture, first.token)
  assert.deepEqual([await opens(first.token), await opens(second.token)], [false, true])
  await assert.rejects(enter(newSecret(fixture.randomBytes), second.token), { code: 'unauthorized' })
  assert.ok(await opens(second.token))
  const third = await enter((await newKey()).secret, second.token)
  assert.deepEqual([await opens(second.token), await opens(third.token)], [false, true])
})

test('a session moves to another project with the scopes of its key, and ends with that key', async () => {
  const { fixture, projectId, newKey, enter, opens } = await createWorld()
  const { key, secret } = await newKey()
  const [first, second] = [await enter(secret), await enter(secret)]
  const other = await createProject(fixture, { name: 'second' })
  const move = (token: string, id = other.id) => switchProject(fixture, { token, projectId: id })
  assert.deepEqual(await move(first.token), { ...first.session, projectId: other.id })
  assert.deepEqual(await authenticateSession(fixture, first.token, null), { ...first.session, projectId: other.id })
  assert.ok(await opens(second.token))
  await assert.rejects(move(second.token, fixture.ids.newId('proj')), { code: 'not_found' })
  await assert.rejects(move(newSessionToken(fixture.randomBytes)), { code: 'unauthorized' })
  await revokeKey(fixture, { projectId, keyId: key.id, mayRevokeAdmin: false })
  await assert.rejects(authenticateSession(fixture, first.token, null), { code: 'unauthorized' })
  await assert.rejects(move(first.token), { code: 'unauthorized' })
})

test('a request can be for another project: with scope admin any, else only that of the key', async () => {
  const { fixture, projectId, newKey, enter } = await createWorld()
  const other = await createProject(fixture, { name: 'second' })
  const [reader, admin] = [
    await newKey(),
    await createKey(fixture, { projectId, name: 'a', scopes: ['admin'], expiresAt: null, maker: null }),
  ]
  const [ofReader, ofAdmin] = [await enter(reader.secret), await enter(admin.secret)]
  const projectOf = async (token: string, project: string) =>
    (await authenticateSession(fixture, token, project)).projectId
  assert.equal(await projectOf(ofReader.token, projectId), projectId)
  assert.equal(await projectOf(ofAdmin.token, other.id), other.id)
  await assert.rejects(projectOf(ofReader.token, other.id), { code: 'not_found' })
  for (const unknown of ['', 'x', fixture.ids.newId('proj')]) {
    await assert.rejects(projectOf(ofAdmin.token, unknown), { code: 'not_found' })
  }
  await switchProject(fixture, { token: ofReader.token, projectId: other.id })
  assert.equal(await projectOf(ofReader.token, projectId), projectId)
  assert.equal((await authenticateSession(fixture, ofAdmin.token, null)).projectId, projectId)
})

test('every secret and token that opens nothing gets one identical answer', async () => {
  const { fixture, projectId, newKey, enter } = await createWorld()
  const { key, secret } = await newKey()
  const { token } = await enter(secret)
  await revokeKey(fixture, { projectId, keyId: key.id, mayRevokeAdmin: false })
  const attempts = [
    ...['', 'junk', secret, newSecret(fixture.randomBytes), token].map((wrong) => enter(wrong)),
    ...['', 'junk', token, newSessionToken(fixture.randomBytes), secret].map((wrong) =>
      authenticateSession(fixture, wrong, null),
    ),
  ]
  const reasons = (await Promise.allSettled(attempts)).map((result) => 'reason' in result && String(result.reason))
  assert.deepEqual([new Set(reasons).size, reasons[0] !== false], [1, true])
})

test('a malformed token costs no look-up', async () => {
  const { fixture } = await createWorld()
  const sessions = { find: () => assert.fail('it was looked up') }
  for (const token of ['', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(43)}\n`]) {
    await assert.rejects(authenticateSession({ ...fixture, sessions }, token, null), { code: 'unauthorized' })
  }
})

test('a key has a limited number of sessions: the oldest ends first', async () => {
  const { newKey, enter, opens } = await createWorld()
  const { secret } = await newKey()
  const other = await enter((await newKey()).secret)
  const tokens: string[] = []
  for (let count = 0; count < SESSIONS_PER_KEY + 2; count++) tokens.push((await enter(secret)).token)
  const live = await Promise.all(tokens.map(opens))
  assert.deepEqual(live, [false, false, ...Array<boolean>(SESSIONS_PER_KEY).fill(true)])
  assert.ok(await opens(other.token))
})

test('housekeeping removes those that have ended and no other', async () => {
  const { fixture, newKey, enter, opens } = await createWorld()
  const { secret } = await newKey()
  const { token: old } = await enter(secret)
  fixture.clock.time += LIFETIME_MS - 1
  const { token: young } = await enter(secret)
  fixture.clock.time += 1
  await pruneSessions(fixture.sessions, fixture.clock.time)
  fixture.clock.time -= 1
  assert.deepEqual([await opens(old), await opens(young)], [false, true])
})
