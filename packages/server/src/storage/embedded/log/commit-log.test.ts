import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  appendNumbered,
  bytesIn,
  numberedRows,
  opened,
  readAll,
  rowBytes,
  segmentName,
  temporaryFolder,
} from './commit-log.test-support.ts'

const UNTIL_KILLED = join(import.meta.dirname, 'commit-log-until-killed.test-support.ts')

test('no directory, an empty one, and one with other files only: nothing to read', async (context) => {
  const directory = join(temporaryFolder(context), 'log')
  assert.deepEqual(await readAll(directory, 7), [])
  mkdirSync(directory)
  assert.deepEqual(await readAll(directory, 7), [])
  writeFileSync(join(directory, 'notes.txt'), 'kept')
  mkdirSync(join(directory, segmentName(3)))
  assert.deepEqual(await readAll(directory, 7), [])
})

test('directory and files are for the service alone; what is no segment stays', async (context) => {
  const directory = join(temporaryFolder(context), 'log')
  await appendNumbered(await opened(context, directory, 1), 1, 2)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  assert.equal(statSync(join(directory, segmentName(1))).mode & 0o777, 0o600)
  writeFileSync(join(directory, 'notes.txt'), 'kept')
  await opened(context, directory, 3)
  assert.deepEqual(readdirSync(directory), [segmentName(3), 'notes.txt'])
})

test('the layout of a record', async (context) => {
  const directory = temporaryFolder(context)
  const version = 2 ** 32 + 5
  const log = await opened(context, directory, version)
  await log.append(
    version,
    rowBytes(
      Buffer.from('{"a":1}\n'),
      Buffer.from('{"b":2}\n{"b":3}\n'),
      Buffer.from('{"c":4}\n'),
      Buffer.from('{"d":5}'),
    ),
  )
  assert.equal(
    readFileSync(join(directory, segmentName(version))).toString('latin1'),
    'SPC3:\xff\x87\x06\x05\0\0\0\x01\0\0\0\x08\0\0\0\x10\0\0\0\x08\0\0\0\x07\0\0\0{"a":1}\n{"b":2}\n{"b":3}\n{"c":4}\n{"d":5}',
  )
  assert.equal((await readAll(directory, version)).length, 1)
})

test('what was taken back is gone, and the version comes again', async (context) => {
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  await appendNumbered(log, 1, 2)
  const kept = log.sizeBytes
  await log.append(3, rowBytes(Buffer.alloc(5000, 'x')))
  log.takeBack(2)
  assert.equal((await readAll(directory, 3)).length, 3, 'of another version nothing is taken back')
  log.takeBack(3)
  log.takeBack(3)
  log.takeBack(2)
  await log.repair()
  assert.equal(bytesIn(directory), kept)
  await appendNumbered(log, 3, 4)
  assert.deepEqual(await readAll(directory, 4), [1, 2, 3, 4].map(numberedRows))
})

test('a version out of order is refused and does no harm', async (context) => {
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 4)
  await appendNumbered(log, 4, 4)
  for (const version of [3, 4, 6]) {
    await assert.rejects(log.append(version, rowBytes(Buffer.alloc(1), Buffer.alloc(1))), /where 5 follows/)
  }
  await appendNumbered(log, 5, 5)
  assert.deepEqual(await readAll(directory, 5), [4, 5].map(numberedRows))
})

