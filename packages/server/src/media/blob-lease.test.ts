import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobKey } from '../ports/media/blob-store.ts'
import { MediaWorld } from './media-world.test-support.ts'

test('keys that cannot be removed do not keep the others from being removed', async () => {
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
  assert.deepEqual(await world.stores.media.condemnedBlobs(null, 10), [])
})
