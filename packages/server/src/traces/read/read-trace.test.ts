import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { MemoryRows } from '../../storage/embedded/memory-rows.test-support.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

/** A store that has lost some steps, as after disk damage. */
class LossyStore extends MemoryRows {
  lostSteps: ReadonlySet<number> = new Set()
  afterTraces: () => Promise<void> = async () => undefined

  override async findTraces(...query: Parameters<MemoryRows['findTraces']>) {
    const found = await super.findTraces(...query)
    const then = this.afterTraces
    this.afterTraces = async () => undefined
    await then()
    return found
  }

  override async findSteps(range: Parameters<MemoryRows['findSteps']>[0]) {
    const steps = await super.findSteps({ ...range, limit: Number.MAX_SAFE_INTEGER })
    return steps.filter(({ position }) => !this.lostSteps.has(position)).slice(0, range.limit)
  }

  override async openTrace(...query: Parameters<MemoryRows['openTrace']>) {
    const { trace, firstSteps } = await super.openTrace(...query)
    const hole = firstSteps.findIndex(({ position }) => this.lostSteps.has(position))
    return { trace, firstSteps: hole === -1 ? firstSteps : firstSteps.slice(0, hole) }
  }

  override async findStepSizes(range: Parameters<MemoryRows['findStepSizes']>[0]) {
    const sizes = await super.findStepSizes({ ...range, limit: Number.MAX_SAFE_INTEGER })
    return sizes.filter(({ position }) => !this.lostSteps.has(position)).slice(0, range.limit)
  }
}

const DAMAGED = { code: 'storage_damaged' }

function worldOf() {
  const store = new LossyStore()
  return { store, world: new TraceWorld({ store }) }
}

async function readAll(world: TraceWorld, id: TraceId): Promise<number[]> {
  const positions: number[] = []
  for await (const page of (await world.service.useCases.read(PROJECT, id)).steps)
    positions.push(...page.map(({ position }) => position))
  return positions
}

test('a trace with lost steps is not returned as if it were complete, wherever they were', async () => {
  for (const size of [10, 900_000]) {
    const { store, world } = worldOf()
    const step = (name: string) => ({ name, metadata: { text: 'x'.repeat(size) } })
    const { id } = await world.commit({ name: 't', steps: ['a', 'b', 'c', 'd', 'e'].map(step) })
    for (const lost of [[0], [2], [4], [3, 4], [0, 1, 2, 3, 4]]) {
      store.lostSteps = new Set(lost)
      await assert.rejects(readAll(world, id), DAMAGED, `${size} ${lost.join()}`)
      const listed = (async () => {
        let cursor: string | null = null
        do {
          cursor = (await world.service.useCases.listSteps({ projectId: PROJECT, traceId: id, limit: 2, cursor }))
            .nextCursor
        } while (cursor !== null)
      })()
      await assert.rejects(listed, DAMAGED, `${size} ${lost.join()}`)
    }
    store.lostSteps = new Set()
    assert.deepEqual(await readAll(world, id), [0, 1, 2, 3, 4])
  }
})

test('a trace whose row is lost, or of which only an older row exists, is damaged, not unknown', async () => {
  const { world } = worldOf()
  const id = (await world.commit({ name: 't', steps: [{ name: 'a' }] })).id
  const gone = `${id.slice(0, -1)}0` as TraceId
  world.lostVersions.set(gone, 1)
  await assert.rejects(readAll(world, gone), DAMAGED)
  world.lostVersions.set(id, 2)
  await assert.rejects(readAll(world, id), DAMAGED)
  // Later commits to it are complete again.
  await world.appendSteps(id, { name: 'b' })
  assert.deepEqual(await readAll(world, id), [0, 1])
})

test('an append during a read does not make the trace look damaged', async () => {
  const { store, world } = worldOf()
  const { id } = await world.commit({ name: 't', steps: [{ name: 'a' }] })
  const append = async () => void (await world.appendSteps(id, { name: 'later' }))
  store.afterTraces = append
  assert.deepEqual(await readAll(world, id), [0])
  // When versions are committed in quick succession, only the newest may be left. Its steps are then read too.
  store.afterTraces = async () => undefined
  const read = store.findTraces.bind(store)
  store.findTraces = async (...query) => {
    store.findTraces = read
    await append()
    store.merge()
    return read(...query)
  }
  assert.deepEqual(await readAll(world, id), [0, 1, 2])
})

test('a trace that is deleted and purged during a read is not_found, not damaged', async () => {
  const { store, world } = worldOf()
  // More steps than the first query returns.
  const { id } = await world.commit({ name: 't', steps: [{ name: 'a', metadata: { text: 'x'.repeat(20_000) } }] })
  const { steps } = await world.service.useCases.read(PROJECT, id)
  await world.service.useCases.delete(PROJECT, id)
  store.lostSteps = new Set([0])
  await assert.rejects(
    async () => {
      for await (const page of steps) assert.fail(`${page.length} steps`)
    },
    { code: 'not_found' },
  )
})
