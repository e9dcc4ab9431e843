import assert from 'node:assert/strict'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { Readable, Writable } from 'node:stream'
import { freePassing, markPassing, markSole, memoryOf, pipeFreeing } from './passing-bytes.ts'

function ownChunk(bytes = 1000): Buffer {
  return randomFillSync(Buffer.allocUnsafeSlow(bytes))
}

test('frees marked memory once, and only by a chunk that spans all of it', () => {
  const chunk = ownChunk()
  markPassing(chunk)
  freePassing(chunk.subarray(1))
  freePassing(chunk.subarray(0, 999))
  assert.equal(chunk.length, 1000)
  freePassing(chunk)
  assert.equal(chunk.length, 0)
  freePassing(chunk)
})

test('does not free memory that is not marked or is shared with other chunks', () => {
  const unmarked = ownChunk()
  freePassing(unmarked)
  assert.equal(unmarked.length, 1000)
  const pooled = Buffer.from('a few bytes of the pool')
  markPassing(pooled)
  freePassing(pooled)
  assert.equal(pooled.toString(), 'a few bytes of the pool')
  const part = ownChunk().subarray(10)
  markPassing(part)
  freePassing(part)
  assert.equal(part.length, 990)
  const none = Buffer.alloc(0)
  markPassing(none)
  freePassing(none)
})

test('memory goes with bytes that span it or are alone in it, and with no others', () => {
  const chunk = ownChunk()
  assert.deepEqual(memoryOf(chunk), [chunk.buffer])
  const part = chunk.subarray(0, 999)
  assert.deepEqual(memoryOf(part), [])
  markSole(part)
  assert.deepEqual(memoryOf(part), [chunk.buffer])
  assert.deepEqual(memoryOf(part.subarray(1)), [])
  freePassing(part.subarray(1))
  assert.equal(chunk.length, 1000)
  freePassing(part)
  assert.equal(chunk.length, 0)
  freePassing(part)
  assert.deepEqual(memoryOf(part), [])
})

test('everything arrives, however slow the destination is, and is freed afterwards', async () => {
  const chunks = Array.from({ length: 50 }, () => ownChunk())
  for (const chunk of chunks) markPassing(chunk)
  const whole = Buffer.concat(chunks)
  const arrived: Buffer[] = []
  const destination = new Writable({
    highWaterMark: 1500,
    write(chunk: Buffer, _encoding, done) {
      setImmediate(() => {
        arrived.push(Buffer.from(chunk))
        done()
      })
    },
  })
  const source = Readable.from(chunks, { objectMode: false })
  pipeFreeing(source, destination)
  await once(destination, 'finish')
  assert.deepEqual(Buffer.concat(arrived), whole)
  assert.deepEqual(new Set(chunks.map(({ length }) => length)), new Set([0]))
})

test('a closed destination gets nothing more, and chunks that it did not take are not freed', async () => {
  const chunks = [ownChunk(), ownChunk(), ownChunk()]
  for (const chunk of chunks) markPassing(chunk)
  let taken = 0
  const destination = new Writable({
    write(_chunk, _encoding, done) {
      taken += 1
      if (taken === 2) this.destroy()
      else done()
    },
  })
  const source = Readable.from(chunks, { objectMode: false })
  pipeFreeing(source, destination)
  await once(destination, 'close')
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([taken, chunks.map(({ length }) => length), source.isPaused()], [2, [0, 1000, 1000], true])
  assert.deepEqual([source.listenerCount('data'), destination.listenerCount('drain')], [0, 0])
})

test('ends the destination unless the caller does', async () => {
  const destination = new Writable({ write: (_chunk, _encoding, done) => done() })
  const source = Readable.from([ownChunk()], { objectMode: false })
  pipeFreeing(source, destination, { end: false })
  await once(source, 'end')
  assert.equal(destination.writableEnded, false)
})
