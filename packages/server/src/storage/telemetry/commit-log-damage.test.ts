import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  appendNumbered,
  numberedRows,
  opened,
  readAll,
  readUntilError,
  recordEnds,
  rowBytes,
  segmentName,
  temporaryFolder,
} from './commit-log.test-support.ts'

test('every byte cut off and every byte changed: the intact beginning, or an OperatorError', async (context) => {
  const source = temporaryFolder(context)
  const log = await opened(context, source, 1, { segmentBytes: 60 })
  const written = [
    { version: 1, traces: Buffer.from('{"a":1}\n'), steps: Buffer.from('{"b":22}\n'), metricEvents: Buffer.alloc(0) },
    { version: 2, traces: Buffer.alloc(0), steps: Buffer.from('{"b":333}\n'), metricEvents: Buffer.from('{"c":1}\n') },
    {
      version: 3,
      traces: Buffer.from('{"a":4444}\n'),
      steps: Buffer.alloc(0),
      metricEvents: Buffer.from('{"c":22}\n'),
    },
    { version: 4, traces: Buffer.alloc(0), steps: Buffer.alloc(0), metricEvents: Buffer.alloc(0) },
  ]
  for (const commit of written) await log.append(commit.version, commit)
  assert.deepEqual(readdirSync(source), [segmentName(1), segmentName(3)])
  const directory = temporaryFolder(context)
  for (const [firstVersion, first] of [
    [1, 0],
    [3, 2],
  ] as const) {
    const intact = readFileSync(join(source, segmentName(firstVersion)))
    for (const other of [1, 3]) {
      writeFileSync(join(directory, segmentName(other)), readFileSync(join(source, segmentName(other))))
    }
    const ends = recordEnds(written.slice(first, first + 2))
    assert.equal(ends.at(-1), intact.length)
    for (let at = 0; at < intact.length; at++) {
      const firstLost = firstVersion + ends.findIndex((end) => end > at)
      const flipped = Buffer.from(intact)
      flipped[at] = (intact[at] ?? 0) ^ (1 << (at % 8))
      for (const damaged of [intact.subarray(0, at), flipped]) {
        writeFileSync(join(directory, segmentName(firstVersion)), damaged)
        for (let through = 0; through <= 4; through++) {
          const { read, error } = await readUntilError(directory, through)
          assert.deepEqual(read, written.slice(0, Math.min(through, firstLost - 1)))
          assert.equal(error !== null, through >= firstLost, `byte ${at}, through ${through}`)
        }
      }
    }
    writeFileSync(join(directory, segmentName(firstVersion)), intact)
  }
  assert.deepEqual(await readAll(directory, 4), written)
})

test('the message names the file, the version, what would be missing and what to do', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 5), 5, 9)
  const path = join(directory, segmentName(5))
  const [end = 0] = recordEnds([numberedRows(5)])
  writeFileSync(path, readFileSync(path).subarray(0, end + 30))
  const { error } = await readUntilError(directory, 9)
  assert.equal(
    error?.message,
    `The commit log is damaged: ${path} does not hold version 6 at byte ${end}, where it was written. Without it acknowledged data of commits from 6 to 9 would be missing. Restore the file from a backup, or move the folder ${directory} away to go on without the commits that are only there.`,
  )
})

test('a segment missing in the middle is an OperatorError; versions before the oldest one are not asked for', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 11, { segmentBytes: 0 }), 11, 14)
  rmSync(join(directory, segmentName(13)))
  assert.deepEqual(await readAll(directory, 12), [11, 12].map(numberedRows))
  const { read, error } = await readUntilError(directory, 14)
  assert.deepEqual(read, [11, 12].map(numberedRows))
  assert.match(error?.message ?? '', /does not hold version 13/)
  rmSync(join(directory, segmentName(11)))
  rmSync(join(directory, segmentName(12)))
  assert.deepEqual(await readAll(directory, 14), [numberedRows(14)])
  assert.deepEqual(await readAll(directory, 13), [])
})

test('an intact record in the wrong place is damage', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 1), 1, 2)
  const path = join(directory, segmentName(1))
  const [end = 0] = recordEnds([numberedRows(1)])
  const [first, second] = [readFileSync(path).subarray(0, end), readFileSync(path).subarray(end)]
  writeFileSync(path, Buffer.concat([first, first, second]))
  assert.deepEqual(await readAll(directory, 1), [numberedRows(1)])
  assert.match((await readUntilError(directory, 2)).error?.message ?? '', /version 2/)
})

test('of a version in two segments the later one counts, also when it is damaged', async (context) => {
  const [earlier, later] = [temporaryFolder(context), temporaryFolder(context)]
  await appendNumbered(await opened(context, earlier, 1), 1, 4)
  const log = await opened(context, later, 3)
  for (const version of [3, 4]) await log.append(version, rowBytes(Buffer.from('written again')))
  const again = readFileSync(join(later, segmentName(3)))
  writeFileSync(join(earlier, segmentName(3)), again)
  assert.deepEqual(
    (await readAll(earlier, 4)).map(({ traces }) => traces.toString()),
    [...[1, 2].map((version) => numberedRows(version).traces.toString()), 'written again', 'written again'],
  )
  writeFileSync(join(earlier, segmentName(3)), again.subarray(0, again.length - 1))
  const { read, error } = await readUntilError(earlier, 4)
  assert.equal(read.length, 3)
  assert.match(error?.message ?? '', /version 4/)
})

test('a crash while open removes the old segments: nothing is lost', async (context) => {
  const [whole, directory] = [temporaryFolder(context), temporaryFolder(context)]
  await appendNumbered(await opened(context, whole, 1, { segmentBytes: 0 }), 1, 3)
  for (let removed = 0; removed <= 3; removed++) {
    rmSync(directory, { recursive: true })
    mkdirSync(directory)
    for (const version of [1, 2, 3].slice(removed)) {
      writeFileSync(join(directory, segmentName(version)), readFileSync(join(whole, segmentName(version))))
    }
    writeFileSync(join(directory, segmentName(4)), '')
    assert.deepEqual(await readAll(directory, 3), [1, 2, 3].slice(removed).map(numberedRows))
  }
})
