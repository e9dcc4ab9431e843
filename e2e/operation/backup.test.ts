import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { loadConfig } from '../../packages/server/src/config.ts'
import { OperatorError } from '../../packages/server/src/lib/operator-error.ts'
import { systemClock } from '../../packages/server/src/lib/time/clock.ts'
import { verifyBackup } from '../../packages/server/src/profiles/backup.ts'
import { backUp as backUpFolder } from '../../packages/server/src/storage/backup/back-up.ts'
import { BackupTarget } from '../../packages/server/src/storage/backup/backup-target.ts'
import { openFolderBlobStore } from '../../packages/server/src/storage/blobs/folder/folder-blob-store.ts'
import { parsePartName } from '../../packages/server/src/storage/clickhouse/parts/part-name.ts'
import { lockFile } from '../../packages/server/src/storage/data-lock.ts'
import { endOf, runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { mountSmallDisk } from '../lib/faults/small-disk.ts'
import { commit, keepCommitting, noise, readEverything } from '../lib/keep-committing.ts'
import { mediaFiles, serve, upload } from '../lib/media/media.ts'
import { bucketEnvironment, startS3Server } from '../lib/media/s3-server.ts'
import { MAIN, Service, serviceEnvironment } from '../lib/service.ts'

interface Made {
  readonly id: string
  readonly position: number
  readonly traces: number
  readonly bytes: number
  readonly new_bytes: number
  readonly kind: 'full' | 'incremental'
}

/** For the tests that neither stop it nor change its files. */
let shared: Service
before(async () => void (shared = await Service.start()))
after(() => shared[Symbol.asyncDispose]())

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-backup-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function backUp(dataDir: string, target: string, settings = {}): Promise<Made> {
  const { code, out, error } = await runSpoor(dataDir, ['backup', target, '--json'], settings)
  assert.equal(code, 0, error)
  return JSON.parse(out) as Made
}

async function verify(target: string, settings = {}): Promise<string> {
  const { code, out, error } = await runSpoor(tmpdir(), ['restore', target, '--verify'], settings)
  assert.equal(code, 0, error)
  return out
}

/** Of each file of a target, what changes when it is written again. */
function writesOf(target: string): ReadonlyMap<string, string> {
  const names = readdirSync(target, { recursive: true, encoding: 'utf8' })
  const found = names.map((name) => [name, statSync(join(target, name), { bigint: true })] as const)
  return new Map(
    found
      .filter(([, stats]) => stats.isFile())
      .map(([name, { ino, mtimeNs, ctimeNs }]) => [name, `${ino} ${mtimeNs} ${ctimeNs}`]),
  )
}

/** The objects of a backup in a folder that hold parts of the engine, and its media. */
async function contentsOf(target: string, number: number) {
  const blobs = await openFolderBlobStore(join(target, 'media'))
  const { objects, media } = await new BackupTarget(target, blobs).manifest(number)
  const parts = objects.filter(({ folder }) => parsePartName(basename(folder)) !== null)
  return { parts: parts.map(({ key, folder }) => `${folder} ${key}`).toSorted(), media }
}

async function restore(target: string, dataDir: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const { code, error } = await runSpoor(tmpdir(), ['restore', target, '--data-dir', dataDir], settings)
  assert.equal(code, 0, error)
}

/** Of the media in a data folder. */
function mediaContents(dataDir: string): string[] {
  return existsSync(join(dataDir, 'media')) ? mediaFiles(dataDir).map((path) => readFileSync(path, 'utf8')) : []
}

/** Runs a command that must fail, and returns what it says. */
async function refused(dataDir: string, ...args: readonly string[]): Promise<string> {
  const { code, error } = await runSpoor(dataDir, args)
  assert.equal(code, 1, error)
  return error
}

/** What `spoor restore --verify` says of a damaged backup, without its process. */
async function refusedInside(target: string): Promise<OperatorError> {
  const verified = verifyBackup({ ...loadConfig({}, []), backups: null }, target, null)
  const problem = await verified.catch((error: unknown) => error)
  assert.ok(problem instanceof OperatorError, String(problem))
  return problem
}

test('a backup beside ingest holds one position of the journal, and the restored store has the same traces', async (context) => {
  const folder = folderFor(context)
  const target = join(folder, 'target')
  await using service = await Service.start({ dataDir: join(folder, 'data') })
  const { client } = service
  const file = await upload(client, { trace_id: await commit(client), kind: 'file' }, { content: 'bytes of a file' })
  const deleted = await commit(client)
  assert.equal((await client.call({ method: 'DELETE', path: `/v1/traces/${deleted}` })).status, 204)
  const load = keepCommitting(client)
  const rounds: { made: Made; acknowledged: ReadonlySet<string> }[] = []
  for (let round = 0; round < 2; round++) {
    const wanted = load.acknowledged.length + 20
    await eventually('traces are committed', () => load.acknowledged.length >= wanted)
    const acknowledged = new Set(load.acknowledged)
    rounds.push({ made: await backUp(service.dataDir, target), acknowledged })
  }
  await load.stop()
  const all = await readEverything(client)
  assert.equal(rounds[0]?.made.kind, 'full')
  assert.equal(rounds[0].made.bytes >= rounds[0].made.new_bytes, true)
  for (const { made } of rounds.slice(1)) {
    assert.equal(made.kind, 'incremental')
    assert.ok(made.new_bytes < made.bytes, JSON.stringify(made))
  }
  assert.match(await verify(target), /^Backup 2 of /)

  for (const [index, { made, acknowledged }] of rounds.entries()) {
    const dataDir = join(folder, `restored-${made.id}`)
    assert.equal(made.id, String(index + 1))
    assert.match((await runSpoor(dataDir, ['restore', target, '--data-dir', dataDir, '--at', made.id])).out, /is whole/)
    assert.equal(statSync(join(dataDir, 'secrets.key')).mode & 0o077, 0)
    await using restored = await Service.start({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: service.key } })
    const there = await readEverything(restored.client)
    assert.equal(there.size, made.traces)
    for (const id of acknowledged) assert.ok(there.has(id), `${id} was acknowledged before backup ${made.id}`)
    for (const [id, content] of there) assert.equal(content, all.get(id))
    assert.equal((await serve(restored.client, file.uri)).text, 'bytes of a file')
    // It goes on: commits after the restore, and a backup of it.
    await commit(restored.client)
  }
})

