import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemTimers } from '../../packages/server/src/lib/time/timers.ts'
import { NamedObjects } from '../../packages/server/src/storage/blobs/s3/named-objects.ts'
import { runSpoor } from '../lib/command.ts'
import { mountSmallDisk } from '../lib/faults/small-disk.ts'
import { bucketEnvironment, startS3Server } from '../lib/media/s3-server.ts'
import { Service } from '../lib/service.ts'

const TRACES = 400
const BIG_TRACES = 250
/** After how many bytes of answer the next connections break; the last of these counts for all further ones. */
let cuts = [60_000]

const folder = mkdtempSync(join(tmpdir(), 'spoor-export-'))
let service: Service
let proxy: Server
/** How many connections break. */
let breaking = 0

before(async () => {
  service = await Service.start()
  const lines = Array.from({ length: TRACES }, (_, n) => {
    const steps = [{ name: n % 2 === 0 ? 'even' : 'odd', type: 'tool' }]
    return JSON.stringify({ name: `run ${n}`, status: n % 4 === 0 ? 'error' : 'ok', metadata: { n }, steps })
  })
  for (const body of lines) {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.client.call({ method: 'POST', path: '/v1/traces', headers, body })
    assert.equal(answer.status, 202, answer.text)
  }
  proxy = createServer((from) => {
    const to = connect(Number(new URL(service.url).port), '127.0.0.1')
    let left = breaking > 0 ? ((cuts.length > 1 ? cuts.shift() : cuts[0]) ?? 0) : Infinity
    breaking -= 1
    from.pipe(to)
    to.on('data', (bytes: Buffer) => {
      from.write(bytes.subarray(0, left))
      left -= bytes.length
      if (left <= 0) from.destroy()
    })
    to.on('end', () => from.end())
    for (const socket of [from, to]) socket.on('error', () => [from, to].forEach((each) => each.destroy()))
    from.on('close', () => to.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})

after(async () => {
  proxy.close()
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** The several files that `export.json` names, in its order. `read`: a file of the target, null if it has none. */
async function readPartsOf(read: (name: string) => Promise<Buffer | null>): Promise<string> {
  const manifest = JSON.parse(String(await read('export.json'))) as {
    readonly complete: boolean
    readonly rows: number
    readonly parts: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]
  }
  const { complete, rows, parts } = manifest
  assert.ok(complete && parts.length > 1)
  let text = ''
  for (const { name, bytes } of parts) {
    const part = await read(name)
    assert.equal(part?.length, bytes, name)
    text += String(part)
  }
  assert.deepEqual([rows, parts.reduce((sum, part) => sum + part.rows, 0)], [BIG_TRACES, BIG_TRACES])
  return text
}

let hasBig = false
/** Makes traces whose export has several files of a megabyte, once. */
async function makeBigTraces(): Promise<void> {
  if (hasBig) return
  hasBig = true
  const body = JSON.stringify({ name: 'big', metadata: { text: 'x'.repeat(10_000) } })
  for (let n = 0; n < BIG_TRACES; n++) {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.client.call({ method: 'POST', path: '/v1/traces', headers, body })
    assert.equal(answer.status, 202, answer.text)
  }
}

/** Breaks an export to a target off, lets it go on, and compares its files with the whole export. */
async function breakOffAndGoOn(
  target: string,
  read: (name: string) => Promise<Buffer | null>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  await makeBigTraces()
  const args = ['traces', '--name', 'big', '--to', target, '--part-mb', '1', '--patience', '1']
  cuts = [1_500_000, 100]
  breaking = Infinity
  const stopped = await run(args, settings)
  const first = await read('traces-00001.jsonl')
  assert.deepEqual([stopped.code, first !== null], [1, true], stopped.error)
  const other = await run(['steps', '--to', target], settings)
  assert.deepEqual([other.code, /files of another export/.test(other.error)], [1, true])
  breaking = 0
  const done = await run(args, settings)
  assert.equal(done.code, 0, done.error)
  assert.deepEqual(await read('traces-00001.jsonl'), first)
  const whole = (await service.client.get('/v1/export?what=traces&format=jsonl&name=big')).text
  assert.equal(await readPartsOf(read), whole)
  const again = await run(args, settings)
  assert.deepEqual([again.code, /complete/.test(again.error)], [1, true])
}

function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { port } = proxy.address() as AddressInfo
  return runSpoor(folder, ['export', ...args], {
    SPOOR_URL: `http://127.0.0.1:${port}`,
    SPOOR_API_KEY: service.key,
    ...settings,
  })
}

const file = (name: string) => join(folder, name)
const linesOf = (name: string) => readFileSync(file(name), 'utf8').trimEnd().split('\n')

test('an export as jsonl goes on behind the last row after each broken connection', async () => {
  breaking = 2
  const { code, error } = await run(['traces', '--out', file('all.jsonl')])
  assert.equal(code, 0, error)
  assert.ok(breaking < 0, 'a third connection')
  const whole = (await service.client.get('/v1/export?what=traces&format=jsonl')).text
  assert.equal(readFileSync(file('all.jsonl'), 'utf8'), whole)
  assert.deepEqual(JSON.parse(linesOf('all.jsonl').at(-1)!), { complete: true, rows: TRACES })
  assert.equal(existsSync(file('all.jsonl.part')), false)
  assert.match(error, /Exported 400 rows/)
})

test('a part is not taken for a whole file; the same command goes on with it, another one does not touch it', async () => {
  breaking = Infinity
  const args = ['traces', '--out', file('later.jsonl'), '--sort', 'duration_ms', '--patience', '1']
  const broken = await run(args)
  assert.equal(broken.code, 1)
  assert.match(broken.error, /broke off.*Run the same command again/)
  assert.deepEqual([existsSync(file('later.jsonl')), existsSync(file('later.jsonl.part'))], [false, true])
  const other = await run(['steps', '--out', file('later.jsonl')])
  assert.deepEqual([other.code, /belongs to another export/.test(other.error)], [1, true])
  breaking = 0
  const done = await run(args)
  assert.equal(done.code, 0, done.error)
  const whole = (await service.client.get('/v1/export?what=traces&format=jsonl&sort=duration_ms')).text
  assert.equal(readFileSync(file('later.jsonl'), 'utf8'), whole)
  const again = await run(args)
  assert.deepEqual([again.code, /exists already/.test(again.error)], [1, true])
})

test('csv and parquet begin again with their file, and break off on standard output', async () => {
  for (const format of ['csv', 'parquet']) {
    breaking = format === 'csv' ? 1 : 0
    const { code, error } = await run(['traces', '--format', format, '--out', file(`all.${format}`)])
    assert.equal(code, 0, error)
  }
  assert.equal(linesOf('all.csv').length, TRACES + 1)
  assert.equal(readFileSync(file('all.parquet')).subarray(-4).toString(), 'PAR1')
  breaking = 1
  const broken = await run(['traces', '--format', 'csv'])
  assert.deepEqual(
    [broken.code, /broke off: [a-z].+\. As csv, only a file/.test(broken.error)],
    [1, true],
    broken.error,
  )
})

test('files of a size in a folder go on behind the last whole file, and together are the export', async () => {
  const target = file('parts')
  await breakOffAndGoOn(target, async (name) => readFileSync(join(target, name)))
})

test('a full disk ends an export with a clear error, and the same command goes on once there is space', async (context) => {
  const disk = mountSmallDisk(4)
  if (typeof disk === 'string') return context.skip(disk)
  using _ = disk
  breaking = 0
  const whole = (await service.client.get('/v1/export?what=steps&format=jsonl')).text
  const [path, parts] = [join(disk.path, 'all.jsonl'), join(disk.path, 'parts')]
  for (const to of [
    ['--out', path],
    ['--to', parts],
  ]) {
    disk.takeRest()
    const { code, error } = await run(['steps', ...to])
    assert.deepEqual([code, /disk is full .*Make space/.test(error)], [1, true], error)
    assert.deepEqual([existsSync(path), existsSync(join(parts, 'export.json'))], [to[0] === '--to', false])
    disk.free()
    const done = await run(['steps', ...to])
    assert.equal(done.code, 0, done.error)
  }
  assert.equal(readFileSync(path, 'utf8'), whole)
  assert.equal(readFileSync(join(parts, 'steps-00001.jsonl'), 'utf8'), whole)
})

test('files in a bucket go on behind the last whole file, and together are the export', async (context) => {
  const server = await startS3Server()
  if (typeof server === 'string') return context.skip(server)
  await using _server = server
  await server.createBucket('exports')
  const { SPOOR_S3_BUCKET: _, ...settings } = bucketEnvironment(server, 'exports')
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const account = { endpoint, publicEndpoint: null, region, accessKeyId, secretAccessKey }
  const place = { bucket: 'exports', prefix: 'all/runs/', forcePathStyle: true, directUploads: true, ca: null }
  const objects = new NamedObjects({ ...account, ...place }, systemTimers)
  try {
    await breakOffAndGoOn('s3://exports/all/runs', (name) => objects.read(name), settings)
  } finally {
    objects.close()
  }
  const again = await run(['traces', '--name', 'big', '--to', 's3://exports/all/runs/'], settings)
  assert.deepEqual([again.code, /complete/.test(again.error)], [1, true])
  const refused = await run(['traces', '--to', 's3://nowhere/x'], settings)
  assert.deepEqual([refused.code, /bucket nowhere/.test(refused.error)], [1, true], refused.error)
})

test('flags and a query are filters, and the service refuses others', async () => {
  breaking = 0
  const steps = await run(['steps', '--step-name', 'odd', '--query', 'status=ok&step_type=tool'])
  assert.equal(steps.code, 0, steps.error)
  const rows = steps.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { name?: string; rows?: number })
  assert.equal(rows.pop()?.rows, TRACES / 2)
  assert.ok(rows.every(({ name }) => name === 'odd'))
  const refused = await run(['traces', '--colour', 'red'])
  assert.deepEqual([refused.code, /colour/.test(refused.error)], [1, true])
  for (const args of [
    [],
    ['clusters'],
    ['traces', '--format', 'xml'],
    ['traces', '--limit', '3'],
    ['traces', '--out'],
  ]) {
    assert.equal((await run(args)).code, 2, args.join(' '))
  }
})
