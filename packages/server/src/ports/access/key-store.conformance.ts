import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { aKey, aProject, hashOf, keyId, projectId, type AccessStores } from './access-builders.test-support.ts'

export function testKeyStore(open: (context: TestContext) => Promise<AccessStores>): void {
  test('a key is found by its id and by its secret', async (context) => {
    const { projects, keys } = await open(context)
    await projects.create(aProject(1), [])
    assert.equal(await keys.findBySecretHash(aKey(1).secretHash), undefined)
    await keys.create(aKey(1))
    assert.deepEqual(await keys.findBySecretHash(aKey(1).secretHash), aKey(1))
    assert.deepEqual(await keys.find(keyId(1)), aKey(1))
    assert.equal(await keys.findBySecretHash(hashOf(7)), undefined)
    assert.equal(await keys.find(keyId(2)), undefined)
  })

  test('a key of no project, an id or a secret used twice are refused', async (context) => {
    const { projects, keys } = await open(context)
    await assert.rejects(keys.create(aKey(1)))
    await projects.create(aProject(1), [aKey(1)])
    await assert.rejects(keys.create(aKey(2, { secretHash: aKey(1).secretHash })))
    await assert.rejects(keys.create(aKey(1, { secretHash: hashOf(7) })))
    assert.deepEqual(await keys.listLive(projectId(1), null, 9), [aKey(1)])
    assert.equal(await keys.findBySecretHash(hashOf(7)), undefined)
  })

  test('keys that are not revoked are listed by age, page by page, expired ones too', async (context) => {
    const { projects, keys } = await open(context)
    await projects.create(aProject(1), [aKey(3), aKey(1, { expiresAt: 6 }), aKey(2)])
    await projects.create(aProject(2), [aKey(4, { projectId: projectId(2) })])
    const page = async (after: number | null, limit: number) =>
      (await keys.listLive(projectId(1), after === null ? null : keyId(after), limit)).map(({ id }) => id)
    assert.deepEqual(await page(null, 2), [keyId(1), keyId(2)])
    assert.deepEqual(await page(2, 9), [keyId(3)])
    await keys.revoke(keyId(2), 50)
    assert.deepEqual(await page(null, 9), [keyId(1), keyId(3)])
    assert.deepEqual(await keys.listLive(projectId(3), null, 9), [])
  })

  test('a revoked key is still found, says so at the next look-up, and keeps its first time', async (context) => {
    const { projects, keys } = await open(context)
    await projects.create(aProject(1), [aKey(1), aKey(2)])
    assert.equal((await keys.findBySecretHash(aKey(1).secretHash))?.revokedAt, null)
    await keys.revoke(keyId(1), 50)
    assert.equal((await keys.findBySecretHash(aKey(1).secretHash))?.revokedAt, 50)
    await keys.revoke(keyId(1), 60)
    await keys.revoke(keyId(9), 60)
    assert.deepEqual(await keys.findBySecretHash(aKey(1).secretHash), aKey(1, { revokedAt: 50 }))
    assert.deepEqual(await keys.find(keyId(1)), aKey(1, { revokedAt: 50 }))
    assert.deepEqual(await keys.findBySecretHash(aKey(2).secretHash), aKey(2))
  })

  test('limits of a key change at the next look-up', async (context) => {
    const { projects, keys } = await open(context)
    const limits = { requestsPerSecond: 5, bytesPerSecond: 2 ** 40 }
    await projects.create(aProject(1), [aKey(1), aKey(2, { limits })])
    assert.deepEqual(await keys.findBySecretHash(aKey(1).secretHash), aKey(1))
    await keys.setLimits(keyId(1), limits)
    assert.deepEqual(await keys.findBySecretHash(aKey(1).secretHash), aKey(1, { limits }))
    await keys.setLimits(keyId(2), { requestsPerSecond: null, bytesPerSecond: 2000 })
    await keys.setLimits(keyId(9), limits)
    assert.deepEqual((await keys.find(keyId(2)))?.limits, { requestsPerSecond: null, bytesPerSecond: 2000 })
  })
}
