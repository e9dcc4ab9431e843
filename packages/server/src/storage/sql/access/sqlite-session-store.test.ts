import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import type { StoredSession } from '../../../ports/access/session-store.ts'
import { numberedId } from '../journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const PROJECT = { id: numberedId('proj', 1), name: 'first', createdAt: 1 }

function key(number: number): StoredKey {
  return {
    id: numberedId('key', number),
    projectId: PROJECT.id,
    name: `key ${number}`,
    scopes: ['read'],
    secretHash: hash(100 + number),
    lastFour: 'abcd',
    createdAt: 5,
    expiresAt: null,
    revokedAt: null,
  }
}

function hash(number: number): Uint8Array {
  return new Uint8Array(32).fill(number)
}

function session(number: number, about: Partial<StoredSession> = {}): StoredSession {
  return { tokenHash: hash(number), keyId: key(1).id, projectId: null, createdAt: 10, expiresAt: 100, ...about }
}

async function storeWithKeys(context: TestContext, options: Parameters<typeof temporaryStore>[1] = {}) {
  const store = temporaryStore(context, options)
  await store.projects.create(PROJECT, [key(1), key(2)])
  const { sessions } = store
  const there = async (numbers: readonly number[]) => {
    const found = await Promise.all(
      numbers.map(async (number) => ((await sessions.find(hash(number))) ? [number] : [])),
    )
    return found.flat()
  }
  return { ...store, there }
}

test('a session comes back as it was given, with its key', async (context) => {
  const { sessions } = await storeWithKeys(context)
  await sessions.create(session(1, { keyId: key(2).id, expiresAt: 77 }), null, 9)
  assert.deepEqual(await sessions.find(hash(1)), {
    session: session(1, { keyId: key(2).id, expiresAt: 77 }),
    key: key(2),
  })
  assert.equal(await sessions.find(hash(2)), undefined)
  await assert.rejects(sessions.create(session(2, { keyId: numberedId('key', 3) }), null, 9), /FOREIGN KEY/)
})

test('a session goes on in another project, while its key stays where it is', async (context) => {
  const { sessions, projects } = await storeWithKeys(context)
  const other = { id: numberedId('proj', 2), name: 'second', createdAt: 2 }
  await projects.create(other, [])
  for (const number of [1, 2]) await sessions.create(session(number), null, 9)
  await sessions.moveTo(hash(1), other.id)
  await sessions.moveTo(hash(3), other.id)
  await assert.rejects(sessions.moveTo(hash(1), numberedId('proj', 3)), /FOREIGN KEY/)
  assert.deepEqual(await sessions.find(hash(1)), { session: session(1, { projectId: other.id }), key: key(1) })
  assert.deepEqual(await sessions.find(hash(2)), { session: session(2), key: key(1) })
})

test('one that is removed is gone, and removing it again is no error', async (context) => {
  const { sessions, there } = await storeWithKeys(context)
  for (const number of [1, 2]) await sessions.create(session(number), null, 9)
  await sessions.remove(hash(1))
  await sessions.remove(hash(1))
  assert.deepEqual(await there([1, 2]), [2])
})

test('a new one replaces another, of whichever key, or is not made and leaves it', async (context) => {
  const { sessions, there } = await storeWithKeys(context)
  await sessions.create(session(1), null, 9)
  await sessions.create(session(2, { keyId: key(2).id }), hash(1), 9)
  assert.deepEqual(await there([1, 2]), [2])
  await assert.rejects(sessions.create(session(3, { keyId: numberedId('key', 3) }), hash(2), 9))
  assert.deepEqual(await there([2, 3]), [2])
  await sessions.create(session(4), hash(99), 9)
  assert.deepEqual(await there([2, 4]), [2, 4])
})

test('the oldest of a key goes beyond the most, also when the clock was set back; those of other keys stay', async (context) => {
  const { sessions, there } = await storeWithKeys(context)
  await sessions.create(session(9, { keyId: key(2).id, createdAt: 0 }), null, 3)
  for (const number of [1, 2, 3, 4, 5]) await sessions.create(session(number, { createdAt: 50 - number }), null, 3)
  assert.deepEqual(await there([1, 2, 3, 4, 5, 9]), [3, 4, 5, 9])
})

test('those that have ended are pruned, so many at a time', async (context) => {
  const { sessions, there } = await storeWithKeys(context)
  for (const number of [1, 2, 3, 4]) await sessions.create(session(number, { expiresAt: 10 * number }), null, 9)
  await sessions.prune(30, 2)
  assert.deepEqual(await there([1, 2, 3, 4]), [3, 4])
  await sessions.prune(30, 2)
  assert.deepEqual(await there([1, 2, 3, 4]), [4])
})

test('sessions outlast the process, and what another one does to the key is seen by the next look-up', async (context) => {
  const dataDir = temporaryFolder(context)
  const { sessions } = await storeWithKeys(context, { dataDir })
  await sessions.create(session(1), null, 9)
  const other = temporaryStore(context, { dataDir })
  assert.equal((await other.sessions.find(hash(1)))?.key.revokedAt, null)
  await other.keys.revoke(key(1).id, 50)
  assert.equal((await sessions.find(hash(1)))?.key.revokedAt, 50)
})

test('a session that the disk cannot tell is neither refused nor a fault: not now', async (context) => {
  const failures: unknown[] = []
  const { sessions } = await storeWithKeys(context, { onReadError: (error) => failures.push(error) })
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'get', () => {
    throw cause
  })
  await assert.rejects(sessions.find(hash(1)), { code: 'storage_unavailable' })
  statement.mock.restore()
  assert.deepEqual(failures, [cause])
})
