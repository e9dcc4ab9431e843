import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { JournalFeed } from '../../journal/journal-feed.ts'
import { MemoryJournal } from '../../ports/journal/memory-journal.test-support.ts'
import { idAtTime } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { TailHub, type TailSink } from './tail-hub.ts'

const PROJECT = 'proj_own' as unknown as ProjectId
const OTHER = 'proj_other' as unknown as ProjectId

/** Created `number` milliseconds after the start of 1970. */
function trace(number: number): TraceId {
  return idAtTime('tr', number)
}

class MemorySink implements TailSink {
  text = ''
  writes: Buffer[] = []
  ended = false
  destroyed = false
  /** A reader that is reading takes everything at once. */
  reading = true
  #taken: (() => void)[] = []

  write(bytes: Buffer, taken: () => void): void {
    this.writes.push(bytes)
    this.#taken.push(taken)
    if (this.reading) this.take()
  }

  take(): void {
    this.text += this.writes.slice(-this.#taken.length).join('')
    for (const taken of this.#taken.splice(0)) taken()
  }

  get waiting(): number {
    return this.#taken.length
  }

  end(): void {
    this.ended = true
  }

  destroy(): void {
    this.destroyed = true
  }

  positions(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\nevent: trace\.committed$/gm)].map((match) => Number(match[1]))
  }
}

function createTails() {
  const journal = new MemoryJournal()
  const feed = new JournalFeed(journal)
  const timers = new ManualTimers()
  let open = 0
  const errors: unknown[] = []
  const hub = new TailHub({
    feed,
    timers,
    opened: () => open++,
    closed: () => open--,
    onError: (error) => errors.push(error),
  })
  let traces = 0
  const commit = (count = 1, projectId = PROJECT) => {
    const events = Array.from({ length: count }, () => ({ type: 'trace.committed', traceId: trace(traces++) }) as const)
    feed.publish([journal.append(projectId, events, 1000)])
  }
  return { journal, feed, timers, hub, commit, errors, openTails: () => open }
}

/** Completes pending work, advances time, and completes the work that this starts. */
async function advance(timers: ManualTimers, ms: number): Promise<void> {
  for (const part of [0, ms]) {
    timers.advance(part)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a reader first gets its reconnection time and position, then each commit of its project', async () => {
  const { hub, commit, timers } = createTails()
  const sink = new MemorySink()
  hub.open(PROJECT, 0, sink)
  commit(1)
  commit(1, OTHER)
  commit(1)
  await advance(timers, 0)
  assert.equal(
    sink.text,
    'retry: 3000\nid: 0\n\n' +
      `id: 1\nevent: trace.committed\ndata: {"id":"${trace(0)}","committed_at":"1970-01-01T00:00:00.000Z"}\n\n` +
      `id: 3\nevent: trace.committed\ndata: {"id":"${trace(2)}","committed_at":"1970-01-01T00:00:00.002Z"}\n\n`,
  )
})

test('a reader resumes exactly after its position, also in the middle of a commit', async () => {
  const { hub, commit, timers } = createTails()
  commit(4)
  commit(3)
  const sink = new MemorySink()
  hub.open(PROJECT, 2, sink)
  await advance(timers, 0)
  assert.deepEqual(sink.positions(), [3, 4, 5, 6, 7])
})

test('omits deleted traces; flags advance the position without being sent', async () => {
  const { hub, commit, journal, feed, timers } = createTails()
  commit(3)
  journal.delete(trace(1))
  feed.publish([journal.append(PROJECT, [{ type: 'trace.flagged', traceId: trace(0), reason: null }])])
  commit(1)
  const sink = new MemorySink()
  hub.open(PROJECT, 0, sink)
  await advance(timers, 0)
  assert.deepEqual(sink.positions(), [1, 3, 5])
})

