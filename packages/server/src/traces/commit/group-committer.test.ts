import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { TraceId } from '@spoor/contract/ids'
import type { CommitOutcome, Log, Watermark } from '../../ports/log/log.ts'
import type { CommitRecord, JournalRow } from '../../ports/journal/journal.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { memoryOnlyJournal } from '../../storage/sql/journal/memory-only-journal.test-support.ts'
import { GroupCommitter, type GroupCommitterOptions } from './group-committer.ts'
import { logOn } from '../../storage/embedded/log-world.test-support.ts'
import type { EmbeddedLog } from '../../storage/embedded/embedded-log.ts'
import { BEGIN_MS, created, idAt, PROJECT, preparedTrace } from '../trace-builders.test-support.ts'
import { TraceCache } from './trace-cache.ts'
import { UsageTree } from '../rules/usage-tree.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/** A committer whose writes end when the test ends them. */
class CommitterWorld {
  readonly journal = memoryOnlyJournal()
  readonly log: string[] = []
  readonly writes: {
    readonly traces: readonly TraceRecord[]
    readonly end: () => void
    readonly fail: (error: Error) => void
  }[] = []
  readonly repairs: { readonly end: () => void; readonly fail: (error: Error) => void }[] = []
  readonly queues: number[] = []
  readonly commits: number[] = []
  readonly published: JournalRow[] = []
  block: DomainError | null = null
  nowMs = 0
  /** Faults around a commit. */
  readonly faults = { clock: false, metrics: false, cache: false, store: false }
  journalFailure: Error | null = null
  /** A commit waits for this before it writes. */
  capacity: Promise<void> = Promise.resolve()
  capacityFailure: Error | null = null
  /** The journal rejects, but has written the row. */
  lyingFailure = false
  readonly embedded: EmbeddedLog
  readonly committer: GroupCommitter
  readonly cache = new TraceCache(
    1_000_000,
    async () => (this.faults.store ? assert.fail('no store') : []),
    async (trace) => new UsageTree(() => null, trace.version),
  )
  #ids = 0
  #changed: () => void = () => undefined

