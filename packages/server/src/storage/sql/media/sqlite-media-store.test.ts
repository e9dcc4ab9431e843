import assert from 'node:assert/strict'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AttachmentLink, CommitRecord } from '../../../ports/journal/journal.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../../../ports/media/direct-upload-record.ts'
import type { NewAttachment } from '../../../ports/media/media-store.ts'
import { numberedId, sha256 } from '../journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const [OWN, OTHER] = [numberedId('proj', 1), numberedId('proj', 2)]
const [TRACE, SECOND_TRACE] = [numberedId('tr', 1), numberedId('tr', 2)]
const STEP = numberedId('st', 1)
const MOST = 100

function keyOf(number: number): BlobKey {
  return `${OWN}/${String(number).padStart(32, '0')}` as BlobKey
}

let attachments = 0

function newAttachment(fields: Partial<NewAttachment> & { content?: string } = {}): NewAttachment {
  const number = ++attachments
  const { content = `content ${number}`, ...rest } = fields
  return {
    id: numberedId('med', number),
    projectId: OWN,
    traceId: TRACE,
    stepId: null,
    kind: 'image',
    filename: `file ${number}`,
    claimedType: 'image/png',
    createdAt: number,
    key: keyOf(number),
    facts: { sha256: sha256(content), contentType: 'image/png', sizeBytes: content.length, width: 3, height: null },
    directUpload: null,
    ...rest,
  }
}

function openStore(context: TestContext) {
  const { media, journal } = temporaryStore(context)
  const upload = async (attachment: NewAttachment, most = MOST) => {
    await media.beginBlob(attachment.key)
    return media.attach(attachment, most, null)
  }
  const commit = (fields: Partial<CommitRecord>) =>
    journal.append({
      version: journal.last().version + 1,
      committedAt: 5000,
      lastTraceId: SECOND_TRACE,
      projects: [],
      traceKeys: [],
      stepKeys: [],
      metricEventKeys: [],
      superseded: [],
      attachments: [],
      deleted: [],
      monitorTransitions: [],
      clusterRuns: [],
      ...fields,
    })
  const deleteTrace = (traceId = TRACE) => commit({ deleted: [{ projectId: OWN, traceId }] })
  return { media, journal, upload, commit, deleteTrace }
}

function linkTo(content: string, fields: Partial<AttachmentLink> = {}): AttachmentLink {
  const id = numberedId('med', ++attachments)
  return { id, projectId: OWN, traceId: SECOND_TRACE, stepId: STEP, sha256: sha256(content), ...fields }
}

test('an attachment comes back as it was made, and its media by hash', async (context) => {
  const { media, upload } = openStore(context)
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
  const { media, upload } = openStore(context)
  const first = newAttachment({ content: 'same' })
  const second = newAttachment({ content: 'same', traceId: SECOND_TRACE })
  const foreign = newAttachment({ content: 'same', projectId: OTHER, traceId: numberedId('tr', 3) })
  await upload(first)
  const outcome = await upload(second)
  assert.equal(outcome.status === 'attached' && outcome.unusedKey, second.key)
  await upload(foreign)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [second.key])
  assert.equal((await media.find(OWN, first.facts.sha256))?.key, first.key)
  assert.equal((await media.find(OWN, first.facts.sha256))?.filename, second.filename)
  assert.equal((await media.find(OTHER, first.facts.sha256))?.key, foreign.key)
})

test('media under a key that was lost gets the new key, and only that media', async (context) => {
  const { media, upload, deleteTrace } = openStore(context)
  const [first, healing, late] = Array.from({ length: 3 }, () => newAttachment({ content: 'lost' }))
  assert.ok(first && healing && late)
  const foreign = newAttachment({ content: 'lost', projectId: OTHER, traceId: numberedId('tr', 3) })
  await upload(first)
  await upload(foreign)
  await media.beginBlob(healing.key)
  const healed = await media.attach(healing, MOST, first.key)
  assert.equal(healed.status === 'attached' && healed.unusedKey, first.key)
  await media.beginBlob(late.key)
  const second = await media.attach(late, MOST, first.key)
  assert.equal(second.status === 'attached' && second.unusedKey, late.key, 'another has healed it meanwhile')
  assert.equal((await media.find(OWN, first.facts.sha256))?.key, healing.key)
  assert.equal((await media.find(OTHER, first.facts.sha256))?.key, foreign.key)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [first.key, late.key])
  assert.equal(await media.condemnBlob(healing.key), false, 'it is in use')
  deleteTrace()
  assert.deepEqual(await media.condemnedBlobs(null, 10), [first.key, healing.key, late.key])
})

