import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Limits } from '@spoor/contract/limits'
import type { BlobKey } from '../../ports/media/blob-store.ts'
import { memoryOnlyMedia } from '../../storage/sql/media/memory-only-media.test-support.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { exportJson, logsJson, ns, spanId, type TestSpan, toRequest } from './spans.test-support.ts'

/** Spans and media on one control store, as in the service. */
class World extends TraceWorld {
  readonly stores: ReturnType<typeof memoryOnlyMedia>
  /** Bytes by their keys. */
  readonly blobs: Map<BlobKey, Uint8Array>
  failure: { current: Error | null }

  constructor(limits: Partial<Limits> = {}) {
    const stores = memoryOnlyMedia()
    const blobs = new Map<BlobKey, Uint8Array>()
    const failure: { current: Error | null } = { current: null }
    super({
      limits,
      journal: stores.journal,
      media: {
        existing: (projectId, hashes) => stores.media.existing(projectId, hashes),
        async store(projectId, { bytes, sha256, kind, contentType, filename }) {
          if (failure.current !== null) throw failure.current
          const key = `${projectId}/${blobs.size}` as BlobKey
          blobs.set(key, bytes)
          await stores.media.beginBlob(key, { owner: 'node', durationMs: 15_000 })
          const facts = { sha256, contentType: 'image/png', sizeBytes: bytes.length, width: 3, height: 2 }
          return { key, kind, filename, claimedType: contentType, facts }
        },
        async release({ key }) {
          await stores.media.markForDeletion(key)
        },
      },
    })
    this.stores = stores
    this.blobs = blobs
    this.failure = failure
  }

  send(...spans: readonly TestSpan[]) {
    return this.service.useCases.takeExport(toRequest(PROJECT, exportJson(spans)))
  }

  async attachments(otelTraceId: string) {
    const traceId = await this.service.useCases.findOtelTrace(PROJECT, otelTraceId)
    if (traceId === null) return null
    const { allSteps } = await this.service.useCases.read(PROJECT, traceId)
    const steps = allSteps ?? []
    const found = await this.stores.media.attachmentsOf(
      traceId,
      steps.map(({ id }) => id),
    )
    return steps.map(({ id, body }) => ({
      body,
      hashes: (found.get(id) ?? []).map(({ sha256 }) => sha256),
      of: found.get(id)?.[0],
    }))
  }

  /** Bytes that wait for removal. */
  unused(): Promise<readonly BlobKey[]> {
    return this.stores.media.blobsToDelete(null, 100)
  }
}

/** A trace of its own for each test, because each world starts a thread. */
function conversation() {
  const traceId = randomBytes(16).toString('hex')
  const images = [randomBytes(70_000), randomBytes(70_000)] as const
  const chat = (number: number, sent: readonly Buffer[], end = 9): TestSpan => {
    const parts = sent.map((image) => ({ type: 'blob', modality: 'image', content: image.toString('base64') }))
    return {
      traceId,
      spanId: spanId(number),
      endTimeUnixNano: ns(end),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts }]),
      },
    }
  }
  const hashes = images.map((image) => hash('sha256', image)) as [string, string]
  return { traceId, images, hashes, chat }
}

const world = new World()

/** Hashes of the attachments of each step. */
async function attached(traceId: string, of = world): Promise<readonly (readonly string[])[]> {
  return ((await of.attachments(traceId)) ?? []).map(({ hashes }) => hashes)
}

test('base64 of messages becomes media of the step; bytes that occur again are stored once', async () => {
  const { traceId, images, hashes, chat } = conversation()
  const before = world.blobs.size
  assert.equal((await world.send(chat(1, [images[0]]), chat(2, images))).count, 0)
  const [first, second] = (await world.attachments(traceId)) ?? []
  assert.deepEqual([first?.hashes, second?.hashes], [[hashes[0]], hashes])
  assert.match(first!.body, new RegExp(`"content":"media://${PROJECT}/${hashes[0]}"`))
  assert.deepEqual([first?.of?.kind, first?.of?.sizeBytes, first?.of?.contentType], ['image', 70_000, 'image/png'])
  for (const [at, sha256] of hashes.entries()) {
    const media = await world.stores.media.find(PROJECT, sha256)
    assert.ok(media !== null && images[at]!.equals(world.blobs.get(media.key)!))
  }
  // A later span with the same image, as a conversation sends it again and again.
  await world.send(chat(3, [images[0]]))
  assert.deepEqual([(await attached(traceId))[2], world.blobs.size - before], [[hashes[0]], 2])
  assert.deepEqual(await world.unused(), [])
})

