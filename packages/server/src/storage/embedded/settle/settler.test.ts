import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { StoredCommit } from '../../../ports/traces/trace-store.ts'
import type { RowBytes } from '../../recent/settled-rows.ts'
import { SETTLE_AFTER_MS, SETTLE_BYTES, Settler } from './settler.ts'

/** As long as an insert that failed waits. */
const RETRY_AFTER_MS = 1000
/** As long as a read waits for what was published before it. */
const MOST_WAIT_MS = 15_000

/** A settler whose engine and log do what the test says. */
class SettlerWorld {
  readonly timers = new ManualTimers()
  /** What happened, in order. */
  readonly events: string[] = []
  /** The rows of each insert, whatever became of it. */
  readonly inserts: RowBytes[] = []
  /** How many of the next inserts reject. */
  failures = 0
  /** Awaited by each insert. */
  engine: Promise<void> = Promise.resolve()
  releaseFailure: Error | null = null
  readonly settler = new Settler({
    settled: {
      insert: (rows) => this.#insert(rows, 'insert'),
      insertMissing: (rows, from, through) => this.#insert(rows, `insertMissing ${from}-${through}`),
    },
    log: {
      release: async (throughVersion, leaveActive) => {
        this.events.push(`release ${throughVersion}${leaveActive === true ? ' and leave' : ''}`)
        if (this.releaseFailure !== null) throw this.releaseFailure
      },
    },
    recent: { drop: (commits) => this.events.push(`drop ${commits.map(({ version }) => version).join(' ')}`) },
    committedVersion: 7,
    fullText: true,
    timers: this.timers,
    onError: (error) => this.events.push(`error ${(error as Error).message}`),
    onReleaseError: (error) => this.events.push(`kept ${(error as Error).message}`),
    onRecovered: () => this.events.push('recovered'),
  })

  /** Published. */
  async keep(version: number, bytes?: number): Promise<void> {
    await this.settler.write(commitOf(version, bytes))
    this.settler.keep()
  }

  /** Versions of the trace rows of each insert. */
  get inserted(): number[][] {
    return this.inserts.map(({ traces }) => versionsIn(traces))
  }

  /** Engine and timers have had their turn. */
  async advance(ms: number): Promise<void> {
    this.timers.advance(ms)
    await nextTurn()
  }

  async #insert(rows: RowBytes, name: string): Promise<void> {
    // The buffers are used again.
    const { traces, steps, metricEvents } = rows
    this.inserts.push({
      traces: Buffer.from(traces),
      steps: Buffer.from(steps),
      metricEvents: Buffer.from(metricEvents),
    })
    await this.engine
    if (this.failures > 0) {
      this.failures -= 1
      throw new Error(`no ${name}`)
    }
    this.events.push(`${name} ${versionsIn(this.inserts.at(-1)!.traces).join(' ')}`)
  }
}

function commitOf(version: number, bytes = 2): StoredCommit {
  const trace = traceRecord(idAt('tr', BEGIN_MS, version), { version })
  const body = Buffer.from(`{"filler":"${'x'.repeat(bytes)}"}`)
  return {
    version,
    traces: [trace],
    steps: [newStep(trace, 0, { prepared: preparedStep({ body }) })],
    metricEvents: [],
  }
}

function versionsIn(rows: Buffer): number[] {
  const lines = rows.toString().split('\n')
  assert.equal(lines.pop(), '')
  return lines.map((line) => (JSON.parse(line) as { ver: number }).ver)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Whether it has settled by now. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true
  const end = () => (pending = false)
  promise.then(end, end)
  await nextTurn()
  return pending
}

test('what was published settles together, when the first of it has waited long enough', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  await world.advance(SETTLE_AFTER_MS - 1)
  await world.keep(9)
  await nextTurn()
  assert.deepEqual(world.events, [])
  await world.advance(1)
  assert.deepEqual(world.events, ['insert 8 9', 'drop 8 9', 'release 9'])
  assert.equal(world.timers.pending, 0)
  await world.keep(10)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.inserted, [[8, 9], [10]])
})

