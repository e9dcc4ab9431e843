import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobKey } from './blob-store.ts'
import { MediaWorld, putStaged } from './media-world.test-support.ts'

const CONTENT = 'sent to the store itself'

async function signedWorld(content = CONTENT) {
  const world = new MediaWorld()
  world.blobs.directUrl = (key) => `http://store.test/${key}`
  const signed = await world.sign(content)
  const url = 'url' in signed.target ? signed.target.url : ''
  return { world, url, uri: signed.uri, stagingKey: new URL(url).pathname.slice(1) as BlobKey }
}

test('nothing counts before it has come, and then once', async () => {
  const { world, url } = await signedWorld()
  await world.service.takeInStaged()
  assert.equal(world.stores.media.countOf(world.traceId), 0)
  putStaged(world.blobs, url, CONTENT)
  await Promise.all([world.service.takeInStaged(), world.service.takeInStaged()])
  await world.service.takeInStaged()
  assert.equal(world.stores.media.countOf(world.traceId), 1)
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
})

test('what is not as announced is removed and said, and the right bytes may follow', async () => {
  const { world, url } = await signedWorld()
  const other = CONTENT.replace('s', 'x')
  for (const wrong of [`${CONTENT}!`, other, '']) {
    putStaged(world.blobs, url, wrong)
    await world.service.takeInStaged()
    await world.service.keepHouse()
    assert.equal(world.blobs.objects.size, 0)
  }
  assert.equal(world.refused.length, 3)
  putStaged(world.blobs, url, CONTENT)
  await world.service.takeInStaged()
  assert.equal(world.stores.media.countOf(world.traceId), 1)
})

test('a client that puts other bytes behind the accepted ones changes nothing, and they go', async () => {
  const { world, url, uri } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  await world.service.takeInStaged()
  putStaged(world.blobs, url, 'something else entirely!')
  await world.service.takeInStaged()
  const opened = await world.service.useCases.open(world.projectId, uri)
  const read = await (await opened.read(null)).toArray()
  assert.equal(Buffer.concat(read as Buffer[]).toString(), CONTENT)
  world.now += 2 * 3_600_000
  await world.service.keepHouse()
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
})

test('what never came or came for a deleted trace leaves nothing', async () => {
  for (const deleted of [true, false]) {
    const { world, url } = await signedWorld()
    if (deleted) {
      world.deleteTrace()
      putStaged(world.blobs, url, CONTENT)
      await world.service.takeInStaged()
      assert.equal(world.refused.length, 1)
    }
    world.now += 2 * 3_600_000
    if (deleted) putStaged(world.blobs, url, CONTENT)
    await world.service.keepHouse()
    await world.service.takeInStaged()
    assert.equal(world.blobs.objects.size, 0)
  }
})

test('what came in time counts, though the service or its bucket was away until long after', async () => {
  const { world, url } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  world.now += 2 * 3_600_000
  world.blobs.failure = new Error('away')
  await world.service.keepHouse()
  assert.equal(world.errors.length > 0, true)
  world.blobs.failure = null
  await world.service.keepHouse()
  assert.equal(world.stores.media.countOf(world.traceId), 1)
  assert.equal(world.blobs.objects.size, 1, 'the staged object is gone, the artifact is there')
})

test('rounds walk over more announced uploads than one looks at', async () => {
  const world = new MediaWorld()
  world.blobs.directUrl = (key) => `http://store.test/${key}`
  const urls: string[] = []
  for (let number = 0; number < 120; number++) {
    const { target } = await world.sign(`content ${number}`)
    if ('url' in target) urls.push(target.url)
  }
  putStaged(world.blobs, urls[110] as string, 'content 110')
  for (let round = 0; round < 3; round++) await world.service.takeInStaged()
  assert.equal(world.stores.media.countOf(world.traceId), 1)
})

test('a store that is gone is reported, and the upload waits', async () => {
  const { world, url } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  world.blobs.failure = new Error('gone')
  await world.service.takeInStaged()
  assert.equal(world.errors.length, 1)
  world.blobs.failure = null
  await world.service.takeInStaged()
  assert.equal(world.stores.media.countOf(world.traceId), 1)
})
