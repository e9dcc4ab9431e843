import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { type S3Server, startS3Server } from '../../../../../../e2e/lib/media/s3-server.ts'
import { ownKey, readAll } from '../../../ports/media/blob-store.conformance.ts'
import { TestBucket } from './s3-bucket.test-support.ts'

const BYTES = Buffer.from('the bytes that were announced')
const UPLOAD = {
  contentType: 'image/png',
  sizeBytes: BYTES.length,
  sha256: createHash('sha256').update(BYTES).digest('hex'),
  expiresInSeconds: 60,
}

const server = await startS3Server()
if (typeof server === 'string') test('an S3 service', { skip: server }, () => undefined)
else {
  const bucket = await TestBucket.create(server, 'direct', 'some/where/')
  after(async () => {
    bucket[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })
  testDirectTargets(server, bucket)
}

function testDirectTargets(s3: S3Server, bucket: TestBucket): void {
  test('a signed upload is bound to key, type, length and hash', async () => {
    const store = bucket.store()
    const key = ownKey()
    const target = (await store.directTarget({ key, ...UPLOAD })) ?? assert.fail()
    assert.equal(target.headers['x-amz-checksum-sha256'], Buffer.from(UPLOAD.sha256, 'hex').toString('base64'))
    const url = new URL(target.url)
    assert.equal(url.origin, s3.endpoint)
    assert.equal(url.pathname, `/direct/some/where/${key}`)
    assert.equal(url.searchParams.get('X-Amz-Expires'), '60')
    const signed = 'content-length;content-type;host;x-amz-checksum-sha256'
    assert.equal(url.searchParams.get('X-Amz-SignedHeaders'), signed)

    const put = async (address: string, headers: Record<string, string>, body: Buffer) =>
      (await fetch(address, { method: 'PUT', headers, body })).status
    const { 'content-length': _length, ...headers } = target.headers
    assert.equal(await put(target.url, { ...headers, 'content-type': 'text/html' }, BYTES), 403)
    assert.equal(await put(target.url, headers, Buffer.concat([BYTES, BYTES])), 403)
    assert.equal(await put(target.url, headers, BYTES.subarray(1)), 403)
    const otherHash = { ...headers, 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') }
    assert.equal(await put(target.url, otherHash, BYTES), 403)
    assert.equal(await put(target.url.replace(key, ownKey()), headers, BYTES), 403)
    assert.equal((await fetch(target.url)).status, 403)
    assert.deepEqual(await bucket.content(), [])

    assert.equal(await put(target.url, headers, BYTES), 200)
    assert.ok((await readAll(store, key)).equals(BYTES))
    await store.remove(key)
  })

  test('a signed upload expires', async () => {
    const target =
      (await bucket.store().directTarget({ key: ownKey(), ...UPLOAD, expiresInSeconds: 1 })) ?? assert.fail()
    const put = () => fetch(target.url, { method: 'PUT', headers: target.headers, body: BYTES })
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    assert.equal((await put()).status, 403)
  })

  test('a promoted object cannot be changed with the signed upload', async () => {
    const store = bucket.store()
    const [from, to] = [ownKey(), ownKey()]
    const target = (await store.directTarget({ key: from, ...UPLOAD })) ?? assert.fail()
    const put = (body: Buffer) => fetch(target.url, { method: 'PUT', headers: target.headers, body })
    assert.equal((await put(BYTES)).status, 200)
    await store.promote(from, to)
    assert.equal((await put(Buffer.from(BYTES.toReversed()))).status, 200)
    assert.ok((await readAll(store, to)).equals(BYTES))
    await store.remove(from)
    await store.remove(to)
  })

  test('clients are sent to the address that they can reach, or to the service', async () => {
    const publicEndpoint = 'https://media.example:9443'
    const target = await bucket.store({ settings: { publicEndpoint } }).directTarget({ key: ownKey(), ...UPLOAD })
    assert.ok(target?.url.startsWith(`${publicEndpoint}/direct/some/where/`))
    const without = bucket.store({ settings: { directUploads: false } })
    assert.equal(await without.directTarget({ key: ownKey(), ...UPLOAD }), null)
    const tooLarge = { key: ownKey(), ...UPLOAD, sizeBytes: 5 * 1024 ** 3 + 1 }
    assert.equal(await bucket.store().directTarget(tooLarge), null)
  })
}
