import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { numberedId, sha256 } from '../journal/numbered-commit.test-support.ts'
import {
  announced,
  keyOf,
  LEASE,
  newAttachment,
  OTHER,
  OWN,
  SECOND_TRACE,
  STEP,
  TRACE,
} from './media-builders.test-support.ts'
import type { MediaStore, NewAttachment } from './media-store.ts'

const MOST = 100

export interface MediaStoreWorld {
  readonly media: MediaStore
  /** Deletes a trace of OWN as a commit does: its attachments go, and it takes no more. */
  deleteTrace(traceId: TraceId): Promise<void>
}

/** Guarantees of every media store. `open` gives an empty one. */
export function testMediaStore(open: (context: TestContext, clock: Clock) => Promise<MediaStoreWorld>): void {
  const world = async (context: TestContext) => {
    const clock = { time: 0, now: () => clock.time }
    const { media, deleteTrace } = await open(context, clock)
    const upload = async (attachment: NewAttachment, most = MOST) => {
      await media.beginBlob(attachment.key, LEASE)
      return media.attach(attachment, most, null)
    }
    return { media, clock, upload, deleteTrace: (traceId = TRACE) => deleteTrace(traceId) }
  }

  test('an attachment comes back as it was made, and its media by hash', async (context) => {
    const { media, upload } = await world(context)
    const { key, claimedType, directUpload, facts, ...fields } = newAttachment({ stepId: STEP })
    const made = await upload({ key, claimedType, directUpload, facts, ...fields })
    const attachment = { ...fields, ...facts }
    assert.deepEqual(made, { status: 'attached', attachment, unusedKey: null })
    assert.deepEqual([...(await media.attachmentsOf(TRACE, [null, STEP]))], [[STEP, [attachment]]])
    const { filename } = fields
    assert.deepEqual(await media.find(OWN, facts.sha256), { projectId: OWN, key, filename, claimedType, ...facts })
    assert.equal(await media.find(OTHER, facts.sha256), null)
  })

  test('the same bytes of one project keep one key, those of another their own', async (context) => {
    const { media, upload } = await world(context)
    const first = newAttachment({ content: 'same' })
    const second = newAttachment({ content: 'same', traceId: SECOND_TRACE })
    const foreign = newAttachment({ content: 'same', projectId: OTHER, traceId: numberedId('tr', 3) })
    await upload(first)
    const outcome = await upload(second)
    assert.equal(outcome.status === 'attached' && outcome.unusedKey, second.key)
    await upload(foreign)
    assert.deepEqual(await media.blobsToDelete(null, 10), [second.key])
    assert.equal((await media.find(OWN, first.facts.sha256))?.key, first.key)
    assert.equal((await media.find(OWN, first.facts.sha256))?.filename, second.filename)
    assert.equal((await media.find(OTHER, first.facts.sha256))?.key, foreign.key)
  })

  test('old attachments of a project are removed, and bytes that no other refers to', async (context) => {
    const { media, upload } = await world(context)
    const [old, shared, foreign] = [
      newAttachment({ content: 'old', createdAt: 10 }),
      newAttachment({ content: 'shared', createdAt: 20 }),
      newAttachment({ content: 'old', createdAt: 10, projectId: OTHER, traceId: numberedId('tr', 3) }),
    ]
    for (const one of [old, shared, foreign]) await upload(one)
    const later = newAttachment({ content: 'shared', createdAt: 30, traceId: SECOND_TRACE })
    await upload(later)
    assert.equal(await media.countOlder(OWN, 30), 2)
    assert.equal(await media.releaseOlder(OWN, 30, 1), 1)
    assert.equal(await media.find(OWN, old.facts.sha256), null)
    assert.equal(await media.releaseOlder(OWN, 30, 9), 1)
    assert.equal(await media.releaseOlder(OWN, 30, 9), 0)
    assert.deepEqual([...(await media.countByTrace([TRACE, SECOND_TRACE]))], [[SECOND_TRACE, 1]])
    assert.equal((await media.find(OWN, shared.facts.sha256))?.key, shared.key)
    assert.equal((await media.find(OTHER, foreign.facts.sha256))?.key, foreign.key)
    const removed = await media.blobsToDelete(null, 10)
    assert.deepEqual(new Set(removed), new Set([old.key, later.key]))
  })

  test('media under a key that was lost gets the new key, and only that media', async (context) => {
    const { media, upload, deleteTrace } = await world(context)
    const [first, healing, late] = Array.from({ length: 3 }, () => newAttachment({ content: 'lost' }))
    assert.ok(first && healing && late)
    const foreign = newAttachment({ content: 'lost', projectId: OTHER, traceId: numberedId('tr', 3) })
    await upload(first)
    await upload(foreign)
    await media.beginBlob(healing.key, LEASE)
    const healed = await media.attach(healing, MOST, first.key)
    assert.equal(healed.status === 'attached' && healed.unusedKey, first.key)
    await media.beginBlob(late.key, LEASE)
    const second = await media.attach(late, MOST, first.key)
    assert.equal(second.status === 'attached' && second.unusedKey, late.key, 'another has healed it meanwhile')
    assert.equal((await media.find(OWN, first.facts.sha256))?.key, healing.key)
    assert.equal((await media.find(OTHER, first.facts.sha256))?.key, foreign.key)
    assert.deepEqual(await media.blobsToDelete(null, 10), [first.key, late.key])
    assert.equal(await media.markForDeletion(healing.key), false, 'it is in use')
    await deleteTrace()
    assert.deepEqual(await media.blobsToDelete(null, 10), [first.key, healing.key, late.key])
  })

  test('a lost key that was released meanwhile is not brought back', async (context) => {
    const { media, upload, deleteTrace } = await world(context)
    const first = newAttachment({ content: 'lost' })
    await upload(first)
    await deleteTrace()
    await media.forgetBlob(first.key)
    const next = newAttachment({ content: 'lost', traceId: SECOND_TRACE })
    await media.beginBlob(next.key, LEASE)
    const outcome = await media.attach(next, MOST, first.key)
    assert.equal(outcome.status === 'attached' && outcome.unusedKey, null)
    assert.equal((await media.find(OWN, first.facts.sha256))?.key, next.key)
    assert.deepEqual(await media.blobsToDelete(null, 10), [])
  })

  test('counts are of traces with their steps, and each step has its own in order', async (context) => {
    const { media, upload } = await world(context)
    assert.deepEqual(await media.countByTrace([TRACE]), new Map())
    const [onTrace, onStep, onStepToo] = [
      newAttachment(),
      newAttachment({ stepId: STEP }),
      newAttachment({ stepId: STEP }),
    ]
    for (const one of [onTrace, onStep, onStepToo]) await upload(one)
    assert.deepEqual([...(await media.countByTrace([SECOND_TRACE, TRACE]))], [[TRACE, 3]])
    const found = await media.attachmentsOf(TRACE, [null, STEP, numberedId('st', 9)])
    assert.deepEqual(
      [...found].map(([step, list]) => [step, list.map(({ id }) => id)]),
      [
        [null, [onTrace.id]],
        [STEP, [onStep.id, onStepToo.id]],
      ],
    )
  })

  test('an upload that is sent again is one attachment, also of a full trace; another name or place is another', async (context) => {
    const { media, upload } = await world(context)
    const file = { content: 'same', stepId: STEP, filename: 'a.png' }
    const first = newAttachment(file)
    await upload(first)
    const again = newAttachment(file)
    const outcome = await upload(again, 1)
    assert.ok(outcome.status === 'attached')
    assert.deepEqual([outcome.attachment.id, outcome.unusedKey], [first.id, again.key])
    for (const [other, count] of [
      [{ filename: 'b.png' }, 2],
      [{ filename: null }, 3],
      [{ filename: null }, 3],
      [{ stepId: null }, 4],
      [{ stepId: null }, 4],
      [{ claimedType: 'image/gif' }, 5],
      [{ content: 'other' }, 6],
    ] as const) {
      await upload(newAttachment({ ...file, ...other }))
      assert.deepEqual(await media.countByTrace([TRACE]), new Map([[TRACE, count]]), JSON.stringify(other))
    }
  })

  test('a deleted trace takes no attachment, a full one neither, and nothing is changed', async (context) => {
    const { media, upload, deleteTrace } = await world(context)
    await upload(newAttachment())
    const refused = newAttachment()
    assert.deepEqual(await upload(refused, 1), { status: 'too_many' })
    await deleteTrace()
    assert.deepEqual(await media.attach(refused, MOST, null), { status: 'trace_deleted' })
    assert.equal(await media.find(OWN, refused.facts.sha256), null)
    assert.equal(await media.markForDeletion(refused.key), true, 'the key is still pending')
  })

  test('the last reference takes the bytes with it, and no other does', async (context) => {
    const { media, upload, deleteTrace } = await world(context)
    const shared = newAttachment({ content: 'shared' })
    const alone = newAttachment()
    await upload(shared)
    await upload(alone)
    await upload(newAttachment({ content: 'shared', traceId: SECOND_TRACE, key: keyOf(77_777) }))
    await media.forgetBlob(keyOf(77_777))
    await deleteTrace(TRACE)
    assert.deepEqual(await media.blobsToDelete(null, 10), [alone.key])
    assert.deepEqual(await media.attachmentsOf(TRACE, [null]), new Map())
    assert.equal((await media.find(OWN, shared.facts.sha256))?.key, shared.key)
    await deleteTrace(SECOND_TRACE)
    assert.deepEqual(await media.blobsToDelete(null, 10), [alone.key, shared.key].sort())
    assert.equal(await media.find(OWN, shared.facts.sha256), null)
  })

  test('a key is pending from before its first byte until after its last', async (context) => {
    const { media } = await world(context)
    for (const number of [1, 2]) await media.beginBlob(keyOf(number), LEASE)
    await assert.rejects(media.beginBlob(keyOf(1), LEASE))
    assert.deepEqual(await media.blobsToDelete(null, 10), [])
    assert.equal(await media.markForDeletion(keyOf(1)), true)
    assert.equal(await media.markForDeletion(keyOf(3)), false)
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(1)])
    await media.markForDeletion(keyOf(2))
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(1), keyOf(2)])
    assert.deepEqual(await media.blobsToDelete(null, 1), [keyOf(1)])
    assert.deepEqual(await media.blobsToDelete(keyOf(1), 10), [keyOf(2)])
    await media.forgetBlob(keyOf(1))
    await media.forgetBlob(keyOf(1))
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(2)])
  })

  test('only keys whose lease has ended, or whose owner is dead, are abandoned', async (context) => {
    const { media, clock } = await world(context)
    await media.beginBlob(keyOf(1), { owner: 'a', durationMs: 1000 })
    await media.beginBlob(keyOf(2), { owner: 'b', durationMs: 1000 })
    await media.beginBlob(keyOf(3), { owner: 'c', durationMs: 5000 })
    await media.beginBlob(keyOf(4), { owner: 'd', durationMs: 9000 })
    clock.time = 999
    await media.renewBlobs({ owner: 'b', durationMs: 1001 })
    await media.markAbandonedForDeletion(null)
    assert.deepEqual(await media.blobsToDelete(null, 10), [])
    clock.time = 1000
    await media.markAbandonedForDeletion('c')
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(1), keyOf(3)])
    await media.renewBlobs({ owner: 'a', durationMs: 8000 })
    clock.time = 2000
    await media.markAbandonedForDeletion(null)
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(1), keyOf(2), keyOf(3)])
  })

  test('who goes on after the lease has ended and was taken for dead attaches nothing', async (context) => {
    const { media, clock } = await world(context)
    const [late, swept, inTime] = [newAttachment(), newAttachment(), newAttachment()]
    for (const { key } of [late, swept, inTime]) await media.beginBlob(key, LEASE)
    await media.markForDeletion(swept.key)
    await media.forgetBlob(swept.key)
    assert.equal((await media.attach(inTime, MOST, null)).status, 'attached')
    clock.time = LEASE.durationMs
    await media.markAbandonedForDeletion(null)
    for (const one of [late, swept]) {
      assert.deepEqual(await media.attach(one, MOST, null), { status: 'lease_ended' })
      assert.equal(await media.find(OWN, one.facts.sha256), null)
    }
    assert.deepEqual(await media.blobsToDelete(null, 10), [late.key])
  })

  test('abandoned keys can be forgotten, so that nobody removes what was written under them', async (context) => {
    const { media, clock } = await world(context)
    await media.beginBlob(keyOf(1), LEASE)
    await media.beginBlob(keyOf(2), LEASE)
    await media.beginBlob(keyOf(3), { owner: 'another', durationMs: 5000 })
    await media.markForDeletion(keyOf(1))
    await media.forgetAbandoned(LEASE.owner)
    clock.time = 5000
    await media.markAbandonedForDeletion(null)
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(1), keyOf(3)])
  })

  test('the bytes that a project has are found with one call, those of another not', async (context) => {
    const { media, upload } = await world(context)
    const [a, b] = [newAttachment(), newAttachment({ projectId: OTHER, traceId: SECOND_TRACE })]
    await upload(a)
    await upload(b)
    const hashes = [a.facts.sha256, b.facts.sha256, sha256('nowhere')]
    assert.deepEqual(await media.existing(OWN, hashes), new Set([a.facts.sha256]))
    assert.deepEqual(await media.existing(OWN, []), new Set())
    const many = Array.from({ length: 1200 }, (_, number) => sha256(`no ${number}`))
    assert.deepEqual(await media.existing(OWN, [...many, a.facts.sha256]), new Set([a.facts.sha256]))
  })

  test('an upload is taken in by one process: its final key is named once until it is released', async (context) => {
    const { media } = await world(context)
    const { id } = announced({ stagingKey: keyOf(801) })
    assert.equal(await media.setFinalKey(id, keyOf(802)), false)
    await media.announce(announced({ id, stagingKey: keyOf(801) }))
    assert.equal(await media.setFinalKey(id, keyOf(802)), true)
    assert.equal(await media.setFinalKey(id, keyOf(803)), false)
    await media.releaseFinalKey(id, keyOf(802))
    await media.releaseFinalKey(id, keyOf(802))
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(802)])
    assert.equal(await media.setFinalKey(id, keyOf(803)), true)
    // A process that was stopped while it took in the first try.
    await media.releaseFinalKey(id, keyOf(802))
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(802)])
    assert.equal((await media.findAnnounced(id))?.finalKey, keyOf(803))
  })

  test('a key in use is not marked for deletion', async (context) => {
    const { media, clock, upload } = await world(context)
    const attachment = newAttachment()
    await upload(attachment)
    assert.equal(await media.markForDeletion(attachment.key), false)
    clock.time = LEASE.durationMs
    await media.markAbandonedForDeletion(LEASE.owner)
    assert.deepEqual(await media.blobsToDelete(null, 10), [])
  })

  test('an announced upload is used once', async (context) => {
    const { media, upload } = await world(context)
    const direct = announced({ stepId: STEP })
    await media.announce(direct)
    assert.deepEqual(await media.findAnnounced(direct.id), direct)
    const attachment = newAttachment({ id: direct.id, directUpload: direct.id })
    assert.equal((await upload(attachment)).status, 'attached')
    const again = newAttachment({ directUpload: direct.id })
    assert.deepEqual(await upload(again), { status: 'upload_used' })
    assert.equal((await media.findAnnounced(direct.id))?.taken, true)
    const none = newAttachment({ directUpload: numberedId('med', 99_999) })
    assert.deepEqual(await upload(none), { status: 'upload_used' })
  })

  test('staged uploads are listed until they are taken in, and their keys swept when they are forgotten', async (context) => {
    const { media } = await world(context)
    const [taken, left] = [
      announced({ stagingKey: keyOf(501) }),
      announced({ stagingKey: keyOf(502), expiresAt: 2000 }),
    ]
    await media.announce(taken)
    await media.announce(left)
    await media.announce(announced())
    const ids = async () => (await media.listStaged(null, 10)).map(({ id }) => id)
    assert.deepEqual(await ids(), [taken.id, left.id])
    assert.deepEqual(
      (await media.listStaged(taken.id, 10)).map(({ id }) => id),
      [left.id],
    )
    assert.deepEqual((await media.findStaged(OWN, left.sha256)).length, 2)
    assert.deepEqual(await media.findStaged(OTHER, left.sha256), [])
    await media.setFinalKey(taken.id, keyOf(601))
    assert.equal((await media.findAnnounced(taken.id))?.finalKey, keyOf(601))
    await media.attach(newAttachment({ key: keyOf(601), directUpload: taken.id }), MOST, null)
    assert.deepEqual(await ids(), [left.id])
    const expired = await media.listExpired(1001, 10)
    assert.ok(expired.includes(taken.id) && !expired.includes(left.id))
    await media.withdraw(taken.id)
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(501)], 'but not the key in use')
    await media.setFinalKey(left.id, keyOf(602))
    await media.withdraw(left.id)
    await media.withdraw(left.id)
    assert.deepEqual(await media.blobsToDelete(null, 10), [keyOf(501), keyOf(502), keyOf(602)])
  })
}