test('a stopped service is backed up, also one that was killed; its start removes working folders that were left', async (context) => {
  const folder = folderFor(context)
  const target = join(folder, 'target')
  await using service = await Service.start({ dataDir: join(folder, 'data') })
  const { dataDir } = service
  const content = 'bytes of a medium'
  await upload(service.client, { trace_id: await commit(service.client), kind: 'file' }, { content })
  await service.kill()
  const killed = await backUp(dataDir, target)
  assert.equal(killed.traces, 1)
  const commands = [
    ['backup', [target]],
    ['check', []],
  ] as const
  const working = commands.map(([command]) => join(dataDir, `.spoor-${command}-of-another`))
  const locks = commands.map(([command]) => lockFile(join(dataDir, `${command}.lock`)))
  try {
    for (const path of working) mkdirSync(path)
    await service.start()
    assert.deepEqual(working.map(existsSync), [true, true], 'both are under way')
    for (const [index, [command, args]] of commands.entries()) {
      assert.ok(locks[index])
      assert.match(await refused(dataDir, command, ...args), /Another \w+ of \S+ is under way/)
    }
  } finally {
    for (const lock of locks) lock?.close()
  }
  await commit(service.client)
  await service.stop()
  const stopped = await backUp(dataDir, target)
  assert.deepEqual([stopped.traces, stopped.kind], [2, 'incremental'])
  const written = writesOf(target)
  const again = await backUp(dataDir, target)
  assert.deepEqual([again.id, again.traces], ['3', 2])
  const now = writesOf(target)
  for (const [name, write] of written) assert.equal(now.get(name), write, `${name} is written again`)
  const [second, third] = [await contentsOf(target, 2), await contentsOf(target, 3)]
  assert.ok(second.parts.length > 0)
  assert.deepEqual(third, { parts: second.parts, media: { objects: 1, bytes: content.length } })
  const isMedium = (name: string) => readFileSync(join(target, name), 'utf8') === content
  assert.equal([...now.keys()].filter(isMedium).length, 1)
  await verify(target)
  assert.match(await refused(shared.dataDir, 'backup', target), /backups of another store/)
  for (const path of working) mkdirSync(path, { recursive: true })
  await service.start()
  assert.deepEqual(working.map(existsSync), [false, false], 'nobody works there any more')
})