test('enough bytes settle at once', async () => {
  const world = new SettlerWorld()
  await world.keep(8, SETTLE_BYTES / 2)
  await nextTurn()
  assert.deepEqual(world.events, [])
  await world.keep(9, SETTLE_BYTES / 2)
  await nextTurn()
  assert.deepEqual(world.events, ['insert 8 9', 'drop 8 9', 'release 9'])
  assert.equal(world.timers.pending, 0)
})

test('what has grown to enough bytes while others settled follows without waiting', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8, SETTLE_BYTES)
  await world.keep(9, SETTLE_BYTES)
  await nextTurn()
  assert.deepEqual(world.inserted, [[8]], 'one insert at a time')
  resolve()
  await nextTurn()
  assert.deepEqual(world.inserted, [[8], [9]])
})

test('what came while others settled settles too, also when its time came meanwhile', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8)
  await world.advance(SETTLE_AFTER_MS)
  await world.keep(9)
  await world.advance(2 * SETTLE_AFTER_MS)
  resolve()
  await nextTurn()
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.inserted, [[8], [9]])
  assert.equal(world.timers.pending, 0)
})

for (const end of ['keep', 'undo'] as const) {
  test(`a commit that is written settles not before its end; then, after ${end}, those before it settle too`, async () => {
    const world = new SettlerWorld()
    await world.keep(8)
    await world.settler.write(commitOf(9))
    await world.advance(2 * SETTLE_AFTER_MS)
    assert.deepEqual(world.inserted, [])
    world.settler[end]()
    await world.advance(SETTLE_AFTER_MS)
    assert.deepEqual(world.inserted, [end === 'keep' ? [8, 9] : [8]])
  })
}

test('enough bytes that waited for a written commit settle also when it is undone', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8, SETTLE_BYTES)
  await world.keep(9, SETTLE_BYTES)
  await world.settler.write(commitOf(10))
  resolve()
  await nextTurn()
  assert.deepEqual(world.inserted, [[8]])
  world.settler.undo()
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.inserted, [[8], [9]])
})

test('an undone commit leaves nothing behind, its number comes again', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  await world.settler.write(commitOf(9, 100))
  world.settler.undo()
  world.settler.undo()
  await world.keep(9, 5)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.inserted, [[8, 9]])
  const bodies = world.inserts[0]!.steps.toString().match(/"x+"/g)
  assert.deepEqual(bodies, ['"xx"', '"xxxxx"'])
})

test('a commit that could not be written to its end leaves nothing behind either', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  const broken = commitOf(9)
  const [step] = broken.steps
  const prepared = {
    ...step!.prepared,
    get body(): Buffer {
      throw new RangeError('no memory')
    },
  }
  const commit = { ...broken, steps: [step!, { ...step!, prepared }] }
  await assert.rejects(async () => world.settler.write(commit), /no memory/)
  world.settler.undo()
  await world.keep(9)
  await world.advance(SETTLE_AFTER_MS)
  const [rows] = world.inserts
  assert.deepEqual(versionsIn(rows!.traces), [8, 9])
  assert.deepEqual(versionsIn(rows!.steps), [8, 9])
})

test('an insert that failed is tried again, as far as it is missing, until it succeeds; until then nothing is let go', async () => {
  const world = new SettlerWorld()
  world.failures = 2
  await world.keep(8)
  await world.keep(9)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.events, ['error no insert'])
  await world.advance(RETRY_AFTER_MS - 1)
  assert.equal(world.inserts.length, 1)
  await world.advance(1)
  assert.deepEqual(world.events.splice(0), ['error no insert', 'error no insertMissing 8-9'])
  await world.advance(RETRY_AFTER_MS)
  assert.deepEqual(world.events.splice(0), ['insertMissing 8-9 8 9', 'recovered', 'drop 8 9', 'release 9'])
  assert.deepEqual(world.inserts[2], world.inserts[0])
  await world.keep(10)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.events, ['insert 10', 'drop 10', 'release 10'])
})

