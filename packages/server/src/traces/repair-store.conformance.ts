import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../journal/journal.ts'
import { memoryOnlyJournal } from '../storage/control/memory-only-journal.test-support.ts'
import { keepHouse } from './keep-house.ts'
import { repairStore } from './repair-store.ts'
import { BEGIN_MS, OTHER_PROJECT, PROJECT } from './trace-builders.test-support.ts'
import { TraceWorld } from './trace-world.test-support.ts'
import type { NewStep, TraceStore } from './trace-store.ts'
import type { TraceRecord } from './trace-record.ts'

export interface RepairedStores {
  /** An empty store for this journal. */
  open(journal: Journal): Promise<TraceStore>
  /** Only the greatest version of each row stays. */
  merge(): Promise<void>
}

type Half = 'steps' | 'traces' | 'both'

const HOUSE_ROUNDS = 2400
const HOUSE_PAUSE_MS = 25

/** What a crash between the two halves of a commit leaves, and that all of it is taken back. */
export function repairStoreTests({ open, merge }: RepairedStores): void {
  for (const half of ['steps', 'traces', 'both'] as const) {
    for (const merged of [false, true]) {
      test(`a commit that wrote ${half === 'both' ? 'both halves' : `only ${half}`} is taken back${merged ? ', also when what it replaced is merged away' : ''}`, async () => {
        const world = await begin()
        const { appended, changed, created } = await world.crash(half)
        if (merged) await merge()
        const before = await world.restart()
        assert.deepEqual(before.repaired, { abandonedCommits: 1, restoredTraces: half === 'steps' ? 0 : 2 })
        await world.check({ appended, changed, created })
        assert.deepEqual(await repairStore(world.store, world.journal, BEGIN_MS), {
          abandonedCommits: 0,
          restoredTraces: 0,
        })
        await merge()
        await world.check({ appended, changed, created })

        // The engine takes its time to purge: once for each way is enough.
        if (half === 'both') {
          await keepHouseUntil(world.store, world.journal, () => world.journal.abandonedVersions().size === 0)
          await world.check({ appended, changed, created })
        }
        await world.goOn(appended)
      })
    }
  }

  test('a repair that was cut off is done again, and again', async () => {
    const world = await begin()
    const traces = await world.crash('both')
    const cutOff = { ...boundJournal(world.journal), append: () => assert.fail('power loss') }
    for (let round = 0; round < 3; round++) {
      await assert.rejects(repairStore(world.store, cutOff, BEGIN_MS), /power loss/)
      await merge()
    }
    const { repaired } = await world.restart()
    assert.equal(repaired.restoredTraces, 2)
    await world.check(traces)
  })

  test('two commits that never ended are taken back together', async () => {
    const world = await begin()
    const first = await world.crash('traces')
    const { repaired } = await world.restart()
    assert.equal(repaired.restoredTraces, 2)
    const second = await world.crash('both')
    await world.restart()
    await world.check({ ...second, created: first.created })
    await world.check(second)
  })

  test('deleted traces leave the store and are never seen again meanwhile', async () => {
    const world = await begin()
    const { appended, changed } = world
    await world.service.useCases.delete(PROJECT, appended)
    const gone = async () => (await world.store.findTraces(PROJECT, [appended], Number.MAX_SAFE_INTEGER)).length === 0
    await keepHouseUntil(world.store, world.journal, async () => {
      await assert.rejects(world.service.useCases.read(PROJECT, appended), { code: 'not_found' })
      return (await gone()) && world.journal.pendingPurges(1).length === 0
    })
    assert.deepEqual(await world.store.findStepIds(PROJECT, appended, 9), [])
    assert.equal((await world.service.useCases.read(PROJECT, changed)).trace.id, changed)
    assert.deepEqual([...world.journal.deletedAmong([appended])], [appended], 'the tail still leaves it out')
  })

  async function begin() {
    const journal = memoryOnlyJournal()
    const store = await open(journal)
    const world = new TraceWorld({ journal, store })
    const failing = {
      name: 's',
      type: 'llm',
      model: 'm',
      token_usage: { input: 3, output: 4 },
      idempotency_key: 'first',
    }
    const appended = (
      await world.commit({ name: 'appended', metadata: { a: 1 }, steps: [failing, { name: 'second' }] })
    ).id
    await world.appendSteps(appended, {
      name: 'third',
      started_at: '1970-01-01T00:00:00Z',
      ended_at: '1970-01-01T00:00:05Z',
    })
    const changed = (await world.commit({ name: 'changed' })).id
    await world.service.useCases.patch(PROJECT, changed, { status: 'error', flagged: null, reason: 'known' })
    await world.commit({ name: 'foreign' }, { projectId: OTHER_PROJECT })
    const known = await snapshot(world, appended, changed)
    return new Crashing(world, store, journal, { appended, changed }, known)
  }
}

