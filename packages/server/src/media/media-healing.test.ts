import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { BlobKey } from '../ports/media/blob-store.ts'
import { MediaWorld, putStaged } from './media-world.test-support.ts'

const CONTENT = 'what the agent saw'
const HASH = createHash('sha256').update(CONTENT).digest('hex')

/** Damage to the object of an artifact by an operator or a faulty disk. */
const LOSSES: Readonly<Record<string, (world: MediaWorld, key: BlobKey) => void>> = {
  removed: ({ blobs }, key) => void blobs.objects.delete(key),
  truncated: ({ blobs }, key) => void blobs.objects.set(key, Buffer.from(CONTENT.slice(0, 3))),
  emptied: ({ blobs }, key) => void blobs.objects.set(key, Buffer.alloc(0)),
  lengthened: ({ blobs }, key) => void blobs.objects.set(key, Buffer.from(`${CONTENT}!`)),
}

/** The ways in which bytes arrive. */
const WAYS: Readonly<Record<string, (world: MediaWorld) => Promise<unknown>>> = {
  form: (world) => world.upload(CONTENT),
  'signed URL of the service': async (world) => {
    const { target } = await world.sign(CONTENT)
    await world.put('token' in target ? target.token : '', CONTENT)
  },
  'signed URL of the store': async (world) => {
    world.blobs.directUrl = (key) => `http://store.test/${key}`
    const { target } = await world.sign(CONTENT)
    putStaged(world.blobs, 'url' in target ? target.url : '', CONTENT)
    await world.service.takeInStaged()
  },
}

async function keyOf(world: MediaWorld): Promise<BlobKey> {
  return ((await world.stores.media.find(world.projectId, HASH)) ?? assert.fail()).key
}

async function readBack(world: MediaWorld): Promise<string> {
  const opened = await world.service.useCases.open(world.projectId, `media://${world.projectId}/${HASH}`)
  return Buffer.concat((await (await opened.read(null)).toArray()) as Buffer[]).toString()
}

/** An artifact on two traces whose object was damaged. */
async function lostWorld(lose: (world: MediaWorld, key: BlobKey) => void) {
  const world = new MediaWorld()
  const secondTrace = world.ids.newId('tr')
  world.traces.add(secondTrace)
  await world.upload(CONTENT)
  await world.upload(CONTENT, secondTrace)
  const lostKey = await keyOf(world)
  lose(world, lostKey)
  return { world, secondTrace, lostKey }
}

for (const [loss, lose] of Object.entries(LOSSES)) {
  for (const [way, send] of Object.entries(WAYS)) {
    test(`bytes that were ${loss} are restored by ${way}`, async () => {
      const { world, lostKey } = await lostWorld(lose)
      await send(world)
      assert.equal(await readBack(world), CONTENT)
      assert.notEqual(await keyOf(world), lostKey)
      // The form is that of the first upload.
      assert.equal(world.stores.journal.attachmentsOf(world.traceId), way === 'form' ? 1 : 2)
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.deepEqual(world.errors, ['the store had lost bytes of an artifact; an upload restored them'])
    })
  }
}

describe('healing', () => {
  const lost = () => lostWorld(LOSSES['removed'] ?? assert.fail())

  test('concurrent uploads of the same lost bytes heal them once', async () => {
    const { world } = await lost()
    await Promise.all(Array.from({ length: 5 }, () => world.upload(CONTENT)))
    assert.equal(await readBack(world), CONTENT)
    assert.equal(world.blobs.objects.size, 1)
    assert.deepEqual(await world.inconsistencies([CONTENT]), [])
    assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
    assert.equal(world.errors.length, 1)
  })

  test('if traces are deleted between check and attachment, the lost key is removed and the upload brings its own', async () => {
    const { world, secondTrace } = await lost()
    const { media } = world.stores
    const third = world.ids.newId('tr')
    world.traces.add(third)
    world.restart(
      world.blobs,
      world.wrapMedia({
        attach: async (...given) => {
          world.deleteTrace(secondTrace)
          world.deleteTrace()
          return media.attach(...given)
        },
      }),
    )
    await world.upload(CONTENT, third)
    world.restart()
    await world.service.keepHouse()
    assert.equal(await readBack(world), CONTENT)
    assert.deepEqual(await world.inconsistencies([CONTENT]), [])
  })

  test('a trace deleted right after the healing removes the new bytes with it', async () => {
    const { world, secondTrace } = await lost()
    await world.upload(CONTENT)
    world.deleteTrace(secondTrace)
    assert.equal(await readBack(world), CONTENT)
    world.deleteTrace()
    await world.service.keepHouse()
    assert.equal(world.blobs.objects.size, 0)
    assert.deepEqual(await world.stores.media.blobsToDelete(null, 10), [])
  })

  test('an upload that is refused heals nothing', async () => {
    const { world, lostKey } = await lost()
    const gone = world.ids.newId('tr')
    await assert.rejects(world.upload(CONTENT, gone))
    assert.equal(await keyOf(world), lostKey)
    assert.equal(world.blobs.objects.size, 0)
  })

  test('bytes that exist keep their key', async () => {
    const { world, lostKey } = await lostWorld(() => undefined)
    await world.upload(CONTENT)
    assert.equal(await keyOf(world), lostKey)
    assert.deepEqual(world.errors, [])
  })
})
