import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ModelUsage } from '../traces/trace-record.ts'
import type { CommitRecord, Journal, JournalRow } from './journal.ts'
import { numberedCommit, numberedId, sha256 } from './numbered-commit.test-support.ts'

export interface ConformanceJournal {
  readonly journal: Journal
  /** As the log commits: returns the rows written, one per element of `projects`. */
  write(commit: CommitRecord): Promise<readonly JournalRow[]>
}

const [FIRST, SECOND] = [numberedId('proj', 1), numberedId('proj', 2)]
/** More than one call of `markPurged` forgets. */
const MANY_KEYS = 25_000

/** The guarantees of every journal for its readers. `open` gives an empty one. */
export function testJournal(open: (context: TestContext) => Promise<ConformanceJournal>): void {
  test('an empty journal says so', async (context) => {
    const { journal } = await open(context)
    assert.equal(await journal.headPosition(), 0)
    assert.equal(await journal.prunedThrough(), 0)
    assert.deepEqual(await journal.read(FIRST, 0, 10), [])
    assert.deepEqual(await journal.readAll(0, 10), [])
    assert.equal(await journal.prune(Number.MAX_SAFE_INTEGER), 0)
    assert.deepEqual(await journal.pendingPurges(9), [])
    assert.equal(await journal.pendingPurgeCount(9), 0)
  })

  test('a commit without events takes no position and leaves no row', async (context) => {
    const { journal, write } = await open(context)
    await write(numberedCommit(1))
    const rows = await write({ ...emptyCommit(2), projects: [{ projectId: FIRST, events: [] }] })
    assert.deepEqual(rows, [{ projectId: FIRST, lastPosition: 3, committedAt: 2000, events: [] }])
    assert.equal((await journal.read(FIRST, 0, 9)).length, 1)
    assert.equal(await journal.headPosition(), 3)
  })

  test('a removed event is marked until its mark is forgotten, and its key is free', async (context) => {
    const { journal, write } = await open(context)
    const commit = numberedCommit(1)
    const [key] = commit.metricEventKeys
    await write(commit)
    const { traceId, eventId: id, key: idempotencyKey } = key!
    const removed = { projectId: FIRST, traceId, id, metricId: numberedId('met', 1), at: 1, idempotencyKey }
    await write({ ...emptyCommit(2), removedEvents: [removed] })
    const again = { ...key!, eventId: numberedId('mev', 9) }
    // Two requests may remove the same event.
    await write({ ...emptyCommit(3), removedEvents: [removed], metricEventKeys: [again] })
    assert.deepEqual([...(await journal.removedEvents(FIRST))], [id])
    assert.deepEqual([...(await journal.removedEvents(SECOND))], [])
    assert.deepEqual(await journal.removalMarks(9), [{ projectId: FIRST, traceId, id, version: 2 }])
    assert.deepEqual(await journal.removalMarks(0), [])
    await journal.forgetRemovals([id, numberedId('mev', 7)])
    assert.equal((await journal.removedEvents(FIRST)).size, 0)
    assert.deepEqual(await journal.removalMarks(9), [])
  })

  test('texts in events of clusters and versions of a project are cleared', async (context) => {
    const { journal, write } = await open(context)
    const pattern = { kind: 'argument', name: 'city', value: 'Ulm', what: 'city is Ulm', filters: { a: 'Ulm' } }
    const cluster = { id: 'clu_1', label: 'Ulm', description: 'Ulm', keywords: ['Ulm'], size: 2 }
    const data = JSON.stringify({ cluster, pattern })
    const clusterId = numberedId('clu', 1)
    const events = [
      { type: 'cluster.pattern', clusterId, data } as const,
      { type: 'version.regressed', data: JSON.stringify({ version: 'Ulm', patterns: [pattern] }) } as const,
    ]
    const other = [{ type: 'cluster.created', clusterId, data } as const]
    await write({ ...emptyCommit(1), projects: [{ projectId: FIRST, events }] })
    const rest = numberedCommit(2)
    await write(rest)
    await write({ ...emptyCommit(3), projects: [{ projectId: SECOND, events: other }] })
    const before = await journal.read(FIRST, 2, 9)
    for (const _ of [1, 2]) assert.equal(await journal.forgetTexts(FIRST), 2)
    const [row] = await journal.read(FIRST, 0, 1)
    assert.deepEqual(
      row?.events.map((event) => 'data' in event && JSON.parse(event.data)),
      [
        {
          cluster: { id: 'clu_1', label: 'Unnamed', description: '', keywords: [], size: 2 },
          pattern: { kind: 'argument', name: '', value: null, what: '', filters: null },
        },
        { version: '', patterns: [] },
      ],
    )
    assert.deepEqual(await journal.read(FIRST, 2, 9), before)
    assert.deepEqual((await journal.read(SECOND, 0, 9)).at(-1)?.events, other)
  })

  test('positions are consecutive over all projects, from 1', async (context) => {
    const { journal, write } = await open(context)
    const rows = await writeNumbered(write, 3)
    assert.deepEqual(
      rows.map((row) => row.lastPosition),
      [2, 3, 5, 6, 8, 9],
    )
    assert.equal(await journal.headPosition(), 9)
    assert.deepEqual(
      [...(await journal.read(FIRST, 0, 10)), ...(await journal.read(SECOND, 0, 10))],
      [0, 2, 4, 1, 3, 5].map((index) => rows[index]),
    )
    assert.deepEqual(await journal.readAll(0, 10), rows)
  })

  test('a reader resumes behind its position, also in the middle of a row, and takes the rows of as many events as it asks for', async (context) => {
    const { journal, write } = await open(context)
    await writeNumbered(write, 3)
    const positions = async (after: number, limit: number) =>
      (await journal.read(FIRST, after, limit)).map((row) => row.lastPosition)
    assert.deepEqual(await positions(0, 2), [2])
    assert.deepEqual(await positions(0, 3), [2, 5])
    assert.deepEqual(await positions(1, 1), [2])
    assert.deepEqual(await positions(1, 2), [2, 5])
    assert.deepEqual(await positions(1, 9), [2, 5, 8])
    assert.deepEqual(await positions(2, 9), [5, 8])
    assert.deepEqual(await positions(8, 9), [])
    const allPositions = async (after: number, limit: number) =>
      (await journal.readAll(after, limit)).map((row) => row.lastPosition)
    assert.deepEqual(await allPositions(1, 1), [2])
    assert.deepEqual(await allPositions(1, 2), [2, 3])
    assert.deepEqual(await allPositions(1, 4), [2, 3, 5])
    assert.deepEqual(await allPositions(2, 9), [3, 5, 6, 8, 9])
    assert.deepEqual(await allPositions(9, 9), [])
  })

  test('rows from the future go when the next row that is not has expired, and not before', async (context) => {
    const { journal, write } = await open(context)
    const now = 10_000
    for (const [index, committedAt] of [1000, now + 1, now + 9000, 2000, now + 5, 5000].entries()) {
      const commit = numberedCommit(index + 1)
      await write({ ...commit, committedAt, projects: commit.projects.slice(0, 1) })
    }
    assert.equal(await journal.prune(1001, 100, Infinity, now), 1, 'the two behind it are of 2000')
    assert.equal(await journal.prune(2000, 1, Infinity, now), 0)
    assert.equal(await journal.prune(2001, 1, Infinity, now), 1, 'a batch of such rows alone')
    assert.equal(await journal.prune(2001, 100, Infinity, now), 2)
    assert.equal(await journal.prune(5000, 100, Infinity, now), 0)
    assert.equal(await journal.prune(5001, 100, 9, now), 0, 'nothing behind what is still needed')
    assert.equal(await journal.prune(5001, 100, Infinity, now), 2)
    assert.equal(await journal.headPosition(), await journal.prunedThrough())
  })

  test('pruning takes the oldest first, at most so many, and remembers how far', async (context) => {
    const { journal, write } = await open(context)
    await writeNumbered(write, 3)
    assert.equal(await journal.prune(1000), 0)
    assert.equal(await journal.prunedThrough(), 0)
    assert.equal(await journal.prune(3000, 3, 1), 0)
    assert.equal(await journal.prune(3000, 3, 4), 2)
    assert.equal(await journal.prunedThrough(), 3)
    assert.equal(await journal.prune(3000, 1), 1)
    assert.equal(await journal.prunedThrough(), 5)
    assert.equal(await journal.prune(3000, 3), 1)
    assert.equal(await journal.prunedThrough(), 6)
    assert.equal(await journal.prune(3000), 0)
    assert.deepEqual(
      (await journal.read(FIRST, 0, 9)).map((row) => row.lastPosition),
      [8],
    )
    assert.equal(await journal.headPosition(), 9)
  })

  test('positions go on after everything was pruned', async (context) => {
    const { journal, write } = await open(context)
    await write(numberedCommit(1))
    assert.equal(await journal.prune(Number.MAX_SAFE_INTEGER), 2)
    assert.equal(await journal.prunedThrough(), 3)
    assert.deepEqual(
      (await write(numberedCommit(2))).map((row) => row.lastPosition),
      [5, 6],
    )
  })

  test('a clock that stepped back makes no hole: what lies behind a kept row is kept', async (context) => {
    const { journal, write } = await open(context)
    await write({ ...numberedCommit(1), committedAt: 9000 })
    await write({ ...numberedCommit(2), committedAt: 10 })
    assert.equal(await journal.prune(5000), 0)
    assert.equal(await journal.prune(9001), 4)
  })

  test('superseded keys are found for the versions they were current in', async (context) => {
    const { journal, write } = await open(context)
    const of = (trace: number, fromVersion: number, untilVersion: number) => ({
      projectId: FIRST,
      traceId: numberedId('tr', trace),
      fromVersion,
      untilVersion,
      durationMs: 12.5,
      totalTokens: 3,
      stepCount: 4,
      usage: trace === 1 ? USAGE : null,
    })
    await write({ ...emptyCommit(5), superseded: [of(1, 2, 5), of(2, 4, 5)] })
    await write({ ...emptyCommit(6), superseded: [of(1, 5, 6), { ...of(1, 3, 6), projectId: SECOND }] })
    assert.deepEqual(await journal.supersededAt(FIRST, 1), [])
    assert.deepEqual(await journal.supersededAt(FIRST, 3), [of(1, 2, 5)])
    assert.deepEqual(await journal.supersededAt(FIRST, 4), [of(1, 2, 5), of(2, 4, 5)])
    assert.deepEqual(await journal.supersededAt(FIRST, 5), [of(1, 5, 6)])
    assert.deepEqual(await journal.supersededAt(FIRST, 6), [])
    assert.equal(await journal.pruneSuperseded(6000, 1), 1)
    assert.equal(await journal.pruneSuperseded(6000), 1)
    assert.deepEqual(await journal.supersededAt(FIRST, 4), [])
    assert.equal(await journal.pruneSuperseded(6001), 2)
    assert.equal(await journal.pruneSuperseded(Number.MAX_SAFE_INTEGER), 0)
  })

  test('deleted traces are found among others, and wait to be purged, oldest trace first', async (context) => {
    const { journal, write } = await open(context)
    await writeNumbered(write, 3)
    const deleted = [1, 2, 3].map((version) => ({ projectId: SECOND, traceId: numberedId('tr', version, 1) }))
    const ids = deleted.map(({ traceId }) => traceId)
    assert.deepEqual(await journal.deletedAmong([numberedId('tr', 1, 0), ...ids]), new Set(ids))
    assert.deepEqual(await journal.pendingPurges(9), deleted)
    assert.deepEqual(await journal.pendingPurges(1), deleted.slice(0, 1))
    assert.deepEqual(await journal.pendingPurges(9, ids[0]), deleted.slice(1))
    assert.deepEqual(await journal.pendingPurges(0), [])
    assert.equal(await journal.pendingPurgeCount(9), 3)
    assert.equal(await journal.pendingPurgeCount(2), 2)
    await journal.markPurged([ids[1]!, numberedId('tr', 1, 0)])
    assert.deepEqual(await journal.pendingPurges(9), [deleted[0], deleted[2]])
    assert.deepEqual(await journal.deletedAmong(ids), new Set(ids), 'also behind the purge')
  })

  test('deletions by retention say so, and can be left out', async (context) => {
    const { journal, write } = await open(context)
    const [kept, expired] = [1, 2].map((number) => ({ projectId: FIRST, traceId: numberedId('tr', 9, number) }))
    await write({ ...numberedCommit(1), deleted: [kept!, { ...expired!, isExpired: true }] })
    const pending = [kept, { ...expired, isExpired: true }]
    assert.deepEqual((await journal.pendingPurges(9)).slice(-2), pending)
    assert.deepEqual((await journal.pendingPurges(9, undefined, true)).at(-1), kept)
    assert.deepEqual(await journal.pendingPurges(9, kept!.traceId, true), [])
  })

  test('a deletion that can be undone says until when, and ends when it is', async (context) => {
    const { journal, write } = await open(context)
    await writeNumbered(write, 3)
    const name = { projectId: SECOND, traceId: numberedId('tr', 9, 1) }
    const gone = numberedId('tr', 1, 1)
    await write({ ...numberedCommit(4), deleted: [{ ...name, restorableUntil: 5000 }] })
    assert.deepEqual((await journal.pendingPurges(9)).at(-1), { ...name, restorableUntil: 5000 })
    assert.deepEqual([await journal.restorableUntil(name.traceId), await journal.restorableUntil(gone)], [5000, null])
    const both = [gone, name.traceId]
    assert.deepEqual([...(await journal.deletedAmong(both))], both)
    assert.deepEqual([...(await journal.deletedAmong(both, true))], [gone])
    await write({ ...numberedCommit(5), deleted: [{ ...name, restored: true }] })
    assert.deepEqual(await journal.deletedAmong([name.traceId, gone]), new Set([gone]))
    assert.equal(await journal.restorableUntil(name.traceId), null)
  })

  test('that a trace was deleted is forgotten with its last event, whichever of purge and retention comes last', async (context) => {
    const { journal, write } = await open(context)
    const [purgedFirst, prunedFirst] = [numberedId('tr', 1, 1), numberedId('tr', 2, 1)]
    await writeNumbered(write, 2)
    await write({ ...numberedCommit(3), deleted: [] })
    const marked = async () => [...(await journal.deletedAmong([purgedFirst, prunedFirst]))]
    await journal.markPurged([purgedFirst])
    assert.equal(await journal.prune(3000, 1), 1)
    assert.deepEqual(await marked(), [purgedFirst, prunedFirst], 'its own event is still there')
    assert.equal(await journal.prune(3000, 1), 1)
    assert.deepEqual(await marked(), [prunedFirst])
    assert.equal(await journal.prune(3000), 2)
    assert.deepEqual(await marked(), [prunedFirst], 'its rows are still to be purged')
    await journal.markPurged([prunedFirst])
    assert.deepEqual(await marked(), [])
  })

  test('traces wait by their latest change until a commit ends that', async (context) => {
    const { journal, write } = await open(context)
    const name = (of: number) => ({ projectId: of === 2 ? SECOND : FIRST, traceId: numberedId('tr', of) })
    const wait = (of: number, waits = true) => ({ ...name(of), waits })
    const commit = (version: number, ...quietWaits: CommitRecord['quietWaits']) =>
      write({ ...emptyCommit(version), quietWaits })
    await commit(1, wait(1), wait(2))
    await commit(2, wait(3))
    await commit(3, wait(4), wait(1))
    assert.deepEqual(await journal.quietSince(0, 9), [])
    assert.deepEqual(await journal.quietSince(1, 9), [name(2)])
    assert.deepEqual(await journal.quietSince(3, 9), [2, 3, 1, 4].map(name), 'by commit, then by trace')
    assert.deepEqual(await journal.quietSince(9, 2), [name(2), name(3)])
    await commit(4, wait(3, false), wait(9, false))
    assert.deepEqual(await journal.quietSince(4, 9), [2, 1, 4].map(name))
  })

  test('a trace with very many step keys is purged by several calls', async (context) => {
    const { journal, write } = await open(context)
    const traceId = numberedId('tr', 1)
    const stepKeys = Array.from({ length: MANY_KEYS }, (_, index) => {
      return { traceId, key: `k${index}`, stepId: numberedId('st', index), contentHash: sha256('x') }
    })
    await write({ ...emptyCommit(1), stepKeys, deleted: [{ projectId: FIRST, traceId }] })
    await journal.markPurged([traceId])
    assert.equal(await journal.pendingPurgeCount(9), 1)
    await journal.markPurged([traceId])
    assert.deepEqual(await journal.pendingPurges(9), [])
  })
}

async function writeNumbered(write: ConformanceJournal['write'], commits: number): Promise<readonly JournalRow[]> {
  const rows: JournalRow[] = []
  for (let version = 1; version <= commits; version++) rows.push(...(await write(numberedCommit(version))))
  return rows
}

function emptyCommit(version: number): CommitRecord {
  const none = { projects: [], traceKeys: [], stepKeys: [], metricEventKeys: [], superseded: [], deleted: [] }
  return { ...numberedCommit(version), ...none }
}

const TOKENS = { input: 5, output: 4, cacheRead: 3, cacheWrite: 2 }
const USAGE: readonly ModelUsage[] = [
  { model: 'gpt-4o', tokens: TOKENS },
  { model: 'it\'s "ü', tokens: { ...TOKENS, input: Number.MAX_SAFE_INTEGER } },
]
