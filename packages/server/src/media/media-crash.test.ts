import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobKey } from '../ports/media/blob-store.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { MediaWorld, Mortality, putStaged } from './media-world.test-support.ts'

const CONTENT = 'what the agent saw'

/**
 * Runs `work` on a process that dies at each step in turn; `check` examines the state that the next process produces.
 * Returns the number of steps.
 */
async function dieEverywhere(
  prepare: (world: MediaWorld) => Promise<void>,
  work: (world: MediaWorld) => Promise<unknown>,
  check: (world: MediaWorld, done: boolean) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    for (const when of ['before', 'after'] as const) {
      const world = new MediaWorld()
      await prepare(world)
      const mortality = new Mortality(at, when)
      world.restart(mortality.wrap(world.blobs), mortality.wrap(world.stores.media))
      const outcome = await work(world).then(
        () => true,
        () => false,
      )
      await world.service.close()
      world.restart()
      await world.service.recover()
      await world.service.keepHouse()
      await check(world, outcome && !mortality.dead)
      if (!mortality.dead) return at
    }
  }
}

test('a crash at any step of an upload leaves neither bytes without a row nor a row without bytes, and the upload can be repeated', async () => {
  const steps = await dieEverywhere(
    async () => undefined,
    (world) => world.upload(CONTENT),
    async (world, done) => {
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      if (done) assert.equal(world.blobs.objects.size, 1)
      await world.upload(CONTENT)
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.equal(world.blobs.objects.size, 1)
    },
  )
  assert.equal(steps, 5, 'begin, write, find, attach')
})

test('the same for bytes that the project already has', async () => {
  const steps = await dieEverywhere(
    async (world) => void (await world.upload(CONTENT)),
    (world) => world.upload(CONTENT),
    async (world) => {
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.equal(world.blobs.objects.size, 1)
    },
  )
  assert.equal(steps, 8, 'begin, write, find, size, attach, remove, forget')
})

test('the same for bytes that the project has and the store has lost', async () => {
  const steps = await dieEverywhere(
    async (world) => {
      await world.upload(CONTENT)
      world.blobs.objects.clear()
    },
    (world) => world.upload(CONTENT),
    async (world, done) => {
      const [problem = 'none', ...more] = await world.inconsistencies([CONTENT])
      assert.deepEqual(more, [])
      assert.match(problem, done ? /^none$/ : /^(none|missing .*)$/)
      await world.upload(CONTENT)
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.equal(world.blobs.objects.size, 1)
    },
  )
  assert.equal(steps, 8, 'begin, write, find, size, attach, remove, forget')
})

test('the same for an upload that is refused', async () => {
  const steps = await dieEverywhere(
    async () => undefined,
    (world) => world.upload(CONTENT, world.ids.newId('tr')),
    async (world) => {
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.equal(world.blobs.objects.size, 0)
    },
  )
  assert.equal(steps, 6, 'begin, write, mark, remove, forget')
})

test('the same for the removal of what a deleted trace held', async () => {
  const steps = await dieEverywhere(
    async (world) => {
      await world.upload(CONTENT)
      await world.upload('more')
      world.deleteTrace()
    },
    (world) => world.service.keepHouse(),
    async (world) => assert.equal(world.blobs.objects.size, 0),
  )
  assert.ok(steps > 5)
})

test('a crash at any step of taking in a direct upload loses nothing: the next round takes it in, once', async () => {
  let url = ''
  const steps = await dieEverywhere(
    async (world) => {
      world.blobs.directUrl = (key) => `http://store.test/${key}`
      const { target } = await world.sign(CONTENT)
      url = 'url' in target ? target.url : ''
      putStaged(world.blobs, url, CONTENT)
    },
    (world) => world.service.takeInStaged(),
    async (world) => {
      await world.service.takeInStaged()
      await world.service.takeInStaged()
      await world.service.keepHouse()
      assert.deepEqual(await world.inconsistencies([CONTENT]), [])
      assert.equal(world.blobs.objects.size, 1)
      assert.equal(world.stores.journal.attachmentsOf(world.traceId), 1)
      assert.deepEqual(world.refused, [])
    },
  )
  assert.equal(steps, 9, 'list, find, size, final key, promote, read, find, attach')
})

test('a control store that fails during an attach keeps bytes that are in use, and gives up the others once it answers again', async () => {
  for (const made of [true, false]) {
    const world = new MediaWorld()
    const { media } = world.stores
    let down = false
    const attach = async (...given: Parameters<MediaStore['attach']>) => {
      if (made) await media.attach(...given)
      down = true
      throw new Error('the answer was lost')
    }
    const markForDeletion = async (key: BlobKey) => {
      if (down) throw new Error('down')
      return media.markForDeletion(key)
    }
    world.restart(world.blobs, world.wrapMedia({ attach, markForDeletion }))
    await assert.rejects(world.upload(CONTENT), /the answer was lost/)
    assert.equal(world.blobs.objects.size, 1, 'nobody knows yet')
    await world.service.keepHouse()
    assert.equal(world.blobs.objects.size, 1)
    down = false
    await world.service.keepHouse()
    assert.equal(world.blobs.objects.size, made ? 1 : 0)
    assert.deepEqual(await world.inconsistencies([CONTENT]), [])
  }
})
