import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobKey } from '../ports/media/blob-store.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { newBlobKey } from '../ports/media/blob-key.ts'
import { MediaWorld } from './media-world.test-support.ts'

test('keys that cannot be removed do not block the removal of others', async () => {
  const world = new MediaWorld()
  for (let number = 0; number < 12; number++) await world.upload(`content ${number}`)
  const stubborn = new Set<BlobKey>([...world.blobs.objects.keys()].sort().slice(0, 5))
  const remove = world.blobs.remove.bind(world.blobs)
  world.blobs.remove = async (key) => {
    if (stubborn.has(key)) throw new Error('not permitted')
    await remove(key)
  }
  world.deleteTrace()
  for (let round = 0; round < 4; round++) await world.service.keepHouse()
  assert.deepEqual(new Set(world.blobs.objects.keys()), stubborn)
  assert.ok(world.errors.length > 0)
  world.blobs.remove = remove
  for (let round = 0; round < 2; round++) await world.service.keepHouse()
  assert.equal(world.blobs.objects.size, 0)
  assert.deepEqual(await world.stores.media.blobsToDelete(null, 10), [])
})

test('a round says whether more bytes wait, until the last are removed', async () => {
  const world = new MediaWorld()
  const { media } = world.stores
  for (let number = 0; number < 1200; number++) {
    const key = newBlobKey(world.projectId, systemRandomBytes)
    await media.beginBlob(key, { owner: 'another', durationMs: LEASE_MS })
    await media.markForDeletion(key)
    world.blobs.objects.set(key, Buffer.from('x'))
  }
  const { remove } = world.blobs
  world.blobs.remove = () => Promise.reject(new Error('unreachable'))
  assert.equal(await world.service.keepHouse(), false, 'a store that fails is left alone for a while')
  assert.equal(world.blobs.objects.size, 1200)
  world.blobs.remove = remove
  const rounds: boolean[] = []
  while (world.blobs.objects.size > 0) rounds.push(await world.service.keepHouse())
  assert.deepEqual(rounds.slice(0, 2), [true, true])
  assert.equal(await world.service.keepHouse(), false)
  assert.deepEqual(await media.blobsToDelete(null, 10), [])
})

const LEASE_MS = 15_000
const MINUTE_MS = 60_000

test('an upload that takes longer than a lease is not considered abandoned by its own process', async () => {
  const world = new MediaWorld()
  const { target } = await world.sign('abcdefgh')
  assert.ok('token' in target)
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>()
  async function* slowly(): AsyncGenerator<Buffer> {
    yield Buffer.from('abcd')
    await later
    yield Buffer.from('efgh')
  }
  const put = world.put(target.token, 'abcdefgh', slowly())
  await new Promise((turn) => setImmediate(turn))
  world.now += MINUTE_MS
  await world.service.keepHouse()
  goOn()
  await put
  assert.deepEqual(await world.inconsistencies(['abcdefgh']), [])
})

test('what another process left in progress is removed once its lease has ended, not before', async () => {
  const world = new MediaWorld()
  const key = newBlobKey(world.projectId, systemRandomBytes)
  await world.stores.media.beginBlob(key, { owner: 'another', durationMs: LEASE_MS })
  world.blobs.objects.set(key, Buffer.from('half'))
  await world.service.keepHouse()
  world.restart()
  await world.service.recover()
  assert.ok(world.blobs.objects.has(key))
  world.now += LEASE_MS
  await world.service.keepHouse()
  assert.equal(world.blobs.objects.size, 0)
})

test('an upload whose key was considered abandoned does not count, and the error says that it can be sent again', async () => {
  const world = new MediaWorld()
  const attach = world.stores.media.attach.bind(world.stores.media)
  const media = world.wrapMedia({
    async attach(...given) {
      // As another process does while this one is suspended.
      world.now += LEASE_MS
      await world.stores.media.markAbandonedForDeletion(null)
      return attach(...given)
    },
  })
  world.restart(world.blobs, media)
  await assert.rejects(world.upload('late'), { code: 'storage_unavailable' })
  assert.deepEqual(await world.inconsistencies(['late']), [])
  world.restart()
  await world.upload('late')
  assert.deepEqual(await world.inconsistencies(['late']), [])
})
