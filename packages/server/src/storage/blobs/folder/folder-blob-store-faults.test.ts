import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { mountSmallDisk } from '../../../../../../e2e/lib/faults/small-disk.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { ownKey, readAll, slices } from '../../../ports/media/blob-store.conformance.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { openFolderBlobStore } from './folder-blob-store.ts'
import { contentOf } from './write-until-killed.test-support.ts'

const PROGRAM = join(import.meta.dirname, 'write-until-killed.test-support.ts')
const MEBIBYTE = 1024 * 1024
const KILLS = 12

test('a full disk is reported, leaves nothing, and does not matter any more once there is space', async (context) => {
  const disk = mountSmallDisk(8)
  if (typeof disk === 'string') return context.skip(disk)
  context.after(() => disk[Symbol.dispose]())
  const store = await openFolderBlobStore(join(disk.path, 'media'))
  const before = ownKey()
  await store.write(before, slices(Buffer.alloc(MEBIBYTE, 1), [MEBIBYTE]))

  for (const chunkBytes of [65_536, 1000, 20 * MEBIBYTE]) {
    const source = endless(chunkBytes)
    const key = ownKey()
    await assert.rejects(store.write(key, source), { name: 'DomainError', code: 'disk_full', retryAfterSeconds: 10 })
    assert.deepEqual(await source.next(), { done: true, value: undefined }, 'the source is closed')
    assert.equal(await store.size(key), null)
    assert.equal(filesIn(disk.path).length, 1)
  }
  // The very last write is partial: no later one fails.
  for (const sizes of [[20 * MEBIBYTE], [20 * MEBIBYTE - 9, 9], Array.from({ length: 200 }, () => 102_400)]) {
    const whole = slices(Buffer.alloc(20 * MEBIBYTE), sizes)
    await assert.rejects(store.write(ownKey(), whole), { code: 'disk_full' })
    assert.equal(filesIn(disk.path).length, 1)
  }
  disk.fill(7)
  assert.equal((await readAll(store, before)).length, MEBIBYTE)
  await assert.rejects(store.write(ownKey(), slices(Buffer.alloc(MEBIBYTE), [MEBIBYTE])), { code: 'disk_full' })
  disk.free()
  await store.write(ownKey(), slices(Buffer.alloc(MEBIBYTE), [MEBIBYTE]))
  assert.equal(filesIn(disk.path).length, 2)
})

test(`${KILLS} times killed while writing: reported objects are whole, the rest can be swept away`, async (context) => {
  const folder = temporaryFolder(context)
  const told: BlobKey[] = []
  let leftovers = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [PROGRAM, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    context.after(() => child.kill('SIGKILL'))
    let output = ''
    const lines = 5 + 3 * kill
    for await (const text of child.stdout) {
      output += String(text)
      if (output.split('\n').length > lines && !child.killed) child.kill('SIGKILL')
    }
    if (child.signalCode === null) await once(child, 'exit')
    told.push(...(output.split('\n').slice(0, -1) as BlobKey[]))
    leftovers += readdirSync(join(folder, 'tmp')).length
  }
  assert.ok(leftovers > 0, 'some write was interrupted')

  const store = await openFolderBlobStore(folder)
  await store.removeLeftovers()
  assert.deepEqual(readdirSync(join(folder, 'tmp')), [])
  assert.ok(told.length >= KILLS * 5)
  const whole = filesIn(join(folder, 'objects')).map((path) => path.split('/').slice(-3))
  const keys = whole.map(([project = '', first = '', rest = '']) => `${project}/${first}${rest}` as BlobKey)
  assert.deepEqual(
    told.filter((key) => !keys.includes(key)),
    [],
  )
  // Also those that were stored and not yet reported: every named object is whole.
  for (const key of keys) assert.ok((await readAll(store, key)).equals(Buffer.concat([...contentOf(key)])), key)
})

