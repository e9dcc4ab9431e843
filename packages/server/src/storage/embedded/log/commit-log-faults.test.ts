import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { FileFaults, type FaultyCall } from './commit-log-faults.test-support.ts'
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
import { CommitLog, type LoggedCommit } from './commit-log.ts'

test('whatever was appended and not released is read back, whatever failed in between', async (context) => {
  const faults = await FileFaults.install(context)
  const parent = temporaryFolder(context)
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 4000 }),
      fc.array(anyAction(), { maxLength: 40 }),
      async (segmentBytes, actions) => {
        const directory = mkdtempSync(join(parent, 'log-'))
        const committed: LoggedCommit[] = []
        let settled = 0
        let log = await CommitLog.open(directory, 1, { segmentBytes })
        for (const action of actions) {
          const next = committed.length + 1
          if (action.kind === 'append') {
            faults.failNext(...action.faults)
            const rows = rowBytes(action.traces, action.steps, action.metricEvents)
            const appended = await log.append(next, rows).then(
              () => true,
              (error: NodeJS.ErrnoException) => {
                assert.match(error.code ?? error.message, /^(ENOSPC|EIO)$/)
                return false
              },
            )
            faults.clear()
            if (appended && action.takenBack) log.takeBack(next)
            else if (appended) committed.push({ version: next, ...rows })
          }
          if (action.kind === 'repair') {
            faults.failNext(...action.faults)
            await log.repair().catch((error: NodeJS.ErrnoException) => assert.equal(error.code, 'EIO'))
            faults.clear()
          }
          if (action.kind === 'release') {
            settled = Math.max(settled, committed.length - action.kept)
            faults.failNext(...action.faults)
            await log
              .release(settled, action.leaveActive)
              .catch((error: NodeJS.ErrnoException) => assert.equal(error.code, 'EIO'))
            faults.clear()
          }
          if (action.kind === 'crash') {
            await checkAgainst(directory, committed, settled)
            await log.close()
            settled = committed.length
            log = await CommitLog.open(directory, next, { segmentBytes })
          }
        }
        await checkAgainst(directory, committed, settled)
        await log.repair()
        // A removal that could not be made durable still counts as there, and is made up for by the next release.
        await log.release(settled)
        assert.equal(log.sizeBytes, bytesIn(directory))
        await checkAgainst(directory, committed, settled)
        await log.close()
        rmSync(directory, { recursive: true })
      },
    ),
    { numRuns: 100 },
  )
})

test('a write by half is cut away; the error is the one of the system', async (context) => {
  const faults = await FileFaults.install(context)
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  await appendNumbered(log, 1, 1)
  const kept = bytesIn(directory)
  faults.failNext('writev')
  await assert.rejects(log.append(2, rowBytes(Buffer.alloc(100), Buffer.alloc(100))), {
    code: 'ENOSPC',
    syscall: 'writev',
  })
  assert.ok(bytesIn(directory) > kept)
  faults.failNext('truncate')
  await assert.rejects(log.repair(), { code: 'EIO', syscall: 'truncate' })
  await log.repair()
  assert.equal(bytesIn(directory), kept)
  await appendNumbered(log, 2, 2)
  assert.deepEqual(readdirSync(directory), [segmentName(1)])
  assert.deepEqual(await readAll(directory, 2), [1, 2].map(numberedRows))
})

test('after a flush that failed a new segment is written, and the old one stays until it is released', async (context) => {
  const faults = await FileFaults.install(context)
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  await appendNumbered(log, 1, 2)
  const kept = bytesIn(directory)
  faults.failNext('datasync')
  await assert.rejects(log.append(3, rowBytes(Buffer.alloc(100), Buffer.alloc(100))), { code: 'EIO' })
  faults.failNext('sync')
  await assert.rejects(log.repair(), { code: 'EIO' })
  await log.repair()
  assert.equal(bytesIn(directory), kept)
  assert.deepEqual(readdirSync(directory), [segmentName(1), segmentName(3)])
  await appendNumbered(log, 3, 3)
  assert.deepEqual(await readAll(directory, 3), [1, 2, 3].map(numberedRows))
  await log.release(2)
  assert.deepEqual(readdirSync(directory), [segmentName(3)])
})