test('there is capacity until too much waits, and again when it begins to settle', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8, SETTLE_BYTES)
  await world.keep(9, SETTLE_BYTES)
  await world.settler.waitForCapacity()
  await world.keep(10, SETTLE_BYTES)
  const rooms = [world.settler.waitForCapacity(), world.settler.waitForCapacity()]
  assert.ok(await isPending(Promise.race(rooms)))
  resolve()
  await Promise.all(rooms)
  assert.deepEqual(world.inserted, [[8], [9, 10]])
})

test('a caller that waits for capacity is refused while the engine takes nothing, and accepted when it recovers', async () => {
  const world = new SettlerWorld()
  const { promise, reject } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8, SETTLE_BYTES)
  for (const version of [9, 10]) await world.keep(version, SETTLE_BYTES)
  const room = world.settler.waitForCapacity()
  assert.ok(await isPending(room))
  reject(new Error('no disk'))
  const refused = (error: unknown) =>
    error instanceof DomainError && error.code === 'storage_unavailable' && error.retryAfterSeconds === 2
  await assert.rejects(room, refused)
  await assert.rejects(world.settler.waitForCapacity(), refused)
  world.engine = Promise.resolve()
  await world.advance(RETRY_AFTER_MS)
  await world.settler.waitForCapacity()
  assert.deepEqual(world.inserted, [[8], [8], [9, 10]])
})

test('an engine that answers nothing for a minute is reported, callers are refused, and it may recover', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  for (const version of [8, 9, 10]) await world.keep(version, SETTLE_BYTES)
  const room = world.settler.waitForCapacity()
  await world.advance(59_999)
  assert.ok(await isPending(room))
  await world.advance(1)
  await assert.rejects(room, { code: 'storage_unavailable' })
  assert.deepEqual(world.events, ['error the engine has not taken a batch for 60 s'])
  resolve()
  await world.advance(0)
  await world.settler.waitForCapacity()
  assert.ok(world.events.includes('recovered'))
})

test('while the engine takes nothing, there is capacity as long as little waits', async () => {
  const world = new SettlerWorld()
  world.failures = 1
  await world.keep(8)
  await world.advance(SETTLE_AFTER_MS)
  await world.settler.waitForCapacity()
})

test('a failed release of the log is reported and loses nothing: the next release covers both', async () => {
  const world = new SettlerWorld()
  world.releaseFailure = new Error('no directory')
  await world.keep(8)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.events.splice(0), ['insert 8', 'drop 8', 'release 8', 'kept no directory'])
  world.releaseFailure = null
  await world.keep(9)
  await world.advance(SETTLE_AFTER_MS)
  assert.deepEqual(world.events, ['insert 9', 'drop 9', 'release 9'])
})

test('the log releases what has settled, and no more', async () => {
  const world = new SettlerWorld()
  await world.settler.releaseLog()
  await world.keep(8)
  await world.settler.releaseLog()
  await world.advance(SETTLE_AFTER_MS)
  await world.settler.releaseLog()
  const releases = world.events.filter((event) => event.endsWith('leave'))
  assert.deepEqual(releases, ['release 7 and leave', 'release 7 and leave', 'release 8 and leave'])
  world.releaseFailure = new Error('no directory')
  await assert.rejects(world.settler.releaseLog(), /no directory/)
})

test('closing settles everything and leaves no timer behind', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  world.engine = promise
  await world.keep(8, SETTLE_BYTES)
  await world.keep(9)
  const closed = world.settler.close()
  assert.ok(await isPending(closed))
  resolve()
  await closed
  assert.deepEqual(world.events, ['insert 8', 'drop 8', 'release 8', 'insert 9', 'drop 9', 'release 9'])
  assert.equal(world.timers.pending, 0)
  await new SettlerWorld().settler.close()
})

