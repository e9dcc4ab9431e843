import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Answer, Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { mountSmallDisk, type SmallDisk } from '../lib/faults/small-disk.ts'

const DISK_MB = 256

function diskOrSkip(context: TestContext): SmallDisk | null {
  const disk = mountSmallDisk(DISK_MB)
  if (typeof disk !== 'string') return disk
  context.skip(disk)
  return null
}

/** Does not compress. */
function bigTrace(name: string): object {
  return { name, metadata: { noise: randomBytes(48 * 1024).toString('base64') }, steps: [{ name: 'step' }] }
}

function assertDiskFull(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text)
  assert.equal(answer.json<{ code: string }>().code, 'disk_full', answer.text)
  assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

async function assertReadable(client: Client, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const rows = new Map((await walkFeed(client, { limit: '100' })).map((row) => [row.id, row.name]))
  for (const [id, name] of acknowledged) assert.equal(rows.get(id), name, `${name} ${id} is lost`)
  for (const id of [...acknowledged.keys()].slice(-5)) {
    const answer = await client.get(`/v1/traces/${id}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.json<{ steps: unknown[] }>().steps.length, 1)
  }
}

test('below the reserve intake closes, reads continue, and it opens again when there is space', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const environment = { SPOOR_DISK_RESERVE_MB: '64' }
  await using service = await Service.start({ dataDir: join(disk.path, 'data'), environment })
  const { client } = service
  const acknowledged = new Map<string, string>()
  for (let n = 0; n < 5; n++) {
    const answer = await client.postTrace(bigTrace(`before ${n}`))
    assert.equal(answer.status, 202, answer.text)
    acknowledged.set(answer.json<{ id: string }>().id, `before ${n}`)
  }
  const { bavail, bsize } = statfsSync(disk.path)
  disk.fill(Math.floor((bavail * bsize) / 1024 / 1024) - 32)
  await eventually('not ready', async () => (await client.get('/readyz')).status === 503)
  const readiness = (await client.get('/readyz')).json<{ checks: { name: string; ok: boolean; detail: string }[] }>()
  const { ok, detail } = readiness.checks.find(({ name }) => name === 'disk') ?? {}
  assert.equal(ok, false)
  assert.match(detail ?? '', /only \d+ MB of disk are free; 64 MB must stay free/)
  const [first] = [...acknowledged.keys()]
  assertDiskFull(await client.postTrace({ name: 'refused' }))
  assertDiskFull(await client.append(first as string, '{"name":"refused"}'))
  await assertReadable(client, acknowledged)
  assert.equal((await client.get('/healthz')).status, 200)

  disk.free()
  await eventually('ready again', async () => (await client.get('/readyz')).status === 200)
  assert.equal((await client.postTrace({ name: 'after' })).status, 202)
  assert.equal((await walkFeed(client)).length, acknowledged.size + 1, 'a refused trace was stored')
})

test('a disk that fills up during a write loses nothing that was acknowledged', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const environment = { SPOOR_DISK_RESERVE_MB: '0' }
  await using service = await Service.start({ dataDir: join(disk.path, 'data'), environment })
  const { client } = service
  const acknowledged = new Map<string, string>()
  const { bavail, bsize } = statfsSync(disk.path)
  disk.fill(Math.floor((bavail * bsize) / 1024 / 1024) - 8)
  let refused = 0
  const writer = async (number: number) => {
    for (let n = 0; refused < 40 && n < 500; n++) {
      const name = `${number}-${n}`
      const answer = await client.postTrace(bigTrace(name))
      if (answer.status === 202) acknowledged.set(answer.json<{ id: string }>().id, name)
      else {
        assert.equal(answer.status, 503, answer.text)
        assert.match(answer.json<{ code: string }>().code, /^(disk_full|storage_unavailable)$/)
        assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
        refused += 1
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)))
  assert.ok(refused >= 40 && acknowledged.size > 0, `${acknowledged.size} acknowledged, ${refused} refused`)
  await assertReadable(client, acknowledged)

  disk.free()
  await eventually('an accepted trace', async () => (await client.postTrace({ name: 'after' })).status === 202)
  // Commits that could not settle are retried once a second.
  await eventually('ready again', async () => (await client.get('/readyz')).status === 200)
  await assertReadable(client, acknowledged)
  await service.kill()
  await service.start()
  await assertReadable(service.client, acknowledged)
  const names = (await walkFeed(service.client, { limit: '100' })).map(({ name }) => name)
  const kept = names.filter((name) => name !== 'after')
  assert.deepEqual(kept.toSorted(), [...acknowledged.values()].toSorted(), 'a refused trace was stored')
})

test('a start on a full disk ends with a sentence, and with space everything acknowledged is there', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const environment = { SPOOR_DISK_RESERVE_MB: '0' }
  await using service = await Service.start({ dataDir: join(disk.path, 'data'), environment })
  const acknowledged = new Map<string, string>()
  // Too little for the files that SQLite makes after a clean stop, then for the commits that the log holds.
  for (const [end, freeKibibytes] of [
    ['stop', 16],
    ['kill', 512],
  ] as const) {
    for (let n = 0; n < 20; n++) {
      const answer = await service.client.postTrace(bigTrace(`${end} ${n}`))
      acknowledged.set(answer.json<{ id: string }>().id, `${end} ${n}`)
    }
    await service[end]()
    const { bavail, bsize } = statfsSync(disk.path)
    disk.fill((bavail * bsize) / 1024 / 1024 - freeKibibytes / 1024)
    await assert.rejects(service.start(), ({ message }: Error) => {
      assert.match(message, /^the service ended \(1\)/)
      assert.match(message, /^The disk that holds \S+ is full\. Make space and start again\.$/m)
      assert.doesNotMatch(message, /^ +at /m)
      return true
    })
    await service.kill()
    disk.free()
    await service.start()
    await assertReadable(service.client, acknowledged)
  }
})

test('on a full disk traces can be deleted, even with 0 bytes free, and their space is freed', async (context) => {
  using disk = diskOrSkip(context)
  if (disk === null) return
  const environment = { SPOOR_DISK_RESERVE_MB: '48' }
  await using service = await Service.start({ dataDir: join(disk.path, 'data'), environment })
  const { client } = service
  const free = () => {
    const { bavail, bsize } = statfsSync(disk.path)
    return bavail * bsize
  }
  const ids: string[] = []
  for (let n = 0; n < 400; n++) {
    const answer = await client.postTrace(bigTrace(`big ${n}`))
    assert.equal(answer.status, 202, answer.text)
    ids.push(answer.json<{ id: string }>().id)
  }
  const last = ids.pop() as string
  // Another program takes everything to the last byte, including what a merge frees when it fails.
  let full = 0
  const staysFull = async () => {
    full = free() === 0 && (await client.get('/readyz')).status === 503 ? full + 1 : 0
    disk.takeRest()
    return full === 10
  }
  await eventually('a full disk', staysFull)
  assert.equal((await client.postTrace({ name: 'refused' })).status, 503)
  const remove = (id: string) => client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
  // A write that met the full disk before the guard did is repaired with the reserve that the first deletion frees.
  await eventually('the first deletion', async () => (await remove(ids[0] as string)).status === 204)
  // One deletion does not free enough. Later, the space of many may already be free.
  assert.equal((await client.postTrace({ name: 'still refused' })).status, 503)
  for (const id of ids.slice(1)) {
    const answer = await remove(id)
    assert.equal(answer.status, 204, answer.text)
  }
  assert.deepEqual(
    (await walkFeed(client)).map(({ name }) => name),
    ['big 399'],
  )
  // More than the reserve file that was removed for it. The engine keeps merged or rewritten parts for a minute.
  await eventually('free space', async () => free() > 18 * 1024 * 1024)
  disk.free()
  let ready = ''
  const isReady = async () => {
    const answer = await client.get('/readyz')
    ready = answer.text
    return answer.status === 200
  }
  await eventually('ready again', isReady).catch((error: unknown) =>
    assert.fail(`${String(error)}: ${ready}\n${service.log}`),
  )
  await eventually('an accepted trace', async () => (await client.postTrace({ name: 'after' })).status === 202)
  assert.equal((await client.get(`/v1/traces/${last}`)).status, 200)
})