interface Known {
  readonly appended: Omit<TraceRecord, 'version'>
  readonly changed: Omit<TraceRecord, 'version'>
  readonly stepIds: readonly StepId[]
}

class Crashing {
  readonly store: TraceStore
  readonly journal: Journal
  readonly appended: TraceId
  readonly changed: TraceId
  readonly #known: Known
  #world: TraceWorld

  constructor(
    world: TraceWorld,
    store: TraceStore,
    journal: Journal,
    ids: { appended: TraceId; changed: TraceId },
    known: Known,
  ) {
    this.#world = world
    this.store = store
    this.journal = journal
    this.appended = ids.appended
    this.changed = ids.changed
    this.#known = known
  }

  get service() {
    return this.#world.service
  }

  /** A commit of three kinds of change, of which the store gets half and the journal nothing; the process is gone then. */
  async crash(half: Half) {
    // All changes are to meet in one commit: none begins before what they change is in memory.
    const bothLoaded = Promise.withResolvers<void>()
    let loads = 0
    const lost: { traces: readonly TraceRecord[]; steps: readonly NewStep[] }[] = []
    const doomed = new TraceWorld({
      journal: { ...boundJournal(this.journal), append: () => assert.fail('the process is gone') },
      store: {
        ...bound(this.store),
        write: async (traces, steps) => {
          lost.push({ traces, steps })
          await this.store.write(half === 'steps' ? [] : traces, half === 'traces' ? [] : steps)
        },
        findTraces: async (...given) => {
          const found = await this.store.findTraces(...given)
          loads += 1
          if (loads === 2) bothLoaded.resolve()
          await bothLoaded.promise
          return found
        },
        findVersionsAfter: () => new Promise(() => undefined),
      },
    })
    doomed.clock.advance(1000)
    const results = await Promise.allSettled([
      doomed.appendSteps(this.appended, {
        name: 'lost',
        status: 'error',
        model: 'lost',
        token_usage: { input: 100 },
        idempotency_key: 'lost',
      }),
      doomed.service.useCases.patch(PROJECT, this.changed, { status: 'ok', flagged: false, reason: null }),
      bothLoaded.promise.then(() =>
        doomed.commit({ name: 'created', steps: [{ name: 's' }] }, { idempotencyKey: 'lost' }),
      ),
    ])
    assert.equal(lost.length, 1, 'one commit for all')
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    )
    const created = lost[0]!.traces.find(({ name }) => name === 'created')!.id
    return { appended: this.appended, changed: this.changed, created }
  }

  async restart() {
    const repaired = await repairStore(this.store, this.journal, BEGIN_MS)
    this.#world = new TraceWorld({ journal: this.journal, store: this.store })
    this.#world.clock.advance(60_000)
    return { repaired }
  }

  /** Everything is as before the crash, whichever way one looks. */
  async check({
    appended,
    changed,
    created,
  }: {
    appended: TraceId
    changed: TraceId
    created: TraceId
  }): Promise<void> {
    const world = this.#world
    assert.deepEqual(await snapshot(world, appended, changed), this.#known)
    await assert.rejects(world.service.useCases.read(PROJECT, created), { code: 'not_found' })
    for (const sort of ['created_at', 'duration_ms', 'total_tokens', 'step_count'] as const) {
      const { traces } = await world.list({ sort })
      assert.deepEqual(traces.map(({ id }) => id).sort(), [appended, changed].sort(), `sorted by ${sort}`)
      assert.deepEqual((await world.list({ sort, model: 'lost' })).traces, [])
    }
    assert.deepEqual(
      (await world.list({ flagged: true })).traces.map(({ id }) => id),
      [changed],
    )
    assert.equal((await world.list({ projectId: OTHER_PROJECT })).traces.length, 1)
  }

  /** What was taken back can be sent again, and arrives behind what was there. */
  async goOn(appended: TraceId): Promise<void> {
    const world = this.#world
    const [verdict] = await world.appendSteps(appended, { name: 'lost', idempotency_key: 'lost' })
    assert.equal(verdict?.status, 'created')
    assert.equal((await world.appendSteps(appended, { name: 'lost', idempotency_key: 'lost' }))[0]?.status, 'duplicate')
    const { steps } = await world.service.useCases.listSteps({
      projectId: PROJECT,
      traceId: appended,
      limit: 9,
      cursor: null,
    })
    assert.deepEqual(
      steps.map(({ position, name }) => [position, name]),
      [
        [0, 's'],
        [1, 'second'],
        [2, 'third'],
        [3, 'lost'],
      ],
    )
    assert.equal(steps[3]?.parentStepId, steps[2]?.id)
    const { replayed } = await world.commit({ name: 'created', steps: [{ name: 's' }] }, { idempotencyKey: 'lost' })
    assert.equal(replayed, false)
  }
}

