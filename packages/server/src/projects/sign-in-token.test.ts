import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticateSession } from './authenticate-session.ts'
import { createKey } from './create-key.ts'
import { createProject } from './create-project.ts'
import { hashSecret, newSecret } from './key-format.ts'
import { projectsFixture } from './projects.test-support.ts'
import { revokeKey } from './revoke-key.ts'
import { newSessionToken } from '../ports/access/session.ts'
import { signIn } from './sign-in.ts'
import { SIGN_IN_TOKEN_LIFETIME_MS } from './sign-in-token.ts'

async function createWorld() {
  const fixture = { ...projectsFixture(), lifetimeMs: 2 * SIGN_IN_TOKEN_LIFETIME_MS }
  const { id: projectId } = await createProject(fixture, { name: 'first' })
  const wanted = { projectId, name: 'k', scopes: ['read'], expiresAt: null, maker: null }
  const { key, secret } = await createKey(fixture, wanted)
  const enter = (signInToken: string) => signIn(fixture, { signInToken, replacedToken: null })
  return { fixture, projectId, key, secret, enter }
}

test('a token signs in once, as its key does', async () => {
  const { fixture, key, secret, enter } = await createWorld()
  const token = fixture.signInToken.issue(secret)
  assert.match(token, /^[\w-]{43}$/)
  const [first, second] = await Promise.allSettled([enter(token), enter(token)])
  assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected'])
  assert.ok(first.status === 'fulfilled')
  assert.equal((await authenticateSession(fixture, first.value.token, null)).keyId, key.id)
})

test('a used, expired, unknown or replaced token, or one of a revoked key, gets the answer of wrong keys', async () => {
  const { fixture, projectId, key, secret, enter } = await createWorld()
  const reasons: unknown[] = []
  const refused = async (attempt: Promise<unknown>) => reasons.push(await attempt.catch(String))
  const used = fixture.signInToken.issue(secret)
  await enter(used)
  await refused(enter(used))
  const replaced = fixture.signInToken.issue(secret)
  const old = fixture.signInToken.issue(secret)
  await refused(enter(replaced))
  fixture.clock.time += SIGN_IN_TOKEN_LIFETIME_MS
  await refused(enter(old))
  for (const junk of ['', 'junk', secret, newSessionToken(fixture.randomBytes)]) await refused(enter(junk))
  const orphan = fixture.signInToken.issue(secret)
  await revokeKey(fixture, { projectId, keyId: key.id, mayRevokeAdmin: false })
  await refused(enter(orphan))
  await refused(signIn(fixture, { secret: newSecret(fixture.randomBytes), replacedToken: null }))
  assert.deepEqual([reasons.length, new Set(reasons).size], [9, 1])
  assert.match(String(reasons[0]), /Send a valid API key/)
})

test('wrong tokens do not use up the right one, and it lasts an hour', async () => {
  const { fixture, secret } = await createWorld()
  const token = fixture.signInToken.issue(secret)
  assert.equal(fixture.signInToken.redeem(newSessionToken(fixture.randomBytes)), null)
  fixture.clock.time += SIGN_IN_TOKEN_LIFETIME_MS - 1
  assert.deepEqual(fixture.signInToken.redeem(token), hashSecret(secret))
  assert.equal(fixture.signInToken.redeem(token), null)
})