test('kill -9 of the command or the service leaves no backup that is not whole', async (context) => {
  const folder = folderFor(context)
  const target = join(folder, 'target')
  await using service = await Service.start({ dataDir: join(folder, 'data') })
  for (let n = 0; n < 20; n++) await commit(service.client, noise(40_000))
  const found = () => globSync(join(target, 'media/objects/*/*/*')).length
  const child = spawn(process.execPath, [MAIN, 'backup', target], {
    env: serviceEnvironment(service.dataDir, {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = endOf(child)
  await Promise.race([eventually('objects are written', () => found() >= 1 || child.exitCode !== null), ended])
  child.kill('SIGKILL')
  if ((await ended).code === null)
    assert.match(await refused(service.dataDir, 'restore', target, '--verify'), /There is no backup/)
  for (let n = 0; n < 5; n++) await commit(service.client, noise(40_000))
  const whole = await backUp(service.dataDir, target)
  assert.deepEqual(globSync(join(service.dataDir, 'backup*')), [])
  const running = runSpoor(service.dataDir, ['backup', target, '--json'])
  await service.kill()
  const { code } = await running
  assert.match(await verify(target), new RegExp(`^Backup ${Number(whole.id) + (code === 0 ? 1 : 0)} of `))
})

test('a backup whose working folder is removed ends with a sentence', async (context) => {
  const folder = folderFor(context)
  const { dataDir } = shared
  await commit(shared.client)
  class RemovingTarget extends BackupTarget {
    override add(...args: Parameters<BackupTarget['add']>): Promise<boolean> {
      for (const path of globSync(join(dataDir, '.spoor-backup-*'))) rmSync(path, { recursive: true })
      return super.add(...args)
    }
  }
  const blobs = await openFolderBlobStore(join(folder, 'target'))
  const target = new RemovingTarget('target', blobs)
  const options = { dataDir, blobs, target, memoryBytes: 2 ** 30, clock: systemClock, version: '0' }
  await assert.rejects(backUpFolder(options), /\.spoor-backup-\w+ was removed during the backup. Run the command again/)
})

test('a damaged backup is found, and what is unsuitable is refused', async (context) => {
  const folder = folderFor(context)
  const target = join(folder, 'target')
  const { client, dataDir } = shared
  await upload(client, { trace_id: await commit(client), kind: 'file' }, { content: noise(5000) })
  assert.match(await refused(dataDir, 'restore', target, '--verify'), /There is no backup in/)
  await backUp(dataDir, target)
  assert.match(await refused(dataDir, 'backup', join(dataDir, 'inside')), /is in the data folder/)
  assert.match(await refused(dataDir, 'restore', target, '--data-dir', dataDir), /is not empty/)
  assert.match(await refused(dataDir, 'restore', target, '--data-dir', join(folder, 'n'), '--at', '9'), /no backup 9/)

  const files = globSync('media/objects/**', { cwd: target }).filter((name) => statSync(join(target, name)).isFile())
  assert.ok(files.length > 10)
  // The manifest, the medium, and some of the objects that hold parts and pieces of files.
  const chosen = files.filter((name, at) => !name.includes(`proj_${'0'.repeat(26)}`) || at % 16 === 0)
  for (const name of chosen) {
    const copy = join(folder, 'copy')
    cpSync(target, copy, { recursive: true })
    const path = join(copy, name)
    const { size } = statSync(path)
    if (size === 0) rmSync(path)
    else if (chosen.indexOf(name) % 2 === 0) truncateSync(path, size - 1)
    else {
      const bytes = readFileSync(path)
      bytes[Math.floor(size / 2)]! ^= 1
      writeFileSync(path, bytes)
    }
    const { message } = await refusedInside(copy)
    assert.match(message, /damaged|other bytes|is missing|has \d+ bytes/, name)
    if (name === chosen[0]) assert.equal(await refused(dataDir, 'restore', copy, '--verify'), `${message}\n`)
    rmSync(copy, { recursive: true })
  }
})

test('a full target ends the backup with a clear error, and the earlier backup stays whole', async (context) => {
  const disk = mountSmallDisk(64)
  if (typeof disk === 'string') return context.skip(disk)
  using _ = disk
  const target = join(disk.path, 'target')
  const { client, dataDir } = shared
  await commit(client)
  const { traces } = await backUp(dataDir, target)
  disk.takeRest()
  for (let n = 0; n < 20; n++) await commit(client, noise(100_000))
  assert.match(await refused(dataDir, 'backup', target), /target is full .*Make space/)
  assert.match(await verify(target), /^Backup 1 of /)
  disk.free()
  assert.equal((await backUp(dataDir, target)).traces, traces + 20)
  assert.match(await verify(target), /^Backup 2 of /)
})

test('a full disk of the data folder ends the backup with a clear error', async (context) => {
  const disk = mountSmallDisk(192)
  if (typeof disk === 'string') return context.skip(disk)
  using _ = disk
  const target = join(folderFor(context), 'target')
  const environment = { SPOOR_DISK_RESERVE_MB: '0' }
  await using service = await Service.start({ dataDir: join(disk.path, 'data'), environment })
  await commit(service.client)
  await service.stop()
  disk.takeRest()
  assert.match(await refused(service.dataDir, 'backup', target), /disk is full .*Make space/)
  assert.match(await refused(service.dataDir, 'restore', target, '--verify'), /There is no backup/)
  disk.free()
  assert.equal((await backUp(service.dataDir, target)).traces, 1)
})

test('backups in a bucket, also of a store with its media in another one, are restored with all traces and media', async (context) => {
  const { client, dataDir } = shared
  const folder = folderFor(context)
  const server = await startS3Server()
  if (typeof server === 'string') return context.skip(server)
  await using _ = server
  for (const name of ['backups', 'media']) await server.createBucket(name)
  const { SPOOR_S3_BUCKET: _bucket, ...settings } = bucketEnvironment(server, 'media')
  const content = noise(5000)
  const { uri } = await upload(client, { trace_id: await commit(client), kind: 'file' }, { content })
  const full = await backUp(dataDir, 's3://backups/spoor', settings)
  assert.equal(full.kind, 'full')
  await commit(client)
  const { kind, traces } = await backUp(dataDir, 's3://backups/spoor', settings)
  assert.deepEqual([kind, traces], ['incremental', full.traces + 1])
  assert.match(await verify('s3://backups/spoor', settings), /^Backup 2 of /)

  const all = await readEverything(client)
  const restored = join(folder, 'restored')
  const inBucket = bucketEnvironment(server, 'media')
  await restore('s3://backups/spoor', restored, inBucket)
  assert.deepEqual(mediaContents(restored), [], 'media is in the bucket')
  await using service = await Service.start({
    dataDir: restored,
    environment: { SPOOR_BOOTSTRAP_KEY: shared.key, ...inBucket },
  })
  assert.deepEqual(await readEverything(service.client), all)
  assert.equal((await serve(service.client, uri)).text, content)

  // A store whose media is in a bucket, to another place in a bucket.
  await commit(service.client)
  const ofBucket = await backUp(restored, 's3://backups/second', inBucket)
  assert.deepEqual([ofBucket.kind, ofBucket.traces], ['full', traces + 1])
  assert.match(await verify('s3://backups/second', inBucket), /^Backup 1 of /)
  const again = join(folder, 'again')
  await restore('s3://backups/second', again, settings)
  assert.ok(mediaContents(again).includes(content))
})
