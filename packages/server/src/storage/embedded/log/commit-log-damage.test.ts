import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  appendNumbered,
  numberedRows,
  opened,
  readAll,
  readWithGaps,
  recordEnds,
  rowBytes,
  segmentName,
  temporaryFolder,
} from './commit-log.test-support.ts'

test('every byte cut off and every byte changed: each commit is given as it was written, or named as missing', async (context) => {
  const source = temporaryFolder(context)
  const log = await opened(context, source, 1, { segmentBytes: 60 })
  const of = (traces: string, steps: string, events: string, journal: string) =>
    rowBytes(Buffer.from(traces), Buffer.from(steps), Buffer.from(events), Buffer.from(journal))
  const written = [
    { version: 1, ...of('{"a":1}\n', '{"b":22}\n', '', '{"d":1}') },
    { version: 2, ...of('', '{"b":333}\n', '{"c":1}\n', '') },
    { version: 3, ...of('{"a":4444}\n', '', '{"c":22}\n', '{"d":2}') },
    { version: 4, ...of('', '', '', '') },
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
      const lost = firstVersion + ends.findIndex((end) => end > at)
      const flipped = Buffer.from(intact)
      flipped[at] = (intact[at] ?? 0) ^ (1 << (at % 8))
      for (const damaged of [intact.subarray(0, at), flipped]) {
        writeFileSync(join(directory, segmentName(firstVersion)), damaged)
        for (let through = 0; through <= 4; through++) {
          const { read, missing } = await readWithGaps(directory, through, 0)
          for (const commit of read) assert.deepEqual(commit, written[commit.version - 1])
          const named = missing.flatMap((gap) => range(gap.from, gap.through))
          assert.deepEqual([...read.map(({ version }) => version), ...named].toSorted(), range(1, through))
          assert.equal(named.includes(lost), through >= lost, `byte ${at}, through ${through}`)
          const others = range(1, through).filter((version) => version < lost || segmentOf(version) !== segmentOf(lost))
          for (const version of others) assert.ok(!named.includes(version), `byte ${at}: ${version} is undamaged`)
        }
      }
    }
    writeFileSync(join(directory, segmentName(firstVersion)), intact)
  }
  assert.deepEqual(await readAll(directory, 4), written)
})

function segmentOf(version: number): number {
  return version < 3 ? 1 : 3
}

function range(from: number, through: number): number[] {
  return Array.from({ length: Math.max(0, through - from + 1) }, (_, index) => from + index)
}

test('a gap names the file and the byte, and what follows a record with a wrong checksum is read', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 5), 5, 9)
  const path = join(directory, segmentName(5))
  const [end = 0] = recordEnds([numberedRows(5)])
  const bytes = readFileSync(path)
  bytes[end + 60] = (bytes[end + 60] ?? 0) ^ 1
  writeFileSync(path, bytes)
  const { read, missing } = await readWithGaps(directory, 9)
  assert.deepEqual(missing, [{ from: 6, through: 6, path, position: end }])
  assert.deepEqual(read, [5, 7, 8, 9].map(numberedRows))
  writeFileSync(path, bytes.subarray(0, end + 10))
  assert.deepEqual((await readWithGaps(directory, 9)).missing, [{ from: 6, through: 9, path, position: end }])
})

test('a segment missing in the middle is a gap; so are versions before the oldest one that are asked for', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 11, { segmentBytes: 0 }), 11, 14)
  rmSync(join(directory, segmentName(13)))
  const gap = (from: number, through: number) => ({ from, through, path: directory, position: null })
  assert.deepEqual(await readAll(directory, 12), [11, 12].map(numberedRows))
  const { read, missing } = await readWithGaps(directory, 14)
  assert.deepEqual(read, [11, 12, 14].map(numberedRows))
  assert.deepEqual(
    missing.map(({ from, through }) => [from, through]),
    [[13, 13]],
  )
  rmSync(join(directory, segmentName(11)))
  rmSync(join(directory, segmentName(12)))
  assert.deepEqual(await readWithGaps(directory, 14, 11), { read: [numberedRows(14)], missing: [gap(12, 13)] })
  assert.deepEqual(await readWithGaps(directory, 14, 13), { read: [numberedRows(14)], missing: [] })
})

test('an intact record in the wrong place is damage', async (context) => {
  const directory = temporaryFolder(context)
  await appendNumbered(await opened(context, directory, 1), 1, 2)
  const path = join(directory, segmentName(1))
  const [end = 0] = recordEnds([numberedRows(1)])
  const [first, second] = [readFileSync(path).subarray(0, end), readFileSync(path).subarray(end)]
  writeFileSync(path, Buffer.concat([first, first, second]))
  assert.deepEqual(await readAll(directory, 1), [numberedRows(1)])
  const { read, missing } = await readWithGaps(directory, 2)
  assert.deepEqual([read, missing], [[numberedRows(1)], [{ from: 2, through: 2, path, position: end }]])
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
  const { read, missing } = await readWithGaps(earlier, 4)
  assert.equal(read.length, 3)
  assert.deepEqual(
    missing.map(({ from, through }) => [from, through]),
    [[4, 4]],
  )
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