test('release removes the segments with nothing newer, and no other', async (context) => {
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1, { segmentBytes: 100 })
  const row = Buffer.alloc(60, 'x')
  for (let version = 1; version <= 7; version++) await log.append(version, rowBytes(row))
  const files = (): number[] => readdirSync(directory).map((name) => Number.parseInt(name, 10))
  // Two records of 92 bytes are more than 100.
  assert.deepEqual(files(), [1, 3, 5, 7])
  await log.release(1)
  assert.deepEqual(files(), [1, 3, 5, 7])
  await log.release(2)
  assert.deepEqual(files(), [3, 5, 7])
  await log.release(5)
  assert.deepEqual(files(), [5, 7])
  await log.release(7)
  assert.deepEqual(files(), [7], 'the active one is small and stays')
  assert.equal(log.sizeBytes, 92)
  await log.append(8, rowBytes(row, row))
  await log.release(7)
  assert.deepEqual(files(), [7], 'it holds something newer')
  await log.release(8)
  assert.deepEqual(files(), [9], 'large and settled: it went')
  assert.equal(log.sizeBytes, 0)
  await log.append(9, rowBytes(row, row))
  assert.deepEqual(
    (await readAll(directory, 9)).map(({ version }) => version),
    [9],
  )
})

test('release that leaves the active segment, whatever its size', async (context) => {
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  await log.release(0, true)
  assert.deepEqual(readdirSync(directory), [segmentName(1)], 'an empty one is not left')
  await appendNumbered(log, 1, 2)
  await log.release(1, true)
  assert.deepEqual(readdirSync(directory), [segmentName(1)], 'it holds something newer: the next append leaves it')
  await appendNumbered(log, 3, 3)
  assert.deepEqual(readdirSync(directory), [segmentName(1), segmentName(3)])
  assert.equal(log.oldestVersion, 1)
  await log.release(3, true)
  assert.deepEqual(readdirSync(directory), [segmentName(4)])
  assert.equal(log.oldestVersion, 4)
  await appendNumbered(log, 4, 5)
  assert.deepEqual(await readAll(directory, 5), [4, 5].map(numberedRows))
})

test('releases while appends are under way', async (context) => {
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1, { segmentBytes: 300 })
  const releases: Promise<void>[] = []
  for (let version = 1; version <= 60; version++) {
    const appended = log.append(version, numberedRows(version))
    releases.push(log.release(version - 10), log.release(version - 8))
    await appended
  }
  await Promise.all(releases)
  const read = await readAll(directory, 60)
  assert.ok((read[0]?.version ?? 61) <= 53)
  assert.deepEqual(
    read,
    read.map(({ version }) => numberedRows(version)),
  )
  assert.equal(read.at(-1)?.version, 60)
  assert.equal(log.sizeBytes, bytesIn(directory))
})

test('open replaces what is there, also newer segments and one of the same name', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 1, { segmentBytes: 0 }), 1, 6)
  const log = await opened(context, directory, 4)
  assert.deepEqual(readdirSync(directory), [segmentName(4)])
  assert.equal(log.sizeBytes, 0)
  assert.deepEqual(await readAll(directory, 3), [])
  await log.append(4, rowBytes(Buffer.from('another')))
  assert.deepEqual(
    (await readAll(directory, 4)).map(({ traces }) => traces.toString()),
    ['another'],
  )
})

test('12 times killed while appending: everything it reported is there', async (context) => {
  const directory = join(temporaryFolder(context), 'log')
  const kept = 15
  let first = 1
  for (let round = 0; round < 12; round++) {
    const reported = await appendAndKill([directory, String(first), String(kept)], 1 + round * 7)
    assert.equal(reported[0], first)
    const last = reported.at(-1) ?? 0
    const read = await readAll(directory, last)
    // The version behind the last reported one may be written, and have released what it may, without being reported.
    assert.ok((read[0]?.version ?? Infinity) <= Math.max(first, last + 2 - kept))
    assert.equal(read.at(-1)?.version, last)
    read.forEach((commit, index) => assert.deepEqual(commit, numberedRows((read[0]?.version ?? 0) + index)))
    first = last + 1
  }
})

/** Lets the program append until it has reported `count` versions, kills it, and returns what it reported by then. */
async function appendAndKill(given: string[], count: number): Promise<number[]> {
  const child = spawn(process.execPath, [UNTIL_KILLED, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    if (output.split('\n').length > count) child.kill('SIGKILL')
  }
  const [, signal] = (await closed) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
  return output.split('\n').slice(0, -1).map(Number)
}
