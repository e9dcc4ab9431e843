import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { UploadTarget } from '@spoor/contract/schemas/media'
import { TestBucket } from '../../packages/server/src/storage/blobs/s3/s3-bucket.test-support.ts'
import { eventually } from '../lib/eventually.ts'
import { serve, sha256, signedUrlPath, upload } from '../lib/media/media.ts'
import { bucketEnvironment, startS3Server } from '../lib/media/s3-server.ts'
import { Service } from '../lib/service.ts'

test('media in a bucket: upload, download, ranges, restart, direct upload, deletion', async (context) => {
  const server = await startS3Server()
  if (typeof server === 'string') return context.skip(server)
  await using _server = server
  using bucket = await TestBucket.create(server, 'media')
  const environment = bucketEnvironment(server, bucket.settings.bucket)
  await using service = await Service.start({ environment })
  const made = await service.client.postTrace({ name: 'run', steps: [{ name: 'look' }] })
  const { id } = made.json<{ id: string }>()
  const content = randomBytes(700_000)
  const { uri } = await upload(
    service.client,
    { trace_id: id, kind: 'sensor' },
    { content, type: 'application/octet-stream' },
  )
  const sent = 'sent directly to the bucket'
  const target = (await service.client.get(signedUrlPath({ trace_id: id }, sent))).json<UploadTarget>()
  assert.ok(target.url.startsWith(server.endpoint), target.url)
  const wrong = await fetch(target.url, { method: 'PUT', headers: target.headers, body: sent.replace('s', 'x') })
  await wrong.arrayBuffer()
  const put = await fetch(target.url, { method: 'PUT', headers: target.headers, body: sent })
  assert.equal(put.status, 200, await put.text())
  await service.kill()
  await service.start()

  const { client } = service
  const whole = await serve(client, uri)
  assert.equal(sha256(whole.bytes), sha256(content))
  assert.deepEqual((await serve(client, uri, { range: 'bytes=-8' })).bytes, content.subarray(-8))
  assert.equal((await serve(client, target.uri)).text, sent, 'the first read promotes it')
  const count = async () => (await client.get(`/v1/traces/${id}`)).json<Trace>().attachment_count
  assert.equal(await count(), 2)

  const later = (await client.get(signedUrlPath({ trace_id: id }, 'later'))).json<UploadTarget>()
  const second = await fetch(later.url, { method: 'PUT', headers: later.headers, body: 'later' })
  assert.equal(second.status, 200, await second.text())
  await eventually('a housekeeping round promotes it', async () => (await count()) === 3)
  await client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
  assert.equal((await serve(client, uri)).status, 404)
  await eventually('the bytes are deleted', async () => (await bucket.content()).length === 0)
  assert.ok(!service.log.includes('"level":"error"'), service.log)
})
