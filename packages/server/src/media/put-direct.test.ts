import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaWorld } from './media-world.test-support.ts'

const CONTENT = 'what the agent saw'

async function signedWorld() {
  const world = new MediaWorld()
  const { target } = await world.sign(CONTENT)
  return { world, token: 'token' in target ? target.token : '' }
}

/** Bytes of which some have arrived; the rest waits for the test. */
function heldBytes() {
  const begun = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<string>()
  async function* bytes() {
    yield Buffer.from(CONTENT.slice(0, 5))
    begun.resolve()
    yield Buffer.from(await rest.promise)
  }
  return { bytes: bytes(), begun: begun.promise, finish: rest.resolve, breakOff: rest.reject }
}

test('a URL takes one upload at a time, and concurrent ones do not harm it', async () => {
  const { world, token } = await signedWorld()
  const held = heldBytes()
  const first = world.put(token, CONTENT, held.bytes)
  await held.begun
  for (let time = 0; time < 2; time++) {
    await assert.rejects(world.put(token, CONTENT), { code: 'upload_in_progress' })
  }
  assert.equal(world.blobs.unfinished.size, 1, 'nothing was begun for the others')
  held.finish(CONTENT.slice(5))
  await first
  await assert.rejects(world.put(token, CONTENT), { code: 'upload_url_used' })
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})

test('a URL whose upload failed takes another', async () => {
  const { world, token } = await signedWorld()
  const held = heldBytes()
  const first = world.put(token, CONTENT, held.bytes)
  await held.begun
  held.breakOff(new Error('the connection broke'))
  await assert.rejects(first, /the connection broke/)
  await assert.rejects(world.put(token, 'something else!!!!'), { code: 'upload_mismatch' })
  await world.put(token, CONTENT)
  assert.deepEqual(await world.inconsistencies([CONTENT]), [])
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})

test('an upload to one URL does not block another', async () => {
  const { world, token } = await signedWorld()
  const { target } = await world.sign(CONTENT)
  const held = heldBytes()
  const first = world.put(token, CONTENT, held.bytes)
  await held.begun
  await world.put('token' in target ? target.token : '', CONTENT)
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
  held.finish(CONTENT.slice(5))
  await first
  // It is the same file.
  assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
})
