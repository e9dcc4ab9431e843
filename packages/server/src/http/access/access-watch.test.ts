import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { AccessWatch } from './access-watch.ts'
import { MemoryCredentials } from '../test-world/memory-credentials.test-support.ts'
import { NEW_PROJECT } from '../../ports/access/project-store.ts'
import type { Principal } from '../connections/ports.ts'

const HERE = 'proj_here' as ProjectId
const THERE = 'proj_there' as ProjectId

const KEY = (secret: string) => ({ kind: 'key', project: null, secret }) as const

function createWatch() {
  const timers = new ManualTimers()
  const principal = { scopes: new Set(), projectId: HERE } as unknown as Principal
  const keys = new Map(['a', 'b'].map((secret) => [secret, principal]))
  const find = async (id: ProjectId) => ({ id, name: 'a project', createdAt: 0, ...NEW_PROJECT })
  const authenticator = new MemoryCredentials(keys, () => timers.now(), { find })
  const errors: unknown[] = []
  const access = new AccessWatch({ authenticator, timers, onError: (error) => errors.push(error) })
  const ended: string[] = []
  const watch = (name: string, credential: Parameters<AccessWatch['watch']>[0]) =>
    access.watch(credential, HERE, () => ended.push(name))
  return { timers, authenticator, errors, access, ended, watch }
}

/** A check awaits promises, but nothing outside of the test. */
async function settled(): Promise<void> {
  await new Promise(setImmediate)
}

test('the answers of a key or session end with it, and no others', async () => {
  const { authenticator, access, ended, watch } = createWatch()
  const { token } = await authenticator.signIn({ secret: 'b', replacedToken: null })
  watch('first of a', KEY('a'))
  watch('second of a', KEY('a'))
  watch('of b', KEY('b'))
  watch('of a session', { kind: 'session', project: null, token })
  await access.check()
  assert.equal(ended.length, 0)
  authenticator.keys.delete('a')
  await access.check()
  assert.deepEqual(ended.splice(0), ['first of a', 'second of a'])
  await authenticator.signOut(token)
  await access.check()
  assert.ok(ended.includes('of a session') && !ended.includes('of b'))
})

test('an answer that names its project stays when the session switches to another', async () => {
  const { authenticator, access, ended, watch } = createWatch()
  const { token } = await authenticator.signIn({ secret: 'a', replacedToken: null })
  watch('named', { kind: 'session', project: HERE, token })
  watch('never allowed', { kind: 'session', project: 'proj_unknown', token })
  await access.check()
  assert.deepEqual(ended.splice(0), ['never allowed'])
  await authenticator.signOut(token)
  await access.check()
  assert.ok(ended.includes('named'))
})

test('the answers of a session end when it switches to another project; answers opened there stay', async () => {
  const { authenticator, access, ended, watch } = createWatch()
  const { token } = await authenticator.signIn({ secret: 'a', replacedToken: null })
  watch('of the session', { kind: 'session', project: null, token })
  watch('of its key', KEY('a'))
  await authenticator.switchProject({ token, projectId: HERE })
  await access.check()
  assert.equal(ended.length, 0)
  await authenticator.switchProject({ token, projectId: THERE })
  access.watch({ kind: 'session', project: null, token }, THERE, () => ended.push('of the session, there'))
  await access.check()
  assert.deepEqual(ended, ['of the session'])
})

test('notices within 15 seconds that a key or session was revoked by another process or has expired', async () => {
  const { timers, authenticator, ended, watch } = createWatch()
  const { token, session } = await authenticator.signIn({ secret: 'a', replacedToken: null })
  watch('of a session', { kind: 'session', project: null, token })
  timers.advance(15_000)
  await settled()
  assert.equal(ended.length, 0)
  timers.advance(session.expiresAt)
  await settled()
  assert.ok(ended.includes('of a session'))
})

test('does not end an answer twice, and looks up a key once for all its answers', async () => {
  const { authenticator, access, ended, watch } = createWatch()
  const unwatch = [watch('first', KEY('a')), watch('second', KEY('a'))]
  let asked = 0
  const authenticate = authenticator.authenticate.bind(authenticator)
  authenticator.authenticate = (secret) => (asked++, authenticate(secret))
  await access.check()
  assert.equal(asked, 1)
  for (const forget of unwatch) forget()
  authenticator.keys.delete('a')
  await access.check()
  assert.deepEqual([ended, asked], [[], 1])
})

test('forgetting an answer twice does not forget a later one of the same key', async () => {
  const { authenticator, access, ended, watch } = createWatch()
  const forget = watch('first', KEY('a'))
  forget()
  watch('second', KEY('a'))
  forget()
  authenticator.keys.delete('a')
  await access.check()
  assert.deepEqual(ended, ['second'])
})

test('if the store fails, everything stays open and the error is reported', async () => {
  const { authenticator, access, ended, errors, watch } = createWatch()
  watch('of a', KEY('a'))
  const cause = new DomainError('storage_unavailable', 'The control store cannot be used right now.')
  authenticator.authenticate = () => Promise.reject(cause)
  await access.check()
  assert.deepEqual([ended, errors], [[], [cause]])
})

test('leaves no timer after close', () => {
  const { timers, access } = createWatch()
  access.close()
  assert.equal(timers.pending, 0)
})
