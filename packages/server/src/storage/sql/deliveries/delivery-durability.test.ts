import assert from 'node:assert/strict'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  deliveryOf,
  eventOf,
  fail,
  hookOf,
  HOUR,
  leaseAll,
  NOW,
  succeed,
} from '../../../ports/webhooks/delivery-builders.test-support.ts'
import { temporaryDeliveryFolder, temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'

const LATER = NOW + HOUR
const UNAVAILABLE = { code: 'storage_unavailable' }

/** A disk whose flushes end when the test says so. */
class ManualDisk {
  readonly #waiting: ((error: Error | null) => void)[] = []
  flushes = 0

  readonly syncFile = (): Promise<void> => {
    this.flushes += 1
    return new Promise((resolve, reject) => {
      this.#waiting.push((error) => (error === null ? resolve() : reject(error)))
    })
  }

  /** Ends the oldest flush, waiting for one if necessary. */
  async end(error: Error | null = null): Promise<void> {
    while (this.#waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    this.#waiting.shift()?.(error)
  }
}

function open() {
  const disk = new ManualDisk()
  return { disk, ...temporaryDeliveryStore(temporaryDeliveryFolder(), disk.syncFile) }
}

test('until deliveries are flushed, none can be sent and the position does not change', async () => {
  const { disk, queue, intake } = open()
  const added = intake.add([eventOf(1)], 1)
  assert.deepEqual(
    [await queue.nextDueAt(), await queue.dueWebhooks(LATER, null, 9), await leaseAll(queue, 1, LATER)],
    [null, [], []],
  )
  assert.equal(await queue.leaseOne(hookOf(1), deliveryOf(1), LATER, LATER), undefined)
  assert.equal(await intake.position(), null)
  await disk.end()
  await added
  assert.deepEqual([await queue.nextDueAt(), await intake.position()], [NOW + 1, 1])
  assert.equal((await leaseAll(queue, 1, LATER)).length, 1)
})

test('older deliveries are sent during a flush, even if their subscription gets more', async () => {
  const { disk, queue, intake, log } = open()
  const first = intake.add([eventOf(1), eventOf(2)], 2)
  await disk.end()
  await first
  const second = intake.add([eventOf(3)], 3)
  const redelivered = log.redeliver(hookOf(1), deliveryOf(3), LATER)
  assert.deepEqual(
    (await leaseAll(queue, 1, LATER + 1)).map(({ id }) => id),
    [deliveryOf(1), deliveryOf(2)],
  )
  assert.deepEqual([await queue.nextDueAt(), await leaseAll(queue, 1, LATER + 1)], [null, []])
  await disk.end()
  await second
  await disk.end()
  await redelivered
  assert.equal((await leaseAll(queue, 1, LATER + 1)).length, 1)
})

test('writes made during a flush share the next one', async () => {
  const { disk, queue, intake } = open()
  const first = intake.add([eventOf(1)], 1)
  while (disk.flushes === 0) await new Promise((resolve) => setImmediate(resolve))
  const others = [2, 3, 4].map((number) => intake.add([eventOf(number, [number])], number))
  await disk.end()
  await first
  assert.deepEqual(await queue.dueWebhooks(LATER, null, 9), [hookOf(1)])
  await disk.end()
  await Promise.all(others)
  assert.equal(disk.flushes, 2)
  assert.deepEqual(await queue.dueWebhooks(LATER, null, 9), [1, 2, 3, 4].map(hookOf))
})

test('a redelivery is durable when it is acknowledged', async () => {
  const { disk, queue, intake, log } = open()
  const added = intake.add([eventOf(1)], 1)
  await disk.end()
  await added
  const exhausted = { status: 'failed', reason: 'attempts_exhausted' } as const
  await queue.finish((await leaseAll(queue, 1, LATER)).map((delivery) => fail(delivery, LATER, exhausted)))
  for (const redeliver of [
    () => log.redeliver(hookOf(1), deliveryOf(1), LATER),
    () => log.redeliverFailed(hookOf(1), 0, LATER, null, 9),
  ]) {
    let isThere = false
    const before = disk.flushes
    const done = redeliver().then(() => (isThere = true))
    while (disk.flushes === before) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isThere, false)
    await disk.end()
    await done
    await queue.finish((await leaseAll(queue, 1, LATER)).map((delivery) => fail(delivery, LATER, exhausted)))
  }
})

test('after a failed flush nothing of it is sent; the next call writes it again, and all of it is sent', async () => {
  const { disk, queue, intake } = open()
  const first = intake.add([eventOf(1, [1], { body: 'as it was' })], 1)
  const refused = assert.rejects(first, UNAVAILABLE)
  await disk.end(new Error('EIO'))
  await refused
  assert.deepEqual(
    [await queue.nextDueAt(), await intake.position(), await leaseAll(queue, 1, LATER)],
    [null, null, []],
  )
  // The kernel may drop pages that it could not write, so repeating the flush alone would prove nothing.
  await intake.add([eventOf(1, [1], { body: 'printed anew' }), eventOf(2, [2])], 2)
  assert.equal(disk.flushes, 1)
  assert.deepEqual([await queue.dueWebhooks(LATER, null, 9), await intake.position()], [[hookOf(1), hookOf(2)], 2])
  assert.equal(Buffer.from((await leaseAll(queue, 1, LATER))[0]?.body ?? []).toString(), 'as it was')
  const third = intake.add([eventOf(3)], 3)
  await disk.end()
  await third
  assert.equal(disk.flushes, 2)
})

test('after a power loss at any moment everything sent exists with the same body, and the position includes it', async () => {
  const [dataDir, lost] = [temporaryDeliveryFolder(), temporaryDeliveryFolder()]
  // A power loss leaves at least the files as of their last flush.
  const files = ['deliveries.db', 'deliveries.db-wal']
  const store = temporaryDeliveryStore(dataDir, async () => {
    for (const file of files) cpSync(join(dataDir, file), join(lost, file))
  })
  const body = 'x'.repeat(5000)
  const sent = new Map<string, string>()
  for (let round = 1; round <= 30; round++) {
    const events = Array.from({ length: 40 }, (_, index) => {
      const number = round * 40 + index
      return eventOf(number, [1, 2], { body: `${number} ${body}` })
    })
    const added = store.intake.add(events, round)
    const send = async () => {
      for (const webhook of [1, 2]) {
        const due = await leaseAll(store.queue, webhook, LATER)
        for (const delivery of due) sent.set(delivery.id, Buffer.from(delivery.body).toString())
        await store.queue.finish(due.map((delivery) => succeed(delivery)))
      }
    }
    await send()
    await added
    await send()
    if (round % 10 !== 0) continue
    assert.ok(existsSync(join(lost, 'deliveries.db')), 'nothing was ever flushed')
    const image = temporaryDeliveryFolder()
    cpSync(lost, image, { recursive: true })
    const after = temporaryDeliveryStore(image)
    assert.equal(await after.intake.position(), round)
    const found = (await Promise.all([1, 2].map((webhook) => leaseAll(after.queue, webhook, LATER)))).flat()
    const all = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 10_000 }
    const lists = await Promise.all([1, 2].map((webhook) => after.log.list({ ...all, webhookId: hookOf(webhook) })))
    const listed = lists.flat()
    assert.equal(listed.length, round * 80)
    assert.ok(found.length <= listed.length)
    for (const { id, webhookId } of listed) assert.equal((await after.log.find(webhookId, id))?.body, sent.get(id))
    after.close()
  }
})
