import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { truncateSync, unlinkSync } from 'node:fs'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { eventually } from '../lib/eventually.ts'
import { mediaFiles, serve, sha256, signedUrlPath, upload, uploadCall } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'

async function newTrace({ client }: Service): Promise<{ readonly traceId: string; readonly stepId: string }> {
  const made = await client.postTrace({ name: 'run', steps: [{ name: 'look' }] })
  const { id, step_ids } = made.json<{ id: string; step_ids: [string] }>()
  return { traceId: id, stepId: step_ids[0] }
}

/** An upload whose body pauses in the middle of its file until the caller continues it. */
function openUpload(service: Service, traceId: string, bytes: number) {
  const { method, path, headers, body } = uploadCall(
    { trace_id: traceId, kind: 'file' },
    { content: randomBytes(bytes) },
  )
  const whole = body as Buffer
  const { hostname, port } = new URL(service.url)
  const sent = { ...headers, 'x-api-key': service.key, 'content-length': String(whole.length) }
  const outgoing = request({ hostname, port, method, path, headers: sent, agent: false })
  outgoing.on('error', () => undefined)
  outgoing.write(whole.subarray(0, whole.length / 2))
  return outgoing
}

describe('media', () => {
  /** For the tests that neither kill nor stop it. */
  let shared: Service
  before(async () => void (shared = await Service.start()))
  after(() => shared[Symbol.asyncDispose]())

  test('bytes are deleted with the last trace that refers to them', async () => {
    const service = shared
    const { client } = service
    const { traceId } = await newTrace(service)
    const earlier = mediaFiles(service.dataDir).length
    const { uri } = await upload(client, { trace_id: traceId, kind: 'file' }, { content: 'retained as long as needed' })
    const linking = await client.postTrace({ name: 'second', steps: [{ name: 's', attachments: [{ uri }] }] })
    const { id } = linking.json<{ id: string }>()
    await client.call({ method: 'DELETE', path: `/v1/traces/${traceId}` })
    assert.equal((await serve(client, uri)).text, 'retained as long as needed')
    await client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
    assert.equal((await serve(client, uri)).status, 404)
    await eventually('the bytes are deleted', () => mediaFiles(service.dataDir).length === earlier)
  })

  test('media and signed URLs survive a kill of the service; uploads that a kill or a stop cuts off leave nothing', async () => {
    await using service = await Service.start({ environment: { SPOOR_SHUTDOWN_TIMEOUT_SECONDS: '15' } })
    const { traceId, stepId } = await newTrace(service)
    const content = randomBytes(3_000_000)
    const made = await upload(
      service.client,
      { trace_id: traceId, step_id: stepId, kind: 'sensor' },
      { content, type: 'application/octet-stream', filename: 'run.mcap' },
    )
    const backend = 'sent by a backend'
    const { url } = (await service.client.get(signedUrlPath({ trace_id: traceId }, backend))).json<{ url: string }>()
    const earlier = mediaFiles(service.dataDir).length
    openUpload(service, traceId, 5_000_000)
    await eventually('the upload arrives', () => mediaFiles(service.dataDir).length > earlier)
    await service.kill()
    await service.start()
    assert.equal(mediaFiles(service.dataDir).length, earlier)
    const trace = (await service.client.get(`/v1/traces/${traceId}`)).json<Trace>()
    assert.deepEqual([trace.attachment_count, trace.steps[0]?.attachments], [1, [made]])
    const served = await serve(service.client, made.uri)
    assert.equal(sha256(served.bytes), made.sha256)
    const tail = await serve(service.client, made.uri, { range: 'bytes=-8' })
    assert.deepEqual([tail.status, tail.bytes], [206, content.subarray(-8)])
    const put = () =>
      service.client
        .as(null)
        .call({ method: 'PUT', path: new URL(url).pathname, headers: { 'content-type': 'text/plain' }, body: backend })
    assert.deepEqual([(await put()).status, (await put()).status], [201, 403], 'once over both processes')

    const stored = mediaFiles(service.dataDir).length
    openUpload(service, traceId, 5_000_000)
    await eventually('another upload arrives', () => mediaFiles(service.dataDir).length > stored)
    const { code } = await service.stop()
    assert.equal(code, 0)
    assert.equal(mediaFiles(service.dataDir).length, stored)
  })

  test('a client that disconnects in the middle leaves nothing', async () => {
    const service = shared
    const { traceId } = await newTrace(service)
    const earlier = mediaFiles(service.dataDir).length
    const outgoing = openUpload(service, traceId, 5_000_000)
    await eventually('the upload arrives', () => mediaFiles(service.dataDir).length > earlier)
    outgoing.destroy()
    await eventually('the upload is forgotten', () => mediaFiles(service.dataDir).length === earlier)
    assert.equal((await service.client.get(`/v1/traces/${traceId}`)).json<Trace>().attachment_count, 0)
  })

  test('media whose files were damaged or deleted is repaired by uploading it again', async () => {
    const service = shared
    const { client } = service
    const traces = [await newTrace(service), await newTrace(service)]
    const content = randomBytes(200_000)
    const earlier = mediaFiles(service.dataDir)
    for (const damage of [(path: string) => unlinkSync(path), (path: string) => truncateSync(path, 1000)]) {
      const [first] = await Promise.all(
        traces.map(({ traceId }) => upload(client, { trace_id: traceId, kind: 'file' }, { content })),
      )
      assert.ok(first)
      const path = mediaFiles(service.dataDir).find((file) => file.includes('objects') && !earlier.includes(file))
      assert.ok(path)
      damage(path)
      assert.notEqual((await serve(client, first.uri)).status, 200)
      const again = await Promise.all(
        Array.from({ length: 4 }, () =>
          upload(client, { trace_id: traces[0]?.traceId ?? '', kind: 'file' }, { content }),
        ),
      )
      assert.deepEqual(new Set(again.map(({ uri }) => uri)), new Set([first.uri]))
      assert.equal(sha256((await serve(client, first.uri)).bytes), first.sha256)
      assert.equal(mediaFiles(service.dataDir).length, earlier.length + 1)
    }
  })
})