test('a position that retention has removed starts with a gap', async () => {
  const { hub, commit, journal, timers } = createTails()
  commit(2)
  commit(2)
  commit(2)
  journal.pruneThrough(4)
  const sink = new MemorySink()
  hub.open(PROJECT, 1, sink)
  await advance(timers, 0)
  assert.ok(sink.text.includes('id: 4\nevent: gap\ndata: {"from":1,"to":4}\n\n'))
  assert.deepEqual(sink.positions(), [5, 6])
})

test('a live reader of an idle project gets no gap from retention', async () => {
  const { hub, commit, journal, timers } = createTails()
  const sink = new MemorySink()
  hub.open(PROJECT, 0, sink)
  await advance(timers, 0)
  commit(5, OTHER)
  await advance(timers, 15_000)
  journal.pruneThrough(5)
  commit(1)
  await advance(timers, 0)
  assert.ok(!sink.text.includes('gap'))
  assert.deepEqual(sink.positions(), [6])
})

test('a slow reader has one page in flight, whatever is committed, and misses nothing when it reads again', async () => {
  const { hub, commit, timers } = createTails()
  const slow = new MemorySink()
  const quick = new MemorySink()
  slow.reading = false
  hub.open(PROJECT, 0, slow)
  hub.open(PROJECT, 0, quick)
  for (let i = 0; i < 60; i++) {
    commit(100)
    await advance(timers, 1)
  }
  assert.equal(slow.waiting, 1)
  const all = Array.from({ length: 6000 }, (_, i) => i + 1)
  assert.deepEqual(quick.positions(), all)
  slow.reading = true
  slow.take()
  await advance(timers, 1000)
  assert.deepEqual(slow.positions(), all)
  assert.ok(slow.writes.every((page) => page.length < 40_000))
})

test('readers at one position share the bytes of a commit', async () => {
  const { hub, commit, timers } = createTails()
  const sinks = Array.from({ length: 100 }, () => new MemorySink())
  for (const sink of sinks) hub.open(PROJECT, 0, sink)
  commit(3)
  await advance(timers, 0)
  assert.equal(new Set(sinks.map((sink) => sink.writes[1])).size, 1)
})

test('sends a heartbeat every 15 s, and disconnects a reader that takes nothing for 60 s', async () => {
  const { hub, commit, timers } = createTails()
  const alive = new MemorySink()
  const stuck = new MemorySink()
  hub.open(PROJECT, 0, alive)
  hub.open(PROJECT, 0, stuck)
  stuck.reading = false
  commit(1)
  await advance(timers, 45_000)
  assert.equal(alive.text.split(': heartbeat\n\n').length - 1, 3)
  assert.ok(!stuck.destroyed)
  await advance(timers, 30_000)
  assert.ok(stuck.destroyed && !alive.destroyed)
})

test('stopping ends every tail and leaves no timer', async () => {
  const { hub, commit, timers, openTails } = createTails()
  const sink = new MemorySink()
  const close = hub.open(PROJECT, 0, sink)
  commit(1)
  hub.close()
  assert.ok(sink.ended)
  assert.equal(timers.pending, 0)
  assert.equal(openTails(), 1)
  close()
  close()
  assert.equal(openTails(), 0)
})

test('a long round is followed by a pause, so that tails cannot starve other work', async () => {
  const { feed, journal, timers } = createTails()
  // Each write takes 8 ms of this process.
  const rounds: number[] = []
  const hub = new TailHub({ feed, timers, opened: () => {}, closed: () => {}, onError: assert.ifError })
  const sink: TailSink = {
    write: (_bytes, taken) => {
      rounds.push(timers.now())
      timers.advance(8)
      taken()
    },
    end: () => {},
    destroy: () => {},
  }
  hub.open(PROJECT, 0, sink)
  const commit = () => feed.publish([journal.append(PROJECT, [{ type: 'trace.committed', traceId: trace(1) }])])
  commit()
  await advance(timers, 0)
  commit()
  await advance(timers, 100)
  const [, first = 0, second = 0] = rounds
  assert.ok(second - first >= 8 + 32, `${second - first}`)
})

