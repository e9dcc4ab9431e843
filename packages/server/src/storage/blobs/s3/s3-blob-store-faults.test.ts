import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3'
import { type S3Server, startS3Server } from '../../../../../../e2e/lib/media/s3-server.ts'
import { mountSmallDisk } from '../../../../../../e2e/lib/faults/small-disk.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { ownKey, readAll, slices } from '../../../ports/media/blob-store.conformance.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { CuttingProxy } from './cutting-proxy.test-support.ts'
import { openS3BlobStore } from './s3-blob-store.ts'
import { TestBucket } from './s3-bucket.test-support.ts'
import type { S3Settings } from './s3-settings.ts'

const MEBIBYTE = 1024 * 1024
const PROGRAM = join(import.meta.dirname, 's3-write-until-killed.test-support.ts')
const GONE = { name: 'DomainError', code: 'storage_unavailable', retryAfterSeconds: 5 }

const server = await startS3Server()
if (typeof server === 'string') test('an S3 service', { skip: server }, () => undefined)
else {
  after(() => server[Symbol.asyncDispose]())
  testFaults(server)
}

function testFaults(s3: S3Server): void {
  let buckets = 0
  const ownBucket = async (context: TestContext) => {
    buckets += 1
    const bucket = await TestBucket.create(s3, `faults-${buckets}`)
    context.after(() => bucket[Symbol.dispose]())
    return bucket
  }
  /** A store that reaches its bucket by a connection that can be cut. */
  const behindProxy = async (context: TestContext, options: Parameters<TestBucket['store']>[0] = {}) => {
    const bucket = await ownBucket(context)
    const proxy = await CuttingProxy.open(s3.endpoint)
    context.after(() => proxy[Symbol.asyncDispose]())
    return { bucket, proxy, store: bucket.store({ ...options, settings: { endpoint: proxy.url } }) }
  }
  const stored = async (bucket: TestBucket, bytes: Buffer) => {
    const key = ownKey()
    await bucket.store().write(key, slices(bytes, [bytes.length]))
    return key
  }

  for (const [what, totalBytes, afterBytes] of [
    ['a small object', 100_000, 1],
    ['an object of one part', 4 * MEBIBYTE, 2 * MEBIBYTE],
    ['an object of many parts', 40 * MEBIBYTE, 17 * MEBIBYTE],
  ] as const) {
    test(`the service goes away while ${what} is written: reported, and swept away when it is back`, async (context) => {
      const leftovers: BlobKey[] = []
      const { bucket, proxy, store } = await behindProxy(context, {
        onLeftover: (_error, key) => void leftovers.push(key),
      })
      proxy.onBytes = () => proxy.sentBytes >= afterBytes && proxy.close()
      const key = ownKey()
      const source = chunks(totalBytes)
      await assert.rejects(store.write(key, source), GONE)
      assert.deepEqual(await source.next(), { done: true, value: undefined }, 'the source is closed')
      assert.deepEqual(leftovers, [key])
      assert.deepEqual(readdirSync(bucket.folder), [])
      await assert.rejects(store.read(key, null), GONE)
      await assert.rejects(store.size(key), GONE)
      await assert.rejects(store.remove(key), GONE)
      await assert.rejects(store.promote(key, ownKey()), GONE)
      proxy.reopen()
      await store.remove(key)
      assert.deepEqual(await bucket.content(), [])
    })

    test(`a connection that is cut once while ${what} is written is made again`, async (context) => {
      const { bucket, proxy, store } = await behindProxy(context)
      proxy.onBytes = () => {
        if (proxy.sentBytes < afterBytes) return
        proxy.onBytes = () => undefined
        proxy.cut()
      }
      const key = ownKey()
      await store.write(key, chunks(totalBytes))
      assert.equal(hashOf(await readAll(store, key)), hashOf(await buffer(chunks(totalBytes))))
      await store.remove(key)
      assert.deepEqual(await bucket.content(), [])
    })
  }

  test('a service that no longer answers is given up', async (context) => {
    const tuning = { requestTimeoutMs: 2000, transferTimeoutMs: 2000, stallTimeoutMs: 2000, attempts: 2 }
    let leftovers = 0
    const { bucket, proxy, store } = await behindProxy(context, { tuning, onLeftover: () => void (leftovers += 1) })
    proxy.onBytes = () => proxy.sentBytes >= 7 * MEBIBYTE && proxy.block()
    const key = ownKey()
    await assert.rejects(store.write(key, chunks(40 * MEBIBYTE)), GONE)
    assert.equal(leftovers, 1)
    // A slow machine has already given it up.
    proxy.block()
    await assert.rejects(store.size(key), GONE)
    proxy.reopen()
    proxy.cut()
    await store.remove(key)
    assert.deepEqual(await bucket.content(), [])
  })

  test('an interrupted read continues where it was', async (context) => {
    const { bucket, proxy, store } = await behindProxy(context)
    const bytes = randomBytes(12 * MEBIBYTE)
    const key = await stored(bucket, bytes)
    let cuts = 0
    proxy.onBytes = () => {
      if (proxy.receivedBytes < (cuts + 1) * 2 * MEBIBYTE || cuts === 4) return
      cuts += 1
      proxy.cut()
    }
    assert.ok((await readAll(store, key)).equals(bytes))
    assert.equal(cuts, 4)
    const range = { start: 1_000_000, end: 11_000_000 }
    cuts = -4
    proxy.receivedBytes = -8 * MEBIBYTE
    assert.ok((await readAll(store, key, range)).equals(bytes.subarray(range.start, range.end + 1)))
    assert.ok(cuts > -4)
    await store.remove(key)
  })

  test('a read whose service goes away fails and does not hang', async (context) => {
    const { bucket, proxy, store } = await behindProxy(context, {
      tuning: { stallTimeoutMs: 600, requestTimeoutMs: 1000 },
    })
    const key = await stored(bucket, Buffer.alloc(12 * MEBIBYTE))
    for (const goAway of [() => proxy.close(), () => proxy.block()]) {
      proxy.receivedBytes = 0
      proxy.onBytes = () => proxy.receivedBytes >= 6 * MEBIBYTE && goAway()
      const stream = (await store.read(key, null)) ?? assert.fail()
      let read = 0
      stream.on('data', (chunk: Buffer) => (read += chunk.length))
      stream.on('end', () => assert.fail('it ended'))
      const [error] = (await once(stream, 'error', { signal: AbortSignal.timeout(30_000) }).catch(
        (failure: unknown) => [failure],
      )) as [unknown]
      assert.ok(error instanceof Error && 'code' in error && error.code === 'storage_unavailable')
      assert.ok(read > 0 && read < 12 * MEBIBYTE)
      proxy.reopen()
      proxy.cut()
    }
    await bucket.store().remove(key)
  })

  test('a slow reader is not cut off, even if the store closed its connection meanwhile', async (context) => {
    const { bucket, proxy, store } = await behindProxy(context, { tuning: { stallTimeoutMs: 600, attempts: 2 } })
    const bytes = randomBytes(12 * MEBIBYTE)
    const key = await stored(bucket, bytes)
    // How much the machine buffers on the way is not known: what is still to come when the connection is cut is held
    // back here.
    const holdBack = () => {
      const most = proxy.receivedBytes + 4 * MEBIBYTE
      proxy.onBytes = () => proxy.receivedBytes >= most && proxy.block()
    }
    holdBack()
    const stream = (await store.read(key, null)) ?? assert.fail()
    const taken: Buffer[] = []
    for await (const chunk of stream) {
      taken.push(chunk as Buffer)
      if (taken.length % 40 !== 0) continue
      // Longer than a stall may last, and long enough for the read-ahead to fill: nothing is requested from the store
      // then.
      await new Promise((resolve) => setTimeout(resolve, 900))
      proxy.cut()
      proxy.reopen()
      holdBack()
    }
    assert.ok(Buffer.concat(taken).equals(bytes))
    assert.ok(proxy.connections > 2)
    await store.remove(key)
  })

  test('a large object is copied in parts', async (context) => {
    const bucket = await ownBucket(context)
    const store = bucket.store()
    const bytes = randomBytes(20 * MEBIBYTE + 5)
    const [from, to] = [await stored(bucket, bytes), ownKey()]
    await store.promote(from, to)
    assert.ok((await readAll(store, to)).equals(bytes))
    await store.promote(from, to)
    assert.deepEqual(await bucket.content(), [to])
    await store.remove(to)
  })

  test('an upload part that does not fit on the disk is reported and leaves nothing', async (context) => {
    const bucket = await ownBucket(context)
    const disk = mountSmallDisk(4)
    if (typeof disk === 'string') return context.skip(disk)
    context.after(() => disk[Symbol.dispose]())
    const store = bucket.store({ spoolFolder: disk.path })
    await assert.rejects(store.write(ownKey(), chunks(40 * MEBIBYTE)), { code: 'disk_full' })
    await store.write(ownKey(), chunks(MEBIBYTE))
    const [key, ...others] = await bucket.content()
    assert.deepEqual([others, readdirSync(disk.path)], [[], []])
    await store.remove(key as BlobKey)
  })

  test('a killed write leaves nothing on the disk, and remove deletes what is in the bucket', async (context) => {
    const bucket = await ownBucket(context)
    const folder = mkdtempSync(join(tmpdir(), 'spoor-spool-'))
    context.after(() => rmSync(folder, { recursive: true }))
    const key = ownKey()
    const given = JSON.stringify({ settings: bucket.settings, folder, key })
    const child = spawn(process.execPath, [PROGRAM, given], { stdio: ['ignore', 'pipe', 'inherit'] })
    context.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.deepEqual(await bucket.content(), [`upload ${key}`])
    assert.deepEqual(readdirSync(folder), [])
    await bucket.store().remove(key)
    assert.deepEqual(await bucket.content(), [])
  })

  test('our uploads that cannot have a writer any more are aborted, others are not', async (context) => {
    const bucket = await ownBucket(context)
    const [key, hour] = [ownKey(), 3_600_000]
    for (const Key of [key, 'of-another-program', `elsewhere/${key}`]) {
      await bucket.client.send(new CreateMultipartUploadCommand({ Bucket: bucket.settings.bucket, Key }))
    }
    const others = [`upload elsewhere/${key}`, 'upload of-another-program']
    await bucket.store({ clock: { now: () => Date.now() + 47 * hour } }).removeLeftovers()
    assert.deepEqual((await bucket.content()).sort(), [...others, `upload ${key}`].sort())
    await bucket.store({ clock: { now: () => Date.now() + 49 * hour } }).removeLeftovers()
    assert.deepEqual((await bucket.content()).sort(), others)
  })

  test('an unusable bucket is reported in words', async (context) => {
    const bucket = await ownBucket(context)
    const open = (settings: Partial<S3Settings>) =>
      openS3BlobStore({ ...bucket.options({ tuning: { attempts: 1 } }), settings: { ...bucket.settings, ...settings } })
    for (const [settings, message] of [
      [
        { bucket: 'nowhere' },
        /^The bucket nowhere at http:\/\/127\.0\.0\.1:\d+ cannot be reached: it does not exist\. Create it/,
      ],
      [{ secretAccessKey: 'wrong' }, /cannot be reached: that is not allowed\. Check SPOOR_S3_ACCESS_KEY_ID/],
      [
        { endpoint: 'http://127.0.0.1:1' },
        /cannot be reached: there is no answer \(.*ECONNREFUSED.*\)\. Check SPOOR_S3_ENDPOINT/,
      ],
    ] as const) {
      await assert.rejects(open(settings), (error) => {
        assert.ok(error instanceof OperatorError)
        assert.match(error.message, message)
        return true
      })
    }
    const store = await open({})
    store.close()
    assert.ok(!(await bucket.content()).join().includes('check'))
  })
}

/** Always the same bytes, in chunks of a socket's size. */
async function* chunks(totalBytes: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < totalBytes; offset += 65_536) {
    yield Buffer.alloc(Math.min(65_536, totalBytes - offset), `${offset} `)
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
