import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import type { TraceDigest, TraceRecord } from '../../ports/traces/trace-record.ts'
import { MemoryRows } from '../../storage/embedded/memory-rows.test-support.ts'
import { exportJson, spanId, toRequest } from '../otlp/spans.test-support.ts'
import { EMPTY_DIGEST } from './trace-digest.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

/** Rows up to a version have no digest, as those of an earlier version of the service. */
class OldRows extends MemoryRows {
  withoutThrough = 0
  agedDigest: TraceDigest | null = null
  /** Runs once, after the next read of a trace with its steps. */
  afterOpen: (() => Promise<unknown>) | null = null

  override async findTraces(...range: Parameters<MemoryRows['findTraces']>) {
    return (await super.findTraces(...range)).map((trace) => this.#aged(trace))
  }

  override async openTrace(...range: Parameters<MemoryRows['openTrace']>) {
    const { trace, firstSteps } = await super.openTrace(...range)
    const hook = this.afterOpen
    this.afterOpen = null
    await hook?.()
    return { trace: trace === undefined ? undefined : this.#aged(trace), firstSteps }
  }

  #aged(trace: TraceRecord): TraceRecord {
    return trace.version <= this.withoutThrough ? { ...trace, digest: this.agedDigest } : trace
  }
}

const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const BODY = {
  name: 'run',
  steps: [
    {
      name: 'a',
      type: 'llm',
      model: 'gpt-4o',
      token_usage: { input: 10 },
      messages: [said('user', 'in'), said('assistant', 'out')],
    },
    { name: 'b', status: 'error', error: { type: 'E', message: 'why' } },
  ],
}

/** A world after the upgrade, whose store has traces of before. */
async function upgraded(make: (world: TraceWorld) => Promise<unknown>) {
  const store = new OldRows()
  const old = new TraceWorld({ store })
  await make(old)
  store.withoutThrough = old.log.watermark().version
  const world = new TraceWorld({ store, journal: old.journal })
  const { traces } = await world.list()
  world.undigested = traces.map(({ projectId, id }) => ({ projectId, traceId: id }))
  return { world, store, before: traces }
}

async function fillAll(world: TraceWorld): Promise<void> {
  const filler = world.service.newDigestFiller()
  for (let steps = 0; !(await filler.step()); steps++) assert.ok(steps < 10, 'it ends')
}

test('traces of an earlier version get their digests, without events and without a change of anything else', async () => {
  const { world, before } = await upgraded(async (old) => {
    for (let n = 0; n < 40; n++) await old.commit(BODY)
  })
  const events = await world.events()
  assert.ok(before.every(({ digest }) => digest === null))
  await fillAll(world)
  const { traces } = await world.list()
  for (const [at, { version, digest, ...rest }] of traces.entries()) {
    const { version: _version, digest: _digest, ...old } = before[at]!
    assert.deepEqual(rest, old)
    assert.ok(version > before[at]!.version)
    assert.deepEqual([digest?.input?.text, digest?.output?.text, digest?.error?.text], ['in', 'out', 'E: why'])
    assert.deepEqual(
      digest?.usage?.map(({ model, tokens }) => [model, tokens.input]),
      [['gpt-4o', 10]],
    )
  }
  assert.deepEqual(await world.events(), events)
  const filled = world.log.watermark().version
  await fillAll(world)
  assert.equal(world.log.watermark().version, filled, 'nothing is written twice')
})

test('a digest of an earlier version gets its types of errors, and the trace is found by them from then on', async () => {
  const { world, store, before } = await upgraded((old) => old.commit(BODY))
  const { errorTypes: _, ...earlier } = EMPTY_DIGEST
  store.agedDigest = earlier
  const found = async (errorType: string) => (await world.list({ errorType })).traces.map(({ id }) => id)
  const { id } = before[0]!
  await world.appendSteps(id, { name: 'c', error: { type: 'F', message: 'why' } })
  assert.deepEqual([await found('E'), await found('F')], [[], []])
  await fillAll(world)
  assert.deepEqual([await found('E'), await found('F'), await found('G')], [[id], [id], []])
  const filled = world.log.watermark().version
  await fillAll(world)
  assert.equal(world.log.watermark().version, filled, 'nothing is written twice')
})

test('steps that come before, or while a trace is read, are not missing', async () => {
  const { world, store, before } = await upgraded((old) => old.commit(BODY))
  const [{ id }] = before as [TraceRecord]
  const step = (text: string) => ({ name: 'c', type: 'llm', messages: [said('assistant', text)] })
  await world.appendSteps(id, step('before'))
  assert.equal((await world.list()).traces[0]?.digest, null)
  store.afterOpen = () => world.appendSteps(id, step('meanwhile'))
  await fillAll(world)
  assert.deepEqual((await world.list()).traces[0]?.digest?.output, { at: 3, text: 'meanwhile' })
  await world.appendSteps(id, step('after'))
  assert.deepEqual((await world.list()).traces[0]?.digest?.output, { at: 4, text: 'after' })
})

test('a growing trace completes after it was filled in', async () => {
  const { world } = await upgraded((old) =>
    old.service.useCases.takeExport(toRequest(PROJECT, exportJson([{ spanId: spanId(1), name: 'root' }]))),
  )
  await fillAll(world)
  await world.service.completeQuiet(world.log.watermark().version)
  const completed = (await world.events()).filter(({ type }) => type === 'trace.completed')
  assert.equal(completed.length, 1)
})

test('deleted and damaged traces end nothing; a full disk does until it has space', async () => {
  const { world, before } = await upgraded(async (old) => {
    for (let n = 0; n < 3; n++) await old.commit(BODY)
  })
  const [damaged, deleted, whole] = before.map(({ id }) => id)
  await world.service.useCases.delete(PROJECT, deleted!)
  world.lostVersions.set(damaged!, 1000)
  world.block = new DomainError('disk_full', 'full')
  const filler = world.service.newDigestFiller()
  await assert.rejects(filler.step(), DomainError)
  world.block = null
  while (!(await filler.step()));
  world.lostVersions.clear()
  const { traces } = await world.list()
  assert.deepEqual(
    traces.map(({ id, digest }) => [id, digest !== null]),
    [
      [damaged, false],
      [whole, true],
    ],
  )
})
