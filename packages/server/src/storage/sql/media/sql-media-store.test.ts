import assert from 'node:assert/strict'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AttachmentLink, CommitRecord } from '../../../ports/journal/journal.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { type Clock, systemClock } from '../../../lib/time/clock.ts'
import {
  keyOf,
  LEASE,
  newAttachment,
  nextNumber,
  OTHER,
  OWN,
  SECOND_TRACE,
  STEP,
  TRACE,
} from '../../../ports/media/media-builders.test-support.ts'
import { testMediaStore } from '../../../ports/media/media-store.conformance.ts'
import type { NewAttachment } from '../../../ports/media/media-store.ts'
import { numberedId, sha256 } from '../../../ports/journal/numbered-commit.test-support.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import { mediaSqlOn } from './media-sql.ts'
import { attachmentStatementsOn } from './attachment-statements.ts'
import type { MediaTables } from './media-tables.ts'

const MOST = 100

function openStore(context: TestContext, clock: Clock = systemClock) {
  const { media, journal } = temporaryStore(context, { clock })
  const upload = async (attachment: NewAttachment, most = MOST) => {
    await media.beginBlob(attachment.key, LEASE)
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
      removedEvents: [],
      monitorTransitions: [],
      onceEvents: [],
      quietWaits: [],
      ...fields,
    })
  const deleteTrace = (traceId = TRACE) => commit({ deleted: [{ projectId: OWN, traceId }] })
  return { media, journal, upload, commit, deleteTrace }
}

function linkTo(content: string, fields: Partial<AttachmentLink> = {}): AttachmentLink {
  const id = numberedId('med', nextNumber())
  return { id, projectId: OWN, traceId: SECOND_TRACE, stepId: STEP, sha256: sha256(content), ...fields }
}

testMediaStore(async (context, clock) => {
  const { media, deleteTrace } = openStore(context, clock)
  return { media, deleteTrace: async (traceId) => void deleteTrace(traceId) }
})

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<MediaTables>(attachmentStatementsOn)
  compiledForPostgresql<MediaTables>(mediaSqlOn)
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

test('a commit that links missing media is rejected', async (context) => {
  const { journal, upload, commit } = openStore(context)
  await upload(newAttachment({ content: 'own' }))
  for (const link of [linkTo('nowhere'), linkTo('own', { projectId: OTHER })]) {
    assert.throws(() => commit({ attachments: [linkTo('own'), link] }), /no media/)
  }
  assert.equal(journal.last().version, 0)
})

test('attachments added to a deleted trace are deleted when it is purged', async (context) => {
  const { media, journal, upload, deleteTrace } = openStore(context)
  deleteTrace()
  const late = newAttachment({ traceId: SECOND_TRACE })
  await upload(late)
  deleteTrace(SECOND_TRACE)
  await journal.markPurged([TRACE, SECOND_TRACE])
  assert.deepEqual(await media.blobsToDelete(null, 10), [late.key])
})

test('writes of one turn share a transaction, and only the one that fails is rejected', async (context) => {
  const dataDir = temporaryFolder(context)
  const { media } = temporaryStore(context, { dataDir })
  const commits = context.mock.method(DatabaseSync.prototype, 'exec')
  await Promise.all(Array.from({ length: 20 }, (_, number) => media.beginBlob(keyOf(number), LEASE)))
  assert.equal(commits.mock.calls.filter(({ arguments: [sql] }) => sql === 'COMMIT').length, 1)
  const settled = await Promise.allSettled([20, 3, 21].map((number) => media.beginBlob(keyOf(number), LEASE)))
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const reader = new DatabaseSync(join(dataDir, 'control.db'))
  assert.equal(reader.prepare('SELECT count(*) AS count FROM pending_blobs').get()?.['count'], 22)
  reader.close()
})

test('a full disk is reported as disk_full', async (context) => {
  const { media } = openStore(context)
  context.mock.method(StatementSync.prototype, 'run', () => {
    throw Object.assign(new Error('disk full'), { errcode: 13 })
  })
  await assert.rejects(
    media.beginBlob(keyOf(1), LEASE),
    (error: unknown) => error instanceof DomainError && error.code === 'disk_full',
  )
})