test('a new segment that could not be made durable: nothing more goes into the old one', async (context) => {
  const faults = await FileFaults.install(context)
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  await appendNumbered(log, 1, 2)
  faults.failNext('sync')
  await assert.rejects(log.release(2, true), { code: 'EIO' })
  assert.deepEqual(readdirSync(directory), [segmentName(1), segmentName(3)])
  await appendNumbered(log, 3, 3)
  assert.deepEqual(await readAll(directory, 3), [1, 2, 3].map(numberedRows))
})

test('a flush that failed in a segment without records: a new file of the same name', async (context) => {
  const faults = await FileFaults.install(context)
  const directory = temporaryFolder(context)
  const log = await opened(context, directory, 1)
  const before = statSync(join(directory, segmentName(1))).ino
  faults.failNext('datasync')
  await assert.rejects(log.append(1, rowBytes(Buffer.alloc(100), Buffer.alloc(100))), { code: 'EIO' })
  // The old file is still open when the new one is made, so that the new one cannot get its number.
  await appendNumbered(log, 1, 2)
  assert.notEqual(statSync(join(directory, segmentName(1))).ino, before)
  assert.deepEqual(readdirSync(directory), [segmentName(1)])
  assert.deepEqual(await readAll(directory, 2), [1, 2].map(numberedRows))
  await log.release(2)
  assert.equal(log.sizeBytes, bytesIn(directory))
})

test('a real disk that is full: ENOSPC comes out, what was appended before is there, and it goes on once there is space', async (context) => {
  const directory = mountSmallDisk(context)
  if (directory === null) return
  const log = await opened(context, join(directory, 'log'), 1)
  await appendNumbered(log, 1, 5)
  const tooLarge = Buffer.alloc(3 * 1024 * 1024, 'x')
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(log.append(6, rowBytes(tooLarge, tooLarge)), { code: 'ENOSPC' })
  }
  await log.repair()
  await appendNumbered(log, 6, 8)
  assert.deepEqual(await readAll(join(directory, 'log'), 8), [1, 2, 3, 4, 5, 6, 7, 8].map(numberedRows))
  await log.close()
})

type Action =
  | {
      kind: 'append'
      traces: Buffer
      steps: Buffer
      metricEvents: Buffer
      takenBack: boolean
      faults: FaultyCall[]
    }
  | { kind: 'repair'; faults: FaultyCall[] }
  | { kind: 'release'; kept: number; leaveActive: boolean; faults: FaultyCall[] }
  | { kind: 'crash' }

function anyAction(): fc.Arbitrary<Action> {
  const payload = fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.integer({ min: 0, max: 3000 }).map((length) => Buffer.alloc(length, length)),
  )
  const faults = fc.oneof(
    { weight: 1, arbitrary: fc.constant<FaultyCall[]>([]) },
    fc.array(fc.constantFrom<FaultyCall[]>('writev', 'datasync', 'truncate', 'sync'), {
      maxLength: 3,
    }),
  )
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        traces: payload,
        steps: payload,
        metricEvents: payload,
        takenBack: fc.nat({ max: 5 }).map((number) => number === 0),
        faults,
      }),
    },
    fc.record({
      kind: fc.constant('repair' as const),
      faults: fc.array(fc.constantFrom<FaultyCall[]>('truncate', 'sync'), { maxLength: 2 }),
    }),
    fc.record({ kind: fc.constant('release' as const), kept: fc.nat({ max: 2 }), leaveActive: fc.boolean(), faults }),
    fc.record({ kind: fc.constant('crash' as const) }),
  )
}

/** What is not settled must be there, exactly; of what is settled, the newest may be. */
async function checkAgainst(directory: string, committed: readonly LoggedCommit[], settled: number): Promise<void> {
  const read = await readAll(directory, committed.length)
  const first = read[0]?.version ?? committed.length + 1
  assert.ok(first <= settled + 1, `begins at ${first}, settled is ${settled}`)
  assert.deepEqual(read, committed.slice(first - 1))
}

/** A file system of two megabytes; null, and the test skipped, where mounting is not permitted. */
function mountSmallDisk(context: TestContext): string | null {
  const path = mkdtempSync(join(tmpdir(), 'spoor-log-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'spoor-test', path], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    context.skip(`mounting a small tmpfs is not permitted here: ${mounted.error?.message ?? mounted.stderr.trim()}`)
    rmdirSync(path)
    return null
  }
  context.after(() => {
    spawnSync('umount', ['-l', path])
    rmdirSync(path)
  })
  return path
}