test('closing waits for the release of the log', async () => {
  const world = new SettlerWorld()
  const { promise, resolve } = Promise.withResolvers<void>()
  const settler = new Settler({
    settled: { insert: async () => undefined, insertMissing: () => assert.fail('nothing failed') },
    log: { release: () => promise },
    recent: { drop: () => undefined },
    committedVersion: 7,
    fullText: true,
    timers: world.timers,
    onError: () => assert.fail('nothing failed'),
    onRecovered: () => assert.fail('nothing failed'),
    onReleaseError: () => assert.fail('nothing failed'),
  })
  await settler.write(commitOf(8))
  settler.keep()
  await world.advance(SETTLE_AFTER_MS)
  const closed = settler.close()
  assert.ok(await isPending(closed))
  resolve()
  await closed
})

test('closing rejects if the engine cannot take a batch, and releases nothing', async () => {
  const world = new SettlerWorld()
  world.failures = Infinity
  await world.keep(8)
  await assert.rejects(world.settler.close(), /no insert/)
  assert.deepEqual(world.events, ['error no insert'])
})

test('closing while an insert waits to be tried again tries it once more', async () => {
  for (const failures of [1, 2]) {
    const world = new SettlerWorld()
    world.failures = failures
    await world.keep(8)
    await world.advance(SETTLE_AFTER_MS)
    const closed = world.settler.close()
    const outcome = failures === 1 ? closed : assert.rejects(closed, /no insertMissing/)
    assert.ok(await isPending(outcome))
    await world.advance(RETRY_AFTER_MS)
    await outcome
    assert.equal(world.events.includes('drop 8'), failures === 1)
  }
})

test('closing goes by a commit that never ended: whether it counts is for the next start to say', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  await world.settler.write(commitOf(9))
  await world.settler.close()
  assert.deepEqual(world.events, ['insert 8', 'drop 8', 'release 8'])
})

test('who waits until all has settled waits for a commit that is being written', async () => {
  for (const end of ['keep', 'undo'] as const) {
    const world = new SettlerWorld()
    await world.keep(8)
    await world.settler.write(commitOf(9))
    const settled = world.settler.settleAll()
    assert.ok(await isPending(settled))
    world.settler[end]()
    await settled
    assert.deepEqual(world.inserted, [end === 'keep' ? [8, 9] : [8]])
  }
})

test('settled waits for what was published before the call, and for nothing later', async () => {
  const world = new SettlerWorld()
  await world.settler.settled()
  assert.deepEqual(world.events, [])
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>()
  world.engine = first
  await world.keep(8)
  const asked = world.settler.settled()
  await world.keep(9)
  assert.ok(await isPending(asked))
  assert.deepEqual(world.inserted, [[8]], 'at once, not when its time has come')
  world.engine = new Promise(() => undefined)
  const later = world.settler.settled()
  endFirst()
  await asked
  assert.ok(await isPending(later))
  assert.deepEqual(world.inserted, [[8], [9]])
})

test('settled waits until a commit that is being written is published or undone, and asks for nothing of it', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  await world.settler.write(commitOf(9))
  const asked = world.settler.settled()
  assert.ok(await isPending(asked))
  world.settler.undo()
  await asked
  assert.deepEqual(world.inserted, [[8]])
})

test('settled refuses while the engine takes nothing, and answers again afterwards', async () => {
  const world = new SettlerWorld()
  world.failures = 1
  await world.keep(8)
  await assert.rejects(
    world.settler.settled(),
    (error) => error instanceof DomainError && error.code === 'storage_unavailable',
  )
  await world.advance(RETRY_AFTER_MS)
  await world.settler.settled()
})

test('settled refuses when a commit that failed cannot be taken back, as on a full disk, instead of waiting for the disk', async () => {
  const world = new SettlerWorld()
  await world.keep(8)
  await world.settler.write(commitOf(9))
  const asked = world.settler.settled()
  const refused = assert.rejects(
    asked,
    (error) => error instanceof DomainError && error.code === 'storage_unavailable' && error.retryAfterSeconds === 2,
  )
  await world.advance(MOST_WAIT_MS - 1)
  assert.ok(await isPending(asked))
  await world.advance(1)
  assert.equal(await isPending(asked), false)
  await refused
  world.settler.undo()
  await world.settler.settled()
  assert.deepEqual(world.inserted, [[8]])
  assert.equal(world.timers.pending, 0)
})
