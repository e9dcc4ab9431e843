import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId, TraceId } from '@spoor/contract/ids'
import type { BlobKey } from '../../ports/media/blob-store.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { memoryOnlyMedia } from '../../storage/sql/media/memory-only-media.test-support.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld, type TraceWorldOptions } from '../trace-world.test-support.ts'

const HASH = 'a'.repeat(64)
const OTHER_HASH = 'b'.repeat(64)
const uriOf = (sha256: string, projectId = PROJECT) => `media://${projectId}/${sha256}`

/** Traces and media on one control store, as in the service. */
class LinkWorld extends TraceWorld {
  readonly stores: ReturnType<typeof memoryOnlyMedia>
  #uploads = 0

  constructor(options: TraceWorldOptions = {}) {
    const stores = memoryOnlyMedia()
    super({ ...options, ...stores })
    this.stores = stores
  }

  async upload(traceId: TraceId, sha256: string, projectId = PROJECT): Promise<void> {
    const number = ++this.#uploads
    const key = `${projectId}/${number}` as BlobKey
    await this.stores.media.beginBlob(key, { owner: 'a node', durationMs: 1000 })
    const outcome = await this.stores.media.attach(
      {
        id: idAt('med', 1, number),
        projectId,
        traceId,
        stepId: null,
        kind: 'image',
        filename: 'shot.png',
        claimedType: 'image/png',
        createdAt: 1,
        key,
        facts: { sha256, contentType: 'image/png', sizeBytes: 1, width: null, height: null },
        directUpload: null,
      },
      10,
      null,
    )
    assert.equal(outcome.status, 'attached')
  }

  async linked(traceId: TraceId, stepId: StepId): Promise<readonly string[]> {
    const found = await this.stores.media.attachmentsOf(traceId, [stepId])
    return (found.get(stepId) ?? []).map(({ sha256 }) => sha256)
  }
}

async function worldWithMedia(options: TraceWorldOptions = {}) {
  const world = new LinkWorld(options)
  const { id: owner } = await world.commit({ name: 'owner' })
  await world.upload(owner, HASH)
  await world.upload(owner, OTHER_HASH)
  const foreign = await world.commit({ name: 'foreign' }, { projectId: OTHER_PROJECT })
  await world.upload(foreign.id, 'c'.repeat(64), OTHER_PROJECT)
  return { world, owner }
}

const stepWith = (...uris: readonly string[]) => ({ name: 's', attachments: uris.map((uri) => ({ uri })) })

test('steps of a trace body and of lines link media of the project, each once', async () => {
  const { world } = await worldWithMedia()
  const steps = [stepWith(uriOf(HASH), uriOf(OTHER_HASH), uriOf(HASH)), { name: 'none' }]
  const { id, stepIds } = await world.commit({ name: 'x', steps })
  const [first, second] = stepIds as [StepId, StepId]
  assert.deepEqual(await world.linked(id, first), [HASH, OTHER_HASH])
  assert.deepEqual(await world.linked(id, second), [])
  const [verdict] = await world.appendSteps(id, stepWith(uriOf(HASH)))
  assert.equal(verdict?.status, 'created')
  assert.deepEqual(await world.linked(id, (verdict as { stepId: StepId }).stepId), [HASH])
  assert.equal(world.stores.journal.attachmentsOf(id), 3)
})

test('unknown, foreign and malformed uris are refused with their pointer', async () => {
  const { world, owner } = await worldWithMedia()
  const wrong = [
    uriOf('d'.repeat(64)),
    uriOf('c'.repeat(64)),
    uriOf('c'.repeat(64), OTHER_PROJECT),
    uriOf(HASH.toUpperCase()),
    `${uriOf(HASH)}/`,
    ` ${uriOf(HASH)}`,
    HASH,
  ]
  for (const uri of wrong) {
    await assert.rejects(world.commit({ name: 'x', steps: [stepWith(uriOf(HASH), uri)] }), (error: unknown) => {
      assert.ok(error instanceof DomainError)
      assert.deepEqual(
        error.errors.map(({ pointer, code }) => [pointer, code]),
        [['/steps/0/attachments/1/uri', 'attachment_not_found']],
      )
      return true
    })
    const [verdict] = await world.appendSteps(owner, stepWith(uri))
    assert.deepEqual(verdict?.status === 'error' && [verdict.code, verdict.pointer], [
      'attachment_not_found',
      '/attachments/0/uri',
    ])
  }
})

