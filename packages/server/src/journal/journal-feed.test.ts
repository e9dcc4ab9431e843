import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { JournalFeed } from './journal-feed.ts'
import type { JournalEvent } from '../ports/journal/journal.ts'
import { MemoryJournal } from '../ports/journal/memory-journal.test-support.ts'

const PROJECTS = ['proj_a', 'proj_b'] as unknown as [ProjectId, ProjectId]

function events(count: number): JournalEvent[] {
  return Array.from({ length: count }, () => ({ type: 'trace.committed', traceId: 'tr_x' as TraceId }))
}

test('reads recent rows from memory and older ones from the journal', async () => {
  const journal = new MemoryJournal()
  const old = journal.append(PROJECTS[0], events(2))
  const feed = await JournalFeed.open(journal)
  const recent = journal.append(PROJECTS[0], events(3))
  feed.publish([recent])
  assert.deepEqual(await feed.read(PROJECTS[0], 2, 10), [recent])
  assert.deepEqual(await feed.readAll(2, 10), [recent])
  assert.equal(journal.reads, 0)
  assert.deepEqual(await feed.read(PROJECTS[0], 0, 10), [old, recent])
  assert.equal(journal.reads, 1)
  assert.deepEqual(await feed.readAll(1, 10), [old, recent])
  assert.equal(journal.reads, 2)
})

test('rows that another node wrote are not in the feed before they are published', async () => {
  const journal = new MemoryJournal()
  const old = journal.append(PROJECTS[0], events(2))
  const feed = await JournalFeed.open(journal)
  const others = journal.append(PROJECTS[0], events(1))
  assert.deepEqual(await feed.read(PROJECTS[0], 0, 10), [old])
  assert.deepEqual(await feed.readAll(0, 10), [old])
  assert.equal(feed.publishedPosition(), 2)
  // A node publishes from where its log was opened, which may be earlier.
  feed.publish([old])
  assert.deepEqual(await feed.read(PROJECTS[0], 2, 10), [])
  feed.publish([others])
  assert.deepEqual(await feed.read(PROJECTS[0], 0, 10), [old, others])
  assert.equal(feed.publishedPosition(), 3)
})

test('notifies its listeners of projects with new rows, until they unsubscribe', () => {
  const journal = new MemoryJournal()
  const feed = new JournalFeed(journal)
  const told: string[] = []
  const leave = feed.subscribe((projectIds) => told.push(...projectIds))
  feed.publish([])
  feed.publish([journal.append(PROJECTS[0], events(1)), journal.append(PROJECTS[1], events(1))])
  leave()
  feed.publish([journal.append(PROJECTS[0], events(1))])
  assert.deepEqual(told, [...PROJECTS])
  assert.equal(feed.publishedPosition(), 3)
})

test('a row whose changes were all refused is not in the feed, as it is not in the journal: a reader would never get past it', async () => {
  const journal = new MemoryJournal()
  const feed = new JournalFeed(journal)
  const told: string[] = []
  feed.subscribe((projectIds) => told.push(...projectIds))
  const others = journal.append(PROJECTS[1], events(2))
  feed.publish([{ ...others, projectId: PROJECTS[0], events: [] }])
  assert.deepEqual(told, [])
  feed.publish([others, { ...others, projectId: PROJECTS[0], events: [] }])
  assert.deepEqual(told, [PROJECTS[1]])
  assert.deepEqual(await feed.read(PROJECTS[0], 0, 10), [])
  assert.deepEqual(await feed.read(PROJECTS[1], 0, 10), [others])
})

test('however few rows it holds, it answers as the journal would', async () => {
  const commit = fc.record({ project: fc.constantFrom(...PROJECTS), size: fc.integer({ min: 1, max: 5 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(commit, { maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      fc.nat(200),
      fc.integer({ min: 1, max: 9 }),
      async (commits, recentEventsMax, after, limit) => {
        const journal = new MemoryJournal()
        const feed = new JournalFeed(journal, { recentEventsMax })
        for (const { project, size } of commits) feed.publish([journal.append(project, events(size))])
        assert.deepEqual(await feed.readAll(after, limit), await journal.readAll(after, limit))
        for (const project of PROJECTS)
          assert.deepEqual(await feed.read(project, after, limit), await journal.read(project, after, limit))
      },
    ),
  )
})