test('a lost key that was released meanwhile is not brought back', async (context) => {
  const { media, upload, deleteTrace } = openStore(context)
  const first = newAttachment({ content: 'lost' })
  await upload(first)
  deleteTrace()
  await media.forgetBlob(first.key)
  const next = newAttachment({ content: 'lost', traceId: SECOND_TRACE })
  await media.beginBlob(next.key)
  const outcome = await media.attach(next, MOST, first.key)
  assert.equal(outcome.status === 'attached' && outcome.unusedKey, null)
  assert.equal((await media.find(OWN, first.facts.sha256))?.key, next.key)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [])
})

test('counts are of traces with their steps, and each step has its own in order', async (context) => {
  const { media, upload } = openStore(context)
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

test('a deleted trace takes no attachment, a full one neither, and nothing is changed', async (context) => {
  const { media, upload, deleteTrace } = openStore(context)
  await upload(newAttachment())
  const refused = newAttachment()
  assert.deepEqual(await upload(refused, 1), { status: 'too_many' })
  deleteTrace()
  assert.deepEqual(await media.attach(refused, MOST, null), { status: 'trace_deleted' })
  assert.equal(await media.find(OWN, refused.facts.sha256), null)
  assert.equal(await media.condemnBlob(refused.key), true, 'the key is still pending')
})

test('the last reference takes the bytes with it, and no other does', async (context) => {
  const { media, upload, deleteTrace } = openStore(context)
  const shared = newAttachment({ content: 'shared' })
  const alone = newAttachment()
  await upload(shared)
  await upload(alone)
  await upload(newAttachment({ content: 'shared', traceId: SECOND_TRACE, key: keyOf(77_777) }))
  await media.forgetBlob(keyOf(77_777))
  deleteTrace(TRACE)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [alone.key])
  assert.deepEqual(await media.attachmentsOf(TRACE, [null]), new Map())
  assert.equal((await media.find(OWN, shared.facts.sha256))?.key, shared.key)
  deleteTrace(SECOND_TRACE)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [alone.key, shared.key].sort())
  assert.equal(await media.find(OWN, shared.facts.sha256), null)
})

test('a link of a commit keeps the media of a trace that the same commit deletes', async (context) => {
  const { media, upload, commit } = openStore(context)
  const uploaded = newAttachment({ content: 'linked' })
  await upload(uploaded)
  const link = linkTo('linked')
  commit({ attachments: [link], deleted: [{ projectId: OWN, traceId: TRACE }] })
  assert.equal((await media.find(OWN, link.sha256))?.key, uploaded.key)
  const [attachment] = (await media.attachmentsOf(SECOND_TRACE, [STEP])).get(STEP) ?? []
  assert.equal(attachment?.id, link.id)
  assert.equal(attachment?.filename, uploaded.filename)
  assert.equal(attachment?.createdAt, 5000)
})

test('a commit that links what is not there is not made', async (context) => {
  const { journal, upload, commit } = openStore(context)
  await upload(newAttachment({ content: 'own' }))
  for (const link of [linkTo('nowhere'), linkTo('own', { projectId: OTHER })]) {
    assert.throws(() => commit({ attachments: [linkTo('own'), link] }), /no media/)
  }
  assert.equal(journal.last().version, 0)
})