test('a retried step links nothing again', async () => {
  const { world, owner } = await worldWithMedia()
  const step = { ...stepWith(uriOf(HASH)), idempotency_key: 'once' }
  const [first] = await world.appendSteps(owner, step)
  const [again] = await world.appendSteps(owner, step)
  assert.deepEqual([first?.status, again?.status], ['created', 'duplicate'])
  assert.equal(world.stores.journal.attachmentsOf(owner), 3)
})

test('a retried trace returns its first response although its media is deleted', async () => {
  const { world, owner } = await worldWithMedia()
  const body = { name: 'x', steps: [stepWith(uriOf(HASH))] }
  const first = await world.commit(body, { idempotencyKey: 'k' })
  await world.service.useCases.delete(PROJECT, owner)
  await world.service.useCases.delete(PROJECT, first.id)
  assert.equal(world.stores.journal.hasMedia(PROJECT, HASH), false)
  assert.equal((await world.commit(body, { idempotencyKey: 'k' })).id, first.id)
})

test('media lives while a trace links it, and is deleted with the last one', async () => {
  const { world, owner } = await worldWithMedia()
  const { id } = await world.commit({ name: 'x', steps: [stepWith(uriOf(HASH))] })
  await world.service.useCases.delete(PROJECT, owner)
  assert.deepEqual(
    [HASH, OTHER_HASH].map((hash) => world.stores.journal.hasMedia(PROJECT, hash)),
    [true, false],
  )
  await world.service.useCases.delete(PROJECT, id)
  assert.equal(world.stores.journal.hasMedia(PROJECT, HASH), false)
  assert.equal((await world.stores.media.blobsToDelete(null, 10)).length, 2)
})

test('media deleted between parsing and commit refuses only the steps that link it', async () => {
  for (const linkFirst of [true, false]) {
    const { world, owner } = await worldWithMedia()
    const { id } = await world.commit({ name: 'bystander' })
    const remove = () => world.service.useCases.delete(PROJECT, owner)
    const link = () => world.appendSteps(id, stepWith(uriOf(HASH)), { name: 'other' })
    const [linked] = await Promise.all(linkFirst ? [link(), remove()] : [remove().then(link), undefined])
    const verdicts = linked as Awaited<ReturnType<typeof link>>
    const outcome = verdicts[0]?.status
    // Either the link preserves the media, or the media is already deleted: no link without media, no media without a
    // link.
    assert.equal(world.stores.journal.hasMedia(PROJECT, HASH), outcome === 'created')
    assert.equal(outcome, linkFirst ? 'created' : 'error')
    assert.equal(verdicts[1]?.status, 'created')
  }
})

test('a trace accepts attachments up to its limit', async () => {
  const { world, owner } = await worldWithMedia({ limits: { attachmentsPerTrace: 3 } })
  const verdicts = await world.appendSteps(owner, stepWith(uriOf(HASH)), stepWith(uriOf(HASH)), { name: 'none' })
  assert.deepEqual(
    verdicts.map((verdict) => (verdict.status === 'error' ? [verdict.code, verdict.pointer] : verdict.status)),
    ['created', ['too_many', '/attachments'], 'created'],
  )
  const steps = Array.from({ length: 4 }, () => stepWith(uriOf(HASH)))
  await assert.rejects(world.commit({ name: 'x', steps }), (error: unknown) => {
    assert.ok(error instanceof DomainError)
    assert.deepEqual([error.errors[0]?.code, error.errors[0]?.pointer], ['too_many', '/steps/3/attachments'])
    return true
  })
})