async function snapshot(world: TraceWorld, appended: TraceId, changed: TraceId): Promise<Known> {
  const { trace, steps } = await world.service.useCases.read(PROJECT, appended)
  const stepIds: StepId[] = []
  for await (const page of steps) stepIds.push(...page.map(({ id }) => id))
  const { trace: other } = await world.service.useCases.read(PROJECT, changed)
  const [{ version: _a, ...first }, { version: _b, ...second }] = [trace, other]
  // What was before the restored version matters to nobody but the next repair.
  return { appended: { ...first, previous: NOTHING }, changed: { ...second, previous: NOTHING }, stepIds }
}

const NOTHING = { flagged: false, flagReason: null, ownStatus: null }

async function keepHouseUntil(
  store: TraceStore,
  journal: Journal,
  done: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let round = 0; round < HOUSE_ROUNDS; round++) {
    await keepHouse({ store, journal, journalRetentionMs: Number.MAX_SAFE_INTEGER }, BEGIN_MS)
    if (await done()) return
    await new Promise((resolve) => setTimeout(resolve, HOUSE_PAUSE_MS))
  }
  assert.fail('the house is never in order')
}

/** The methods of an object as fields, so that one can be replaced. */
function bound(store: TraceStore): TraceStore {
  return {
    write: (...given) => store.write(...given),
    findTraces: (...given) => store.findTraces(...given),
    findFeedCandidates: (query) => store.findFeedCandidates(query),
    findSteps: (range) => store.findSteps(range),
    findStepSizes: (range) => store.findStepSizes(range),
    findStepIds: (...given) => store.findStepIds(...given),
    findStepIdsAmong: (...given) => store.findStepIdsAmong(...given),
    findTracesAfter: (version) => store.findTracesAfter(version),
    findVersionsAfter: (version) => store.findVersionsAfter(version),
    summarizeSteps: (...given) => store.summarizeSteps(...given),
    purgeTraces: (traces) => store.purgeTraces(traces),
    purgeVersions: (versions) => store.purgeVersions(versions),
    sizeBytes: () => store.sizeBytes(),
  }
}

function boundJournal(journal: Journal): Journal {
  return {
    append: (commit) => journal.append(commit),
    last: () => journal.last(),
    read: (...given) => journal.read(...given),
    headPosition: () => journal.headPosition(),
    prunedThrough: () => journal.prunedThrough(),
    prune: (...given) => journal.prune(...given),
    abandonedVersions: () => journal.abandonedVersions(),
    forgetAbandoned: (versions) => journal.forgetAbandoned(versions),
    findTraceKey: (...given) => journal.findTraceKey(...given),
    findStepKey: (...given) => journal.findStepKey(...given),
    supersededAt: (...given) => journal.supersededAt(...given),
    pruneSuperseded: (...given) => journal.pruneSuperseded(...given),
    deletedAmong: (traceIds) => journal.deletedAmong(traceIds),
    pendingPurges: (limit) => journal.pendingPurges(limit),
    markPurged: (traceIds) => journal.markPurged(traceIds),
  }
}
