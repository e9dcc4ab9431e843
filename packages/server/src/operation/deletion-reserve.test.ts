import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { DeletionReserve } from './deletion-reserve.ts'

const SIZE = 64 * 1024

function reserveOn(context: TestContext, free: number) {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-reserve-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const disk = { free }
  const open = () => new DeletionReserve({ directory, sizeBytes: SIZE, freeBytes: () => disk.free })
  return { disk, open, directory, file: join(directory, 'space-for-deletions') }
}

test('the space is really allocated, released once a deletion needs it, and allocated again when there is plenty', (context) => {
  const { disk, open, file } = reserveOn(context, 10 * SIZE)
  const reserve = open()
  reserve.restore()
  assert.ok(statSync(file).blocks * 512 >= SIZE, 'a sparse file takes up no space')
  reserve.makeRoom()
  assert.ok(existsSync(file), 'there is enough space without it')
  disk.free = 0
  assert.equal(reserve.refusal(), null, 'the disk guard decides how full a disk may become')
  reserve.makeRoom()
  assert.ok(!existsSync(file))
  disk.free = SIZE
  assert.equal(reserve.refusal()?.code, 'disk_full', 'the space is for deletions alone')
  reserve.restore()
  assert.ok(!existsSync(file), 'freed space is not allocated at once')
  disk.free = 2 * SIZE
  assert.equal(reserve.refusal(), null)
  reserve.restore()
  assert.ok(existsSync(file))
})

test('a disk that is full at the start is left alone; a file of the last start is used', (context) => {
  const { disk, open, file, directory } = reserveOn(context, 0)
  open().restore()
  assert.deepEqual(readdirSync(directory), [])
  disk.free = 10 * SIZE
  open().restore()
  disk.free = 0
  open().makeRoom()
  assert.ok(!existsSync(file))
})