  constructor(options: Partial<GroupCommitterOptions> = {}) {
    const append = (record: CommitRecord) => {
      if (this.lyingFailure) this.journal.append(record)
      if (this.journalFailure !== null) throw this.journalFailure
      const rows = this.journal.append(record)
      this.log.push(`journal ${record.version}`)
      return rows
    }
    const { cache } = this
    const put = cache.put.bind(cache)
    cache.put = (traces) => (this.faults.cache ? assert.fail('no memory') : put(traces))
    this.embedded = logOn({
      rows: {
        waitForCapacity: async () => {
          await this.capacity
          if (this.capacityFailure !== null) throw this.capacityFailure
        },
        stage: ({ traces }) => this.#step(this.writes, { traces }),
        publish: (version) => {
          assert.equal(version, this.journal.last().version, 'only what is in the journal is readable')
          this.log.push(`readable ${version}`)
        },
        repair: () => this.#step(this.repairs, {}),
      },
      journal: {
        append,
        confirmLast: () => this.journal.confirmLast(),
        last: () => this.journal.last(),
        idLeadMs: () => this.journal.idLeadMs(),
        findTraceKey: () => undefined,
        findStepKey: () => undefined,
        findMetricEventKey: () => undefined,
        hasMedia: () => false,
        attachmentsOf: () => 0,
      },
      block: () => this.block,
      onError: (_error, message) => this.log.push(message),
      onFailed: () => this.log.push('commit failed'),
      onRepaired: () => this.log.push('repaired'),
    })
    this.committer = new GroupCommitter(
      {
        log: this.embedded,
        cache,
        clock: { now: () => (this.faults.clock ? assert.fail('no time') : BEGIN_MS) },
        newId: {
          newTraceId: () => idAt('tr', BEGIN_MS, ++this.#ids),
          newStepId: () => idAt('st', 1, ++this.#ids),
          newMetricEventId: () => idAt('mev', 1, ++this.#ids),
          newAttachmentId: () => idAt('med', 1, ++this.#ids),
        },
        mostAttachments: 0,
        metadataLimits: DEFAULT_LIMITS,
        contextLimit: () => null,
        metrics: {
          observeCommit: ({ traces }) => {
            if (this.faults.metrics) assert.fail('no meter')
            this.commits.push(traces)
          },
          setQueue: ({ operations }) => {
            if (this.faults.metrics) assert.fail('no meter')
            this.queues.push(operations)
          },
        },
        intakeBlock: () => this.block,
        makeRoom: () => void this.log.push('room made'),
        onError: (_error, message) => this.log.push(message),
      },
      { maxQueueBytes: 1000, maxCommitBytes: 1000, maxCommitOperations: 100, now: () => this.nowMs, ...options },
    )
    this.embedded.subscribe({
      committed: ({ rows }) => {
        this.published.push(...rows)
        this.log.push(`publish, watermark ${this.watermark.version}`)
      },
    })
  }

  get watermark(): Watermark {
    return this.embedded.watermark()
  }

  /** Logs the result as soon as it arrives. */
  submit(name: string, bytes = 10, { owner = 'one', takesMs = 0 } = {}): Promise<TraceId | DomainError> {
    const answer = this.committer.submit({
      owner,
      bytes,
      apply: (batch) => {
        this.nowMs += takesMs
        return created(batch, PROJECT, preparedTrace({ name }), null).id
      },
    })
    return answer.then(
      (id) => (this.log.push(`${name} answered`), id),
      (error: DomainError) => (this.log.push(`${name} refused: ${error.code}`), error),
    )
  }

  /** Waits for the write or repair with this index to begin. */
  async next<T>(steps: readonly T[], index: number): Promise<T> {
    while (steps.length <= index) await new Promise<void>((resolve) => (this.#changed = resolve))
    return steps[index]!
  }

  #step<T>(steps: (T & { end: () => void; fail: (error: Error) => void })[], of: T): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    steps.push({ ...of, end: resolve, fail: reject })
    this.#changed()
    return promise
  }
}

test('requests that arrive during a commit go into the next one and are answered after its journal row is written', async () => {
  const world = new CommitterWorld()
  const first = world.submit('a')
  const write = await world.next(world.writes, 0)
  const rest = [world.submit('b'), world.submit('c')]
  assert.deepEqual(world.log, [])
  write.end()
  await first
  const second = await world.next(world.writes, 1)
  assert.deepEqual(
    second.traces.map(({ name }) => name),
    ['b', 'c'],
  )
  second.end()
  await Promise.all(rest)
  assert.deepEqual(world.log, [
    'journal 1',
    'readable 1',
    'publish, watermark 1',
    'a answered',
    'journal 2',
    'readable 2',
    'publish, watermark 2',
    'b answered',
    'c answered',
  ])
  assert.deepEqual(world.watermark, { ...world.journal.last(), idLeadMs: 0 })
  assert.deepEqual([world.commits, world.queues.at(-1)], [[1, 2], 0])
  assert.deepEqual(
    world.published.map(({ lastPosition }) => lastPosition),
    [1, 3],
  )
})

test('requests of one event loop turn share a commit; a commit stays within its byte limit, but takes at least one', async () => {
  const world = new CommitterWorld({ maxCommitBytes: 20 })
  const answers = [world.submit('a'), world.submit('b'), world.submit('c'), world.submit('huge', 500)]
  assert.deepEqual(await namesOfCommits(world, 3), [['a', 'b'], ['c'], ['huge']])
  await Promise.all(answers)
})

test('owners take turns in commits of few operations, and each keeps its order', async () => {
  const world = new CommitterWorld({ maxCommitOperations: 3 })
  const flood = Array.from({ length: 7 }, (_, n) => world.submit(`a${n}`, 10, { owner: 'a' }))
  const answers = [...flood, ...['b0', 'b1'].map((name) => world.submit(name, 10, { owner: 'b' }))]
  assert.deepEqual(await namesOfCommits(world, 3), [
    ['a0', 'b0', 'a1'],
    ['b1', 'a2', 'a3'],
    ['a4', 'a5', 'a6'],
  ])
  await Promise.all(answers)
})

test('a commit ends when its planning has taken long enough; what is left goes into the next, in order', async () => {
  const world = new CommitterWorld()
  const answers = [8, 8, 8, 1, 50, 1].map((takesMs, n) => world.submit(`t${n}`, 10, { takesMs }))
  assert.deepEqual(await namesOfCommits(world, 2), [
    ['t0', 't1', 't2'],
    ['t3', 't4'],
  ])
  assert.deepEqual(await namesOfCommits(world, 3, 2), [['t5']])
  await Promise.all(answers)
  assert.equal(world.queues.at(-1), 0)
})

/** The traces of these commits, each written when the one before is. */
async function namesOfCommits(world: CommitterWorld, until: number, from = 0): Promise<string[][]> {
  const names: string[][] = []
  for (let index = from; index < until; index++) {
    const write = await world.next(world.writes, index)
    names.push(write.traces.map(({ name }) => name))
    write.end()
  }
  return names
}

test('what comes while a commit conflicts goes along', async () => {
  const world = new CommitterWorld({ maxCommitBytes: 30 })
  const log: Log = world.embedded
  const [begun, conflict] = [Promise.withResolvers<void>(), Promise.withResolvers<CommitOutcome>()]
  const commit = log.commit.bind(log)
  const plans: string[][] = []
  log.commit = (plan) => {
    plans.push(plan.traces.map(({ name }) => name))
    begun.resolve()
    return plans.length === 1 ? conflict.promise : commit(plan)
  }
  const answers = [world.submit('a'), world.submit('b')]
  await begun.promise
  answers.push(world.submit('c'), world.submit('beyond the limit'))
  conflict.resolve({ status: 'conflict' })
  for (const index of [0, 1]) (await world.next(world.writes, index)).end()
  await Promise.all(answers)
  assert.deepEqual(plans, [['a', 'b'], ['a', 'b', 'c'], ['beyond the limit']])
})

test('the watermark does not move before the journal row is written', async () => {
  const world = new CommitterWorld()
  const answer = world.submit('a')
  const write = await world.next(world.writes, 0)
  assert.deepEqual(world.watermark, { version: 0, lastTraceId: null, idLeadMs: 0 })
  write.end()
  assert.deepEqual(world.watermark, { version: 0, lastTraceId: null, idLeadMs: 0 })
  const id = await answer
  assert.deepEqual(world.watermark, { version: 1, lastTraceId: id, idLeadMs: 0 })
})

test('an operation that throws fails alone', async () => {
  const world = new CommitterWorld()
  const failing = world.committer.submit({ owner: 'one', bytes: 1, apply: () => assert.fail('its own fault') })
  const other = world.submit('b')
  const failed = assert.rejects(failing, /its own fault/)
  const write = await world.next(world.writes, 0)
  write.end()
  await Promise.all([failed, other])
  assert.deepEqual(world.log.at(-1), 'b answered')
})

test('a commit without changes is answered without a write', async () => {
  const world = new CommitterWorld()
  assert.equal(await world.committer.submit({ owner: 'one', bytes: 1, apply: () => 'looked' }), 'looked')
  assert.deepEqual([world.writes, world.log, world.watermark.version], [[], [], 0])
})

test('a full queue refuses with a retry hint, reports when there is space, and always takes one request', async () => {
  const world = new CommitterWorld({ maxQueueBytes: 100 })
  const first = world.submit('a', 5000)
  await world.next(world.writes, 0)
  const waiting = world.submit('b', 5000)
  const refused = await world.submit('c', 1)
  assert.ok(refused instanceof DomainError)
  assert.deepEqual([refused.code, refused.retryAfterSeconds], ['queue_full', 1])
  assert.equal(world.committer.refusal()?.code, 'queue_full')
  let room = false
  const roomy = world.committer.nextCommit().then(() => (room = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(room, false)
  world.writes[0]?.end()
  await Promise.all([first, roomy])
  await world.next(world.writes, 1)
  assert.equal(world.committer.refusal(), null)
  world.writes[1]?.end()
  await waiting
  await world.committer.nextCommit()
})

test('a failed write rejects all waiting requests; intake resumes after the store is repaired', async () => {
  const world = new CommitterWorld()
  const first = world.submit('a')
  const write = await world.next(world.writes, 0)
  const second = world.submit('b')
  const room = world.committer.nextCommit()
  write.fail(new Error('no disk'))
  const waiting = await second
  assert.ok(waiting instanceof DomainError)
  assert.deepEqual([waiting.code, waiting.retryAfterSeconds], ['storage_unavailable', 2])
  await room
  assert.equal(world.committer.refusal()?.code, 'storage_unavailable')
  assert.equal(((await world.submit('c')) as DomainError).code, 'storage_unavailable')
  ;(await world.next(world.repairs, 0)).fail(new Error('still none'))
  const unknown = await first
  assert.ok(unknown instanceof DomainError)
  assert.match(unknown.message, /may be stored or not/, 'it is in the log, and a start would complete it')
  ;(await world.next(world.repairs, 1)).end()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(world.log, [
    'commit failed',
    'commit failed',
    'b refused: storage_unavailable',
    'c refused: storage_unavailable',
    'the store could not be repaired yet',
    'a refused: storage_unavailable',
    'repaired',
  ])
  const after = world.submit('d')
  ;(await world.next(world.writes, 1)).end()
  assert.equal(await after, world.watermark.lastTraceId)
})

test('a request is rejected as not stored only after its commit has been cut from the log', async () => {
  const world = new CommitterWorld()
  const answer = world.submit('a')
  ;(await world.next(world.writes, 0)).fail(new Error('no disk'))
  ;(await world.next(world.repairs, 0)).end()
  assert.match(((await answer) as DomainError).message, /nothing of this request was stored/)
  assert.deepEqual(world.log, ['commit failed', 'commit failed', 'repaired', 'a refused: storage_unavailable'])
})

test('a failed journal write fails the commit: nothing is published, and the store is repaired', async () => {
  const world = new CommitterWorld()
  world.journalFailure = new DomainError('disk_full', 'full')
  const answer = world.submit('a')
  ;(await world.next(world.writes, 0)).end()
  const repair = await world.next(world.repairs, 0)
  world.journalFailure = null
  repair.end()
  assert.ok((await answer) instanceof DomainError)
  assert.deepEqual([world.published, world.watermark.version], [[], 0])
  const next = new Promise((resolve) => setImmediate(resolve)).then(() => world.submit('b'))
  ;(await world.next(world.writes, 1)).end()
  assert.equal(await next, world.watermark.lastTraceId)
  assert.equal(world.watermark.version, 1)
})

test('when the journal has written a row that it reported as failed, the rejection ends the process', async () => {
  const world = new CommitterWorld()
  Object.assign(world, { lyingFailure: true, journalFailure: new DomainError('storage_unavailable', 'it says') })
  void world.submit('a')
  const write = await world.next(world.writes, 0)
  // The test handles the rejection here; the running service does not handle it.
  const closed = assert.rejects(world.committer.close(), /reported as not written/)
  write.end()
  await closed
  assert.deepEqual([world.repairs.length, world.published], [0, []])
})

test('while the engine takes nothing, every waiting operation is refused, and nothing is written or repaired', async () => {
  const world = new CommitterWorld({ maxCommitBytes: 20 })
  world.capacityFailure = new DomainError('storage_unavailable', 'no capacity')
  // More than one commit takes.
  const refused = await Promise.all(['a', 'b', 'x', 'y', 'z'].map((name) => world.submit(name)))
  assert.deepEqual(refused, Array(5).fill(world.capacityFailure))
  assert.deepEqual([world.writes.length, world.repairs.length], [0, 0])
  assert.deepEqual(world.queues.at(-1), 0)
  assert.equal(world.committer.refusal(), null, 'requests are taken in again')
  world.capacityFailure = null
  const after = world.submit('c')
  ;(await world.next(world.writes, 0)).end()
  assert.equal(await after, world.watermark.lastTraceId)
})

test('while a commit waits for capacity, new operations wait in the bounded queue', async () => {
  const world = new CommitterWorld({ maxQueueBytes: 100, maxCommitBytes: 100 })
  const { promise, resolve } = Promise.withResolvers<void>()
  world.capacity = promise
  const first = world.submit('a', 60)
  for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next))
  const second = world.submit('b', 60)
  assert.equal(((await world.submit('c', 60)) as DomainError).code, 'queue_full')
  assert.equal(world.writes.length, 0)
  resolve()
  ;(await world.next(world.writes, 0)).end()
  ;(await world.next(world.writes, 1)).end()
  assert.equal((await Promise.all([first, second])).at(-1), world.watermark.lastTraceId)
})

test('a full disk refuses with its own reason, also for requests whose commit met it', async () => {
  const world = new CommitterWorld()
  const full = new DomainError('disk_full', 'full')
  const answer = world.submit('a')
  const write = await world.next(world.writes, 0)
  world.block = full
  assert.equal(await world.submit('b'), full)
  assert.equal(world.committer.refusal(), full)
  write.fail(new Error('ENOSPC'))
  ;(await world.next(world.repairs, 0)).end()
  assert.equal(await answer, full)
})

test('closing commits waiting requests and refuses new ones', async () => {
  const world = new CommitterWorld()
  const answers = [world.submit('a')]
  const write = await world.next(world.writes, 0)
  answers.push(world.submit('b'))
  const closed = world.committer.close().then(() => world.log.push('closed'))
  assert.equal(((await world.submit('c')) as DomainError).code, 'shutting_down')
  write.end()
  ;(await world.next(world.writes, 1)).end()
  await Promise.all([...answers, closed])
  assert.deepEqual(world.log.slice(-3), ['publish, watermark 2', 'b answered', 'closed'])
  await world.committer.close()
})

test('closing while a repair runs stays closed', async () => {
  const world = new CommitterWorld()
  const answer = world.submit('a')
  ;(await world.next(world.writes, 0)).fail(new Error('no disk'))
  const repair = await world.next(world.repairs, 0)
  const closed = world.committer.close()
  repair.end()
  await closed
  await answer
  assert.equal(world.committer.refusal()?.code, 'shutting_down')
})

test('a commit that cannot be prepared fails its requests and is logged; the next commit goes on', async () => {
  const world = new CommitterWorld()
  world.faults.clock = true
  const answers = await Promise.all([world.submit('a'), world.submit('b')])
  assert.deepEqual(
    answers.map((answer) => answer instanceof DomainError && answer.code),
    ['internal_error', 'internal_error'],
  )
  assert.equal(world.log[0], 'a commit could not be prepared')
  world.faults.clock = false
  const after = world.submit('c')
  ;(await world.next(world.writes, 0)).end()
  assert.equal(await after, world.watermark.lastTraceId)
  assert.deepEqual(world.repairs, [])
})

test('a metric that throws does not affect a durable commit', async () => {
  const world = new CommitterWorld()
  world.faults.metrics = true
  const answer = world.submit('a')
  ;(await world.next(world.writes, 0)).end()
  assert.equal(await answer, world.watermark.lastTraceId)
  world.faults.metrics = false
  const after = world.submit('b')
  ;(await world.next(world.writes, 1)).end()
  await after
  assert.deepEqual([world.watermark.version, world.published.length], [2, 2])
})

test('a plan that conflicts is rebuilt on the current state', async () => {
  const world = new CommitterWorld()
  const commit = world.embedded.commit.bind(world.embedded)
  let others = 2
  world.embedded.commit = async (plan) => (others-- > 0 ? { status: 'conflict' } : commit(plan))
  let plans = 0
  const answer = world.committer.submit({
    owner: 'one',
    bytes: 1,
    apply: (batch) => {
      plans += 1
      return created(batch, PROJECT, preparedTrace(), null).id
    },
  })
  ;(await world.next(world.writes, 0)).end()
  assert.equal(await answer, world.watermark.lastTraceId)
  assert.equal(plans, 3)
})

test('a plan that conflicts needs no query of the store: listeners have seen what came between', async () => {
  const world = new CommitterWorld()
  const first = world.submit('a')
  ;(await world.next(world.writes, 0)).end()
  const id = (await first) as TraceId
  assert.ok(await world.cache.hold(PROJECT, id))
  world.faults.store = true
  const commit = world.embedded.commit.bind(world.embedded)
  let others = 1
  world.embedded.commit = async (plan) => (others-- > 0 ? { status: 'conflict' } : commit(plan))
  const second = world.submit('b')
  ;(await world.next(world.writes, 1)).end()
  assert.equal(await second, world.watermark.lastTraceId)
})

test('when memory cannot take a durable commit, the rejection ends the process', async () => {
  const world = new CommitterWorld()
  world.faults.cache = true
  void world.submit('a')
  const write = await world.next(world.writes, 0)
  // The test handles the rejection here; the running service does not handle it.
  const closed = assert.rejects(world.committer.close(), /no memory/)
  write.end()
  await closed
  assert.deepEqual(world.log, ['journal 1', 'readable 1'], 'nobody was notified of it')
})

test('an operation that frees space is accepted when no other is, after the reserve has been released', async () => {
  const world = new CommitterWorld()
  world.block = new DomainError('disk_full', 'full', { retryAfterSeconds: 10 })
  await world.submit('refused')
  const taken = world.committer.submit({ owner: 'one', bytes: 1, freesSpace: true, apply: () => 'deleted' })
  assert.deepEqual(world.log, ['refused refused: disk_full', 'room made'])
  assert.equal(await taken, 'deleted')
})

test('a failed look-up fails its commit with the error of the log; the next commit goes on', async () => {
  const world = new CommitterWorld()
  const lookUp = world.embedded.lookUp.bind(world.embedded)
  const unreadable = new DomainError('storage_unavailable', 'the database is locked', { retryAfterSeconds: 2 })
  world.embedded.lookUp = () => Promise.reject(unreadable)
  assert.equal(await world.submit('a'), unreadable)
  world.embedded.lookUp = lookUp
  const after = world.submit('b')
  ;(await world.next(world.writes, 0)).end()
  assert.equal(await after, world.watermark.lastTraceId)
})

test('a plan that conflicts every time is refused in the end', async () => {
  const world = new CommitterWorld()
  world.embedded.commit = async () => ({ status: 'conflict' })
  const refused = await world.submit('a')
  assert.ok(refused instanceof DomainError)
  assert.equal(refused.code, 'storage_unavailable')
})
