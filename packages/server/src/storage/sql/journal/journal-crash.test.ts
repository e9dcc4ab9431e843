import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { systemClock } from '../../../lib/time/clock.ts'
import { numberedCommit, numberedId, STEPS_PER_COMMIT } from '../../../ports/journal/numbered-commit.test-support.ts'
import { openControlStore } from '../open-control-store.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const PROGRAM = join(import.meta.dirname, 'append-until-killed.test-support.ts')
const ROUNDS = 5

test(`${ROUNDS} times killed while appending: every reported commit is stored, and each is whole`, async (context) => {
  const dataDir = temporaryFolder(context)
  let before = 0
  let reportedInAll = 0
  for (let round = 0; round < ROUNDS; round++) {
    const reported = await appendAndKill(dataDir, 1 + round * 3)
    const { last } = await checkStore(dataDir)
    assert.equal(reported[0], before + 1, 'it went on where the last one stood')
    const newest = reported.at(-1) ?? 0
    // The commit in progress may be stored too: durable, but not yet reported.
    assert.ok(last === newest || last === newest + 1, `reported ${newest}, found ${last}`)
    before = last
    reportedInAll += reported.length
  }
  assert.ok(reportedInAll > ROUNDS)
  const database = new DatabaseSync(join(dataDir, 'control.db'))
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
  database.close()
})

test('a disk that fails in the middle of a commit is reported, stores no part of it, and the commit succeeds later', async (context) => {
  const dataDir = temporaryFolder(context)
  // No file of the child may exceed 2 MiB, so that a write to its log fails.
  const limited = spawn('bash', ['-c', 'ulimit -f 2048; exec "$0" "$@"', process.execPath, PROGRAM, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  limited.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [exitCode] = (await once(limited, 'close')) as [number]
  assert.equal(exitCode, 0)
  const refused = /refused (\d+) (storage_unavailable|disk_full) (\d+)\n$/.exec(output)
  assert.ok(refused, output.slice(-200))
  const version = Number(refused[1])
  assert.ok(version > 2)
  assert.equal(Number(refused[3]), version - 1)
  assert.equal((await checkStore(dataDir)).last, version - 1)
  temporaryStore(context, { dataDir }).journal.append(numberedCommit(version))
  assert.equal((await checkStore(dataDir)).last, version)
})

/** Starts a process that appends, kills it after `count` reported commits, and returns what it reported. */
async function appendAndKill(dataDir: string, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
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

/** Every commit up to the last is whole. */
async function checkStore(dataDir: string): Promise<{ last: number }> {
  const { journal, close } = openControlStore({ dataDir, clock: systemClock, create: false })
  const last = journal.last().version
  const rows = await Promise.all([1, 2].map((project) => journal.read(numberedId('proj', project), 0, 3 * (last + 1))))
  assert.deepEqual(
    rows.map((found) => found.length),
    [last, last],
  )
  assert.equal(await journal.headPosition(), last * 3)
  assert.equal((await journal.pendingPurges(last + 1)).length, last)
  for (let version = 1; version <= last; version++) {
    const commit = numberedCommit(version)
    commit.projects.forEach(({ events }, index) => {
      const row = rows[index]?.[version - 1]
      assert.deepEqual(row?.events, events)
      assert.equal(row.lastPosition, version * 3 - 1 + index)
    })
    const keys = commit.stepKeys.map(({ traceId, key }) => journal.findStepKey(traceId, key))
    assert.equal(keys.length, STEPS_PER_COMMIT)
    assert.deepEqual(keys, commit.stepKeys)
    const eventKeys = commit.metricEventKeys.map(({ traceId, key }) => journal.findMetricEventKey(traceId, key))
    assert.deepEqual(eventKeys, commit.metricEventKeys)
    assert.deepEqual(await journal.supersededAt(numberedId('proj', 1), version - 1), commit.superseded)
    for (const key of commit.traceKeys) assert.deepEqual(journal.findTraceKey(key.projectId, key.key), key)
  }
  close()
  return { last }
}
