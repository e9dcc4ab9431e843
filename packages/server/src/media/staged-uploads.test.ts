import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../lib/domain-error.ts'
import type { BlobKey } from '../ports/media/blob-store.ts'
import { MediaWorld, putStaged } from './media-world.test-support.ts'

const CONTENT = 'sent to the store itself'

async function signedWorld(content = CONTENT) {
  const world = new MediaWorld()
  world.blobs.directUrl = (key) => `http://store.test/${key}`
  const signed = await world.sign(content)
  const url = 'url' in signed.target ? signed.target.url : ''
  return { world, url, uri: signed.uri, stagingKey: new URL(url).pathname.slice(1) as BlobKey }
}

test('an upload counts only after it has arrived, and then once', async () => {
  const { world, url } = await signedWorld()
  await world.service.takeInStaged()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 0)
  putStaged(world.blobs, url, CONTENT)
  await Promise.all([world.service.takeInStaged(), world.service.takeInStaged()])
  await world.service.takeInStaged()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
})

test('bytes that do not match the announcement are removed and reported, and the right ones may follow', async () => {
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
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})

test('a client that puts other bytes after the accepted ones changes nothing, and they are removed', async () => {
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

test('an upload that never arrived or whose trace was deleted leaves nothing', async () => {
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

test('an upload that arrived in time counts, even if the service or its bucket was unreachable until long after', async () => {
  const { world, url } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  world.now += 2 * 3_600_000
  world.blobs.failure = new Error('away')
  await world.service.keepHouse()
  assert.equal(world.errors.length > 0, true)
  world.blobs.failure = null
  await world.service.keepHouse()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
  assert.equal(world.blobs.objects.size, 1, 'the staged object is gone, the artifact exists')
})

test('rounds go through more announced uploads than one round handles', async () => {
  const world = new MediaWorld()
  world.blobs.directUrl = (key) => `http://store.test/${key}`
  const urls: string[] = []
  for (let number = 0; number < 120; number++) {
    const { target } = await world.sign(`content ${number}`)
    if ('url' in target) urls.push(target.url)
  }
  putStaged(world.blobs, urls[110] as string, 'content 110')
  for (let round = 0; round < 3; round++) await world.service.takeInStaged()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})

test('an unreachable store is reported, and the upload waits', async () => {
  const { world, url } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  world.blobs.failure = new Error('gone')
  await world.service.takeInStaged()
  assert.equal(world.errors.length, 1)
  world.blobs.failure = null
  await world.service.takeInStaged()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})

test('an object that vanishes after it was seen is missing media, and may be uploaded again', async () => {
  for (const moment of ['before', 'during', 'after'] as const) {
    const { world, url, uri, stagingKey } = await signedWorld()
    putStaged(world.blobs, url, CONTENT)
    const promote = world.blobs.promote.bind(world.blobs)
    world.blobs.promote = async (from, to) => {
      if (moment === 'before') world.blobs.objects.delete(from)
      if (moment === 'during') {
        world.blobs.objects.delete(from)
        throw new DomainError('storage_unavailable', 'NoSuchKey, says the store')
      }
      await promote(from, to)
      if (moment === 'after') world.blobs.objects.delete(to)
    }
    await assert.rejects(world.service.useCases.open(world.projectId, uri), { code: 'not_found' })
    assert.deepEqual(world.refused, ['the object is gone'])
    await world.service.keepHouse()
    assert.deepEqual(await world.stores.media.blobsToDelete(null, 10), [], 'the key that it was to get is given up')
    world.blobs.promote = promote
    assert.equal(world.blobs.objects.has(stagingKey), false)
    putStaged(world.blobs, url, CONTENT)
    const opened = await world.service.useCases.open(world.projectId, uri)
    assert.equal(opened.sizeBytes, CONTENT.length)
    assert.deepEqual(await world.inconsistencies([CONTENT]), [])
  }
})

test('an object that cannot be promoted and still exists is tried again later', async () => {
  const { world, url, uri } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  const promote = world.blobs.promote.bind(world.blobs)
  world.blobs.promote = () => Promise.reject(new DomainError('storage_unavailable', 'not now'))
  await assert.rejects(world.service.useCases.open(world.projectId, uri), { code: 'storage_unavailable' })
  world.blobs.promote = promote
  await world.service.takeInStaged()
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
  assert.deepEqual(world.refused, [])
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
})

test('closing waits for a take-in that a reader started', async () => {
  const { world, url, uri } = await signedWorld()
  putStaged(world.blobs, url, CONTENT)
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const promote = world.blobs.promote.bind(world.blobs)
  world.blobs.promote = async (from, to) => {
    reached.resolve()
    await release.promise
    await promote(from, to)
  }
  const opening = world.service.useCases.open(world.projectId, uri)
  await reached.promise
  const closing = world.service.close().then(() => world.stores.journal.attachmentsOf(world.traceId))
  release.resolve()
  assert.equal(await closing, 1)
  await opening
})

test('a take-in uses the state at its beginning, not that of an earlier list', async () => {
  const { world, url, uri } = await signedWorld()
  const { media } = world.stores
  const wrong = CONTENT.replace('s', 'x')
  // The service dies between promoting the wrong bytes and checking them.
  putStaged(world.blobs, url, wrong)
  const [upload] = await media.listStaged(null, 1)
  assert.ok(upload)
  const promotedTo = `${world.projectId}/${'0'.repeat(32)}` as BlobKey
  await media.setFinalKey(upload.id, promotedTo)
  await world.blobs.promote(upload.stagingKey as BlobKey, promotedTo)
  const findStaged = media.findStaged.bind(media)
  world.restart(
    world.blobs,
    world.wrapMedia({
      findStaged: async (...given) => {
        const listed = await findStaged(...given)
        // Meanwhile a round refuses them and the client puts the right ones.
        await world.service.takeInStaged()
        putStaged(world.blobs, url, CONTENT)
        return listed
      },
    }),
  )
  await world.service.useCases.open(world.projectId, uri)
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
  assert.notEqual((await media.find(world.projectId, upload.sha256))?.key, promotedTo, 'a key that waits for removal')
})