test('an export that is sent again, at once or later, attaches nothing twice', async () => {
  const { traceId, images, hashes, chat } = conversation()
  const before = world.blobs.size
  const spans = [chat(1, [images[0]]), chat(2, [images[1]])]
  await Promise.all([world.send(...spans), world.send(...spans)])
  await world.send(...spans)
  assert.deepEqual(
    await attached(traceId),
    hashes.map((sha256) => [sha256]),
  )
  // Of two requests at once, the bytes of one remain.
  const kept = await Promise.all(hashes.map((sha256) => world.stores.media.find(PROJECT, sha256)))
  const unused = await world.unused()
  assert.equal(unused.length, world.blobs.size - before - 2)
  assert.ok(kept.every((media) => media !== null && !unused.includes(media.key)))
})

test('a span that ends later brings its new media only', async () => {
  const { traceId, images, hashes, chat } = conversation()
  await world.send(chat(1, [images[0]], 5))
  await world.send(chat(1, images, 9))
  await world.send(chat(1, images, 9))
  assert.deepEqual(await attached(traceId), [hashes])
})

test('media that cannot be stored refuse the request, and nothing of it is stored', async () => {
  const { traceId, images, hashes, chat } = conversation()
  world.failure.current = new Error('the disk is full')
  await assert.rejects(world.send(chat(1, [images[0]])), world.failure.current)
  assert.equal(await world.attachments(traceId), null)
  world.failure.current = null
  await world.send(chat(1, [images[0]]))
  assert.deepEqual(await attached(traceId), [[hashes[0]]])
})

test('stored bytes that another process takes for abandoned refuse the request', async () => {
  const { traceId, images, hashes, chat } = conversation()
  const { media } = world.stores
  const begin = media.beginBlob.bind(media)
  const keys: BlobKey[] = []
  media.beginBlob = async (key, lease) => {
    await begin(key, lease)
    await media.markForDeletion(key)
    keys.push(key)
  }
  await assert.rejects(world.send(chat(1, [images[0]])), { code: 'storage_unavailable' })
  media.beginBlob = begin
  assert.equal(await world.attachments(traceId), null)
  assert.ok((await world.unused()).includes(keys[0]!))
  await world.send(chat(1, [images[0]]))
  assert.deepEqual(await attached(traceId), [[hashes[0]]])
})

test('more media than a trace may have refuse their span alone', async () => {
  const small = new World({ attachmentsPerTrace: 1 })
  const { traceId, images, hashes, chat } = conversation()
  const { count, reasons } = await small.send(chat(1, images), chat(2, [images[0]]), chat(3, [images[0]]), chat(4, []))
  assert.deepEqual([count, reasons], [2, ['a span has more than 1 media', 'a trace has at most 1 attachments']])
  assert.deepEqual(await attached(traceId, small), [[hashes[0]], []])
  // It was in the span that was refused alone.
  assert.equal(await small.stores.media.find(PROJECT, hashes[1]), null)
})

test('an image of a log record is an attachment of the step, once, whichever comes first', async () => {
  for (const recordFirst of [true, false]) {
    const { traceId, images, hashes, chat } = conversation()
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${images[0].toString('base64')}` } }]
    const record = { traceId, name: 'gen_ai.user.message', body: { content } }
    const sendRecord = () => world.service.useCases.takeExport(toRequest(PROJECT, logsJson([record])))
    if (recordFirst) await sendRecord()
    await world.send({ ...chat(1, []), attributes: { 'gen_ai.operation.name': 'chat' } })
    for (let times = 0; times < 2; times++) await sendRecord()
    assert.deepEqual(await attached(traceId), [[hashes[0]]])
    assert.match((await world.attachments(traceId))![0]!.body, /media:\/\//)
  }
})