test('projects take turns, however many tails one of them opens', async () => {
  const { commit, feed, timers } = createTails()
  const hub = new TailHub({ feed, timers, opened: () => {}, closed: () => {}, onError: assert.ifError })
  commit(1000)
  commit(1, OTHER)
  const pages: ProjectId[] = []
  const sinkOf = (projectId: ProjectId): TailSink => ({
    write: (bytes, taken) => {
      taken()
      if (!bytes.includes('event: ')) return
      pages.push(projectId)
      timers.advance(1)
    },
    end: () => {},
    destroy: () => {},
  })
  for (let position = 0; position < 1000; position++) hub.open(PROJECT, position, sinkOf(PROJECT))
  hub.open(OTHER, 0, sinkOf(OTHER))
  await advance(timers, 0)
  assert.deepEqual(pages.slice(0, 2), [PROJECT, OTHER])
})

test('a page is read from few events, however many each commit has', async () => {
  const { journal, hub, commit, timers } = createTails()
  for (let i = 0; i < 100; i++) commit(100)
  const feed = new JournalFeed(journal, { headPosition: await journal.headPosition() })
  const later = new TailHub({ feed, timers, opened: () => {}, closed: () => {}, onError: assert.ifError })
  hub.close()
  const sink = new MemorySink()
  sink.reading = false
  later.open(PROJECT, 0, sink)
  sink.take()
  await advance(timers, 0)
  assert.equal(sink.writes.length, 2)
  assert.equal(journal.eventsRead, 300)
})

test('if the journal cannot be read, waiting tails end, and they resume at their position', async (context) => {
  const { journal, hub, commit, timers, errors, openTails } = createTails()
  const [first, second, foreign] = [new MemorySink(), new MemorySink(), new MemorySink()]
  const closings = [hub.open(PROJECT, 0, first), hub.open(PROJECT, 0, second)]
  hub.open(OTHER, 0, foreign)
  await advance(timers, 1000)
  const failure = new Error('database is locked')
  const read = context.mock.method(journal, 'prunedThrough', async () => {
    throw failure
  })
  commit(1)
  await advance(timers, 1000)
  assert.deepEqual([first.ended, second.ended, foreign.ended, openTails()], [true, true, false, 1])
  assert.deepEqual(errors, [failure])
  for (const close of closings) close()
  assert.equal(openTails(), 1)
  read.mock.restore()
  const resumed = new MemorySink()
  hub.open(PROJECT, 0, resumed)
  commit(1)
  await advance(timers, 1000)
  assert.deepEqual(resumed.positions(), [1, 2])
})

test('a commit while a page is read follows after the page', async (context) => {
  const { journal, hub, commit, timers } = createTails()
  const [first, second] = [new MemorySink(), new MemorySink()]
  hub.open(PROJECT, 0, first)
  hub.open(PROJECT, 0, second)
  commit(1)
  let left = 1
  const read = journal.deletedAmong.bind(journal)
  context.mock.method(journal, 'deletedAmong', async (ids: readonly TraceId[]) => {
    if (left-- > 0) commit(1)
    return read(ids)
  })
  await advance(timers, 0)
  await advance(timers, 1000)
  assert.deepEqual(
    [first.positions(), second.positions()],
    [
      [1, 2],
      [1, 2],
    ],
  )
})

test('a heartbeat while a page is read loses no events', async (context) => {
  const { journal, hub, commit, timers } = createTails()
  const sink = new MemorySink()
  hub.open(PROJECT, 0, sink)
  await advance(timers, 0)
  const read = journal.deletedAmong.bind(journal)
  context.mock.method(journal, 'deletedAmong', async (ids: readonly TraceId[]) => {
    sink.reading = false
    timers.advance(15_000)
    return read(ids)
  })
  commit(1)
  await advance(timers, 0)
  context.mock.restoreAll()
  sink.reading = true
  sink.take()
  // The round took 15 s of this clock and is followed by a pause.
  await advance(timers, 61_000)
  assert.deepEqual(sink.positions(), [1])
})
