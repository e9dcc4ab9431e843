import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  aKey,
  aProject,
  aSession,
  hashOf,
  keyId,
  projectId,
  type AccessStores,
} from './access-builders.test-support.ts'

export function testSessionStore(open: (context: TestContext) => Promise<AccessStores>): void {
  async function openWithKeys(context: TestContext) {
    const stores = await open(context)
    await stores.projects.create(aProject(1), [aKey(1), aKey(2)])
    const present = async (numbers: readonly number[]) => {
      const found = await Promise.all(numbers.map((number) => stores.sessions.find(hashOf(number))))
      return numbers.filter((_, index) => found[index] !== undefined)
    }
    return { ...stores, present }
  }

  test('a session comes back as it was given, with its key', async (context) => {
    const { sessions } = await openWithKeys(context)
    const session = aSession(1, { keyId: keyId(2), expiresAt: 77 })
    await sessions.create(session, null, 9)
    assert.deepEqual(await sessions.find(hashOf(1)), { session, key: aKey(2) })
    assert.equal(await sessions.find(hashOf(2)), undefined)
    await assert.rejects(sessions.create(aSession(2, { keyId: keyId(3) }), null, 9))
  })

  test('a session says at the next look-up that its key was revoked', async (context) => {
    const { sessions, keys } = await openWithKeys(context)
    await sessions.create(aSession(1), null, 9)
    await sessions.find(hashOf(1))
    await keys.revoke(keyId(1), 50)
    assert.deepEqual(await sessions.find(hashOf(1)), { session: aSession(1), key: aKey(1, { revokedAt: 50 }) })
  })

  test('a session goes on in another project, while its key stays where it is', async (context) => {
    const { sessions, projects } = await openWithKeys(context)
    await projects.create(aProject(2), [])
    for (const number of [1, 2]) await sessions.create(aSession(number), null, 9)
    await sessions.moveTo(hashOf(1), projectId(2))
    await sessions.moveTo(hashOf(3), projectId(2))
    await assert.rejects(sessions.moveTo(hashOf(1), projectId(3)))
    assert.deepEqual(await sessions.find(hashOf(1)), {
      session: aSession(1, { projectId: projectId(2) }),
      key: aKey(1),
    })
    assert.deepEqual(await sessions.find(hashOf(2)), { session: aSession(2), key: aKey(1) })
  })

  test('one that is removed is gone, and removing it again is no error', async (context) => {
    const { sessions, present } = await openWithKeys(context)
    for (const number of [1, 2]) await sessions.create(aSession(number), null, 9)
    await sessions.remove(hashOf(1))
    await sessions.remove(hashOf(1))
    assert.deepEqual(await present([1, 2]), [2])
  })

  test('a new one replaces another, of whichever key, or is not made and leaves it', async (context) => {
    const { sessions, present } = await openWithKeys(context)
    await sessions.create(aSession(1), null, 9)
    await sessions.create(aSession(2, { keyId: keyId(2) }), hashOf(1), 9)
    assert.deepEqual(await present([1, 2]), [2])
    await assert.rejects(sessions.create(aSession(3, { keyId: keyId(3) }), hashOf(2), 9))
    assert.deepEqual(await present([2, 3]), [2])
    await sessions.create(aSession(4), hashOf(99), 9)
    assert.deepEqual(await present([2, 4]), [2, 4])
  })

  test('the oldest of a key goes beyond the most, also when the clock was set back; those of other keys stay', async (context) => {
    const { sessions, present } = await openWithKeys(context)
    await sessions.create(aSession(9, { keyId: keyId(2), createdAt: 0 }), null, 3)
    for (const number of [1, 2, 3, 4, 5]) await sessions.create(aSession(number, { createdAt: 50 - number }), null, 3)
    assert.deepEqual(await present([1, 2, 3, 4, 5, 9]), [3, 4, 5, 9])
  })

  test('those that have ended are pruned, so many at a time', async (context) => {
    const { sessions, present } = await openWithKeys(context)
    for (const number of [1, 2, 3, 4]) await sessions.create(aSession(number, { expiresAt: 10 * number }), null, 9)
    await sessions.prune(30, 2)
    assert.equal((await present([1, 2, 3])).length, 1)
    assert.deepEqual(await present([4]), [4])
    await sessions.prune(30, 2)
    assert.deepEqual(await present([1, 2, 3, 4]), [4])
  })
}
