import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Answer } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { mediaFiles, serve, upload, uploadCall } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'
import { mountSmallDisk, type SmallDisk } from '../lib/faults/small-disk.ts'

const DISK_MB = 192
const MIB = 1024 * 1024

function diskOrSkip(context: TestContext): SmallDisk | null {
  const disk = mountSmallDisk(DISK_MB)
  if (typeof disk !== 'string') return disk
  context.skip(disk)
  return null
}

function freeMib(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return Math.floor((bavail * bsize) / MIB)
}

async function newTrace({ client }: Service): Promise<string> {
  return (await client.postTrace({ name: 'run', steps: [{ name: 'look' }] })).json<{ id: string }>().id
}

function tryUpload({ client }: Service, traceId: string, content: Buffer): Promise<Answer> {
  const file = { content, type: 'application/octet-stream', filename: 'run.bin' }
  return client.call(uploadCall({ trace_id: traceId, kind: 'sensor' }, file))
}

/** Without a length, which would refuse it before its first byte. */
function tryUnannounced({ client }: Service, traceId: string, content: Buffer): Promise<Answer> {
  const call = uploadCall({ trace_id: traceId, kind: 'sensor' }, { content, filename: 'run.bin' })
  return client.call({ ...call, headers: { ...call.headers, 'transfer-encoding': 'chunked' } })
}

function assertRefused(answer: Answer, codes = /^disk_full$/): void {
  assert.equal(answer.status, 503, answer.text)
  assert.match(answer.json<{ code: string }>().code, codes)
  assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

async function attachmentCount({ client }: Service, traceId: string): Promise<number> {
  return (await client.get(`/v1/traces/${traceId}`)).json<Trace>().attachment_count
}

test('an upload that fills the disk is refused and leaves the disk as it was', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const dataDir = join(disk.path, 'data')
  await using service = await Service.start({ dataDir, environment: { SPOOR_DISK_RESERVE_MB: '0' } })
  const { client } = service
  const traceId = await newTrace(service)
  const kept = randomBytes(MIB)
  const { uri } = await upload(client, { trace_id: traceId, kind: 'sensor' }, { content: kept })
  const [filesBefore, freeBefore] = [mediaFiles(dataDir), freeMib(disk.path)]

  const tooMuch = randomBytes(DISK_MB * MIB)
  assert.match((await tryUpload(service, traceId, tooMuch)).text, /no space for so many bytes/)
  assertRefused(await tryUnannounced(service, traceId, tooMuch))
  assert.deepEqual(mediaFiles(dataDir), filesBefore)
  assert.ok(freeMib(disk.path) > freeBefore - 16, `${freeMib(disk.path)} of ${freeBefore} MiB are free`)
  assert.equal(await attachmentCount(service, traceId), 1)

  assert.equal((await client.postTrace({ name: 'continues' })).status, 202)
  assert.deepEqual((await serve(client, uri)).bytes, kept)
  // The service checks the free space twice a second.
  const fits = async () => (await tryUpload(service, traceId, randomBytes(4 * MIB))).status === 201
  await eventually('an upload that fits', fits)
  assert.equal(await attachmentCount(service, traceId), 2)
})

test('below the reserve uploads are refused before they are read', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const dataDir = join(disk.path, 'data')
  await using service = await Service.start({ dataDir, environment: { SPOOR_DISK_RESERVE_MB: '64' } })
  const { client } = service
  const traceId = await newTrace(service)
  const { uri } = await upload(client, { trace_id: traceId, kind: 'sensor' }, { content: 'kept' })
  disk.fill(freeMib(disk.path) - 32)
  await eventually('not ready', async () => (await client.get('/readyz')).status === 503)
  assertRefused(await tryUpload(service, traceId, randomBytes(MIB)))
  assert.equal((await serve(client, uri)).text, 'kept')
  disk.free()
  await eventually('ready again', async () => (await client.get('/readyz')).status === 200)
  assert.equal((await tryUpload(service, traceId, randomBytes(MIB))).status, 201)
})

test('a completely full disk keeps what was acknowledged, and nothing else', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const dataDir = join(disk.path, 'data')
  await using service = await Service.start({ dataDir, environment: { SPOOR_DISK_RESERVE_MB: '0' } })
  const traceId = await newTrace(service)
  disk.fill(freeMib(disk.path) - 6)
  const acknowledged = new Map<string, Buffer>()
  let refused = 0
  // Then small ones down to the last page, so that the control store has no space either.
  const uploader = async (bytes: number) => {
    for (let n = 0; n < 60; n++) {
      const content = randomBytes(bytes)
      const answer = await tryUpload(service, traceId, content)
      if (answer.status === 201) acknowledged.set(answer.json<{ uri: string }>().uri, content)
      else {
        assertRefused(answer, /^(disk_full|storage_unavailable)$/)
        refused += 1
      }
    }
  }
  await Promise.all([2 * MIB, 300_000, 60_000, 4000].map(uploader))
  assert.ok(refused > 60 && acknowledged.size > 0, `${acknowledged.size} acknowledged, ${refused} refused`)
  for (const [uri, content] of acknowledged) assert.deepEqual((await serve(service.client, uri)).bytes, content)

  disk.free()
  await eventually('uploads are accepted again', async () => {
    const content = randomBytes(1000)
    const answer = await tryUpload(service, traceId, content)
    if (answer.status === 201) acknowledged.set(answer.json<{ uri: string }>().uri, content)
    return answer.status === 201
  })
  assert.equal(await attachmentCount(service, traceId), acknowledged.size)
  await eventually('no other file exists', () => mediaFiles(dataDir).length === acknowledged.size)
  await service.kill()
  await service.start()
  assert.equal(await attachmentCount(service, traceId), acknowledged.size)
  for (const [uri, content] of acknowledged) assert.deepEqual((await serve(service.client, uri)).bytes, content)
})