test('remove deletes what an interrupted write left', async (context) => {
  const folder = temporaryFolder(context)
  const store = await openFolderBlobStore(folder)
  const key = ownKey()
  writeFileSync(join(folder, 'tmp', key.replace('/', '.')), 'half')
  await store.remove(key)
  assert.deepEqual(filesIn(folder), [])
})

test('only the account of the service can read the folder', async (context) => {
  const folder = temporaryFolder(context)
  const store = await openFolderBlobStore(join(folder, 'media'))
  await store.write(ownKey(), slices(Buffer.from('x'), [1]))
  const modes = readdirSync(folder, { recursive: true }).map((path) => {
    const stats = statSync(join(folder, String(path)))
    return `${stats.isFile() ? 'file' : 'folder'} ${(stats.mode & 0o777).toString(8)}`
  })
  assert.deepEqual([...new Set(modes)].sort(), ['file 600', 'folder 700'])
})

test('a file that became shorter fails its reader instead of ending', async (context) => {
  const folder = temporaryFolder(context)
  const store = await openFolderBlobStore(folder)
  const key = ownKey()
  await store.write(key, slices(Buffer.alloc(MEBIBYTE), [MEBIBYTE]))
  const stream = (await store.read(key, null)) ?? assert.fail()
  truncateSync(filesIn(folder)[0] ?? '', 300_000)
  await assert.rejects(buffer(stream), /the file ends at 300000/)
})

test('something else under the name of an object is neither followed nor waited for', async (context) => {
  const folder = temporaryFolder(context)
  const store = await openFolderBlobStore(join(folder, 'media'))
  writeFileSync(join(folder, 'secret'), 'of another file')
  for (const replace of [
    (path: string) => symlinkSync(join(folder, 'secret'), path),
    (path: string) => mkdirSync(path),
    (path: string) => void execFileSync('sh', ['-c', 'mkfifo "$0"', path]),
  ]) {
    const key = ownKey()
    await store.write(key, slices(Buffer.from('x'), [1]))
    const [path = ''] = filesIn(join(folder, 'media'))
    rmSync(path)
    replace(path)
    assert.deepEqual([await store.read(key, null), await store.size(key)], [null, null])
    rmSync(path, { recursive: true })
  }
})

test('a folder that was removed is made again', async (context) => {
  const folder = temporaryFolder(context)
  const store = await openFolderBlobStore(folder)
  const key = ownKey()
  await store.write(key, slices(Buffer.from('x'), [1]))
  await store.remove(key)
  rmSync(join(folder, 'objects', key.slice(0, key.indexOf('/'))), { recursive: true })
  const same = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` as BlobKey
  await store.write(same, slices(Buffer.from('y'), [1]))
  assert.equal(String(await readAll(store, same)), 'y')
  assert.equal(filesIn(folder).length, 1)
})

test('an unusable folder is reported in words', async (context) => {
  const folder = temporaryFolder(context)
  writeFileSync(join(folder, 'file'), '')
  await assert.rejects(openFolderBlobStore(join(folder, 'file', 'media')), (error) => {
    return error instanceof OperatorError && error.message.startsWith(join(folder, 'file', 'media'))
  })
  const store = await openFolderBlobStore(join(folder, 'media'))
  rmSync(join(folder, 'media', 'tmp'), { recursive: true })
  await assert.rejects(store.write(ownKey(), endless(10)), { code: 'storage_unavailable' })
  mkdirSync(join(folder, 'media', 'tmp'))
  await store.write(ownKey(), slices(Buffer.from('x'), [1]))
})

test('a disk without space for the folders is called full', async (context) => {
  const disk = mountSmallDisk(1, 3)
  if (typeof disk === 'string') return context.skip(disk)
  context.after(() => disk[Symbol.dispose]())
  const media = join(disk.path, 'media')
  await assert.rejects(openFolderBlobStore(media), (error) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, /^The disk that holds \S+\/media\/\w+ is full\. Make space and try again\.$/)
    return true
  })
})

async function* endless(chunkBytes: number): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(chunkBytes, 1)
}

function filesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)))
  return paths.filter((path) => statSync(path).isFile())
}

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-blobs-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