test('what was attached to a deleted trace after its mark was forgotten goes when the trace is purged', async (context) => {
  const { media, journal, upload, deleteTrace } = openStore(context)
  deleteTrace()
  const late = newAttachment({ traceId: SECOND_TRACE })
  await upload(late)
  deleteTrace(SECOND_TRACE)
  await journal.markPurged([TRACE, SECOND_TRACE])
  assert.deepEqual(await media.condemnedBlobs(null, 10), [late.key])
})

test('a key is pending from before its first byte until after its last', async (context) => {
  const { media } = openStore(context)
  await media.beginBlob(keyOf(1))
  await media.beginBlob(keyOf(2))
  assert.deepEqual(await media.condemnedBlobs(null, 10), [])
  assert.equal(await media.condemnBlob(keyOf(1)), true)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(1)])
  await media.condemnAllBlobs()
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(1), keyOf(2)])
  assert.deepEqual(await media.condemnedBlobs(null, 1), [keyOf(1)])
  assert.deepEqual(await media.condemnedBlobs(keyOf(1), 10), [keyOf(2)])
  await media.forgetBlob(keyOf(1))
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(2)])
})

test('pending keys can be forgotten, so that nobody removes what was written under them', async (context) => {
  const { media } = openStore(context)
  await media.beginBlob(keyOf(1))
  await media.beginBlob(keyOf(2))
  await media.condemnBlob(keyOf(1))
  await media.forgetPendingBlobs()
  await media.condemnAllBlobs()
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(1)])
})

test('a key in use is not condemned', async (context) => {
  const { media, upload } = openStore(context)
  const attachment = newAttachment()
  await upload(attachment)
  assert.equal(await media.condemnBlob(attachment.key), false)
  await media.condemnAllBlobs()
  assert.deepEqual(await media.condemnedBlobs(null, 10), [])
})

function announced(fields: Partial<DirectUploadRecord> = {}): DirectUploadRecord {
  const number = ++attachments
  return {
    id: numberedId('med', number),
    projectId: OWN,
    traceId: TRACE,
    stepId: null,
    kind: 'file',
    filename: null,
    contentType: 'text/plain',
    sizeBytes: 3,
    sha256: sha256('announced'),
    stagingKey: null,
    finalKey: null,
    taken: false,
    createdAt: 1,
    expiresAt: 1000,
    ...fields,
  }
}

test('an announced upload is used once', async (context) => {
  const { media, upload } = openStore(context)
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
  const { media } = openStore(context)
  const [taken, left] = [announced({ stagingKey: keyOf(501) }), announced({ stagingKey: keyOf(502), expiresAt: 2000 })]
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
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(501)], 'but not the key in use')
  await media.setFinalKey(left.id, keyOf(602))
  await media.withdraw(left.id)
  await media.withdraw(left.id)
  assert.deepEqual(await media.condemnedBlobs(null, 10), [keyOf(501), keyOf(502), keyOf(602)])
})

test('writes of one turn share a transaction, and one that fails takes no other with it', async (context) => {
  const dataDir = temporaryFolder(context)
  const { media } = temporaryStore(context, { dataDir })
  const commits = context.mock.method(DatabaseSync.prototype, 'exec')
  await Promise.all(Array.from({ length: 20 }, (_, number) => media.beginBlob(keyOf(number))))
  assert.equal(commits.mock.calls.filter(({ arguments: [sql] }) => sql === 'COMMIT').length, 1)
  const settled = await Promise.allSettled([20, 3, 21].map((number) => media.beginBlob(keyOf(number))))
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const reader = new DatabaseSync(join(dataDir, 'control.db'))
  assert.equal(reader.prepare('SELECT count(*) AS count FROM pending_blobs').get()?.['count'], 22)
  reader.close()
})

test('a disk that refuses is told as such', async (context) => {
  const { media } = openStore(context)
  context.mock.method(StatementSync.prototype, 'run', () => {
    throw Object.assign(new Error('disk full'), { errcode: 13 })
  })
  await assert.rejects(
    media.beginBlob(keyOf(1)),
    (error: unknown) => error instanceof DomainError && error.code === 'disk_full',
  )
})
