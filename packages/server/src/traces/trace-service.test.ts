import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeFeedCursor } from './read/feed-cursor.ts'
import { OTHER_PROJECT, PROJECT } from './trace-builders.test-support.ts'
import { TraceWorld } from './trace-world.test-support.ts'

const NO_TRACE = { code: 'not_found' }

test('the same body under the same key is the same trace, at once and later; another body is a conflict; keys of another project are separate', async () => {
  const world = new TraceWorld()
  const body = { name: 't', steps: [{ name: 'a' }, { name: 'b' }] }
  const key = { idempotencyKey: 'k' }
  const [first, second] = await Promise.all([world.commit(body, key), world.commit(body, key)])
  assert.deepEqual([first?.replayed, second?.replayed], [false, true])
  assert.deepEqual({ ...second, replayed: false }, first)
  await world.appendSteps(first!.id, { name: 'c' })
  assert.deepEqual(await world.commit(body, key), { ...first, replayed: true }, 'with the steps it had then')
  await assert.rejects(world.commit({ name: 'other' }, key), { code: 'idempotency_conflict' })
  const foreign = await world.commit({ name: 'other' }, { ...key, projectId: OTHER_PROJECT })
  assert.equal(foreign.replayed, false)
  assert.equal((await world.list()).traces.length, 1)
})

test('concurrent bodies under one key: one wins, the other is a conflict; a refused one does not use up the key', async () => {
  const world = new TraceWorld()
  const key = { idempotencyKey: 'k' }
  await assert.rejects(world.commit({ nam: 't' }, key), { code: 'validation_failed' })
  const answers = await Promise.allSettled([world.commit({ name: 'a' }, key), world.commit({ name: 'b' }, key)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  world.memory.failures += 1
  await assert.rejects(world.commit({ name: 'c' }, { idempotencyKey: 'c' }), { code: 'storage_unavailable' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await world.commit({ name: 'c' }, { idempotencyKey: 'c' })).replayed, false)
})

test('acknowledged writes are readable and journaled in that order', async () => {
  const world = new TraceWorld()
  const { id, stepIds } = await world.commit({
    name: 't',
    metadata: { a: 1.0 },
    steps: [{ name: 's', status: 'error' }],
  })
  const { trace, steps } = await world.service.useCases.read(PROJECT, id)
  const read = []
  for await (const page of steps) read.push(...page)
  assert.deepEqual(
    read.map((step) => step.id),
    stepIds,
  )
  assert.deepEqual([trace.metadata.toString(), trace.status, trace.flagged], ['{"a":1}', 'error', true])
  assert.deepEqual(await world.events(), [
    { type: 'trace.committed', traceId: id },
    { type: 'trace.flagged', traceId: id, reason: null },
    { type: 'trace.completed', traceId: id },
  ])
  assert.deepEqual(
    world.published.map(({ lastPosition }) => lastPosition),
    [3],
  )
})

test("a deleted trace and another project's trace get the same response everywhere", async () => {
  const world = new TraceWorld()
  const [gone, foreign] = [
    (await world.commit({ name: 'gone' })).id,
    (await world.commit({ name: 'f' }, { projectId: OTHER_PROJECT })).id,
  ]
  await world.service.useCases.delete(PROJECT, gone)
  const { useCases } = world.service
  for (const traceId of [gone, foreign]) {
    await assert.rejects(useCases.read(PROJECT, traceId), NO_TRACE)
    await assert.rejects(useCases.listSteps({ projectId: PROJECT, traceId, limit: 1, cursor: null }), NO_TRACE)
    await assert.rejects(useCases.patch(PROJECT, traceId, { status: 'error', flagged: null, reason: null }), NO_TRACE)
    await assert.rejects(useCases.delete(PROJECT, traceId), NO_TRACE)
    await assert.rejects(world.appendSteps(traceId, { name: 's' }), NO_TRACE)
  }
  assert.deepEqual((await world.list()).traces, [])
  assert.equal((await useCases.read(OTHER_PROJECT, foreign)).trace.name, 'f')
})

test('a deletion with a time of grace can be undone within it, once, and not by another project', async () => {
  const world = new TraceWorld()
  const { useCases } = world.service
  const { id } = await world.commit({ name: 'kept', metadata: { env: 'prod' } })
  await world.appendSteps(id, { name: 's' })
  const before = await useCases.read(PROJECT, id)
  await useCases.delete(PROJECT, id, { graceMs: 20_000 })
  await assert.rejects(useCases.read(PROJECT, id), NO_TRACE)
  assert.deepEqual((await world.list()).traces, [])
  assert.deepEqual(await world.journal.deletedAmong([id]), new Set([id]))
  await assert.rejects(useCases.restore(OTHER_PROJECT, id), NO_TRACE)

  world.clock.advance(20_000)
  const restored = await useCases.restore(PROJECT, id)
  const { version: _old, ...content } = before.trace
  const { version: _new, ...back } = restored
  assert.deepEqual(back, content)
  assert.deepEqual(await world.journal.pendingPurges(9), [])
  assert.equal((await useCases.listSteps({ projectId: PROJECT, traceId: id, limit: 9, cursor: null })).steps.length, 1)
  await assert.rejects(useCases.restore(PROJECT, id), NO_TRACE)

  await useCases.delete(PROJECT, id, { graceMs: 20_000 })
  world.clock.advance(20_001)
  await assert.rejects(useCases.restore(PROJECT, id), NO_TRACE)
  const { id: final } = await world.commit({ name: 'final' })
  await useCases.delete(PROJECT, final)
  await assert.rejects(useCases.restore(PROJECT, final), NO_TRACE)
})

test('a deletion that can be undone is made final without a moment in which the trace can be read', async () => {
  const world = new TraceWorld()
  const { useCases, findRestorable, deleteForGood } = world.service
  const { id } = await world.commit({ name: 'kept', user_id: 'u' })
  assert.equal(await findRestorable(PROJECT, id), null)
  await useCases.delete(PROJECT, id, { graceMs: 20_000 })
  assert.equal((await findRestorable(PROJECT, id))?.userId, 'u')
  assert.equal(await findRestorable(OTHER_PROJECT, id), null)
  const isOf = (userId: string) => (trace: { readonly userId: string | null }) => trace.userId === userId
  await deleteForGood(PROJECT, id, isOf('another'))
  assert.equal((await findRestorable(PROJECT, id))?.name, 'kept')
  // A repeated one finds no user any more, and changes nothing.
  for (let times = 0; times < 2; times++) await deleteForGood(PROJECT, id, isOf('u'))
  await assert.rejects(useCases.restore(PROJECT, id), NO_TRACE)
  assert.equal(await findRestorable(PROJECT, id), null)
  assert.deepEqual(await world.journal.pendingPurges(9), [{ projectId: PROJECT, traceId: id }])
  assert.deepEqual((await world.list()).traces, [])
})

test('steps by page and by stream: all of them in order, of any size, and none added after the read began', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  const sizes = [10, 900_000, 900_000, 900_000, 3_000_000, 10, 10]
  for (const [index, size] of sizes.entries())
    await world.appendSteps(id, { name: `${index}`, metadata: { text: 'x'.repeat(size) } })
  const names = sizes.map((_, index) => `${index}`)
  const paged: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof world.service.useCases.listSteps>> = await world.service.useCases.listSteps({
      projectId: PROJECT,
      traceId: id,
      limit: 3,
      cursor,
    })
    assert.ok(page.steps.length > 0 && page.steps.length <= 3)
    paged.push(...page.steps.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== null)
  assert.deepEqual(paged, names)
  const streamed: string[] = []
  for await (const page of (await world.service.useCases.read(PROJECT, id)).steps) {
    assert.ok(page.length === 1 || page.reduce((sum, { body }) => sum + body.length, 0) <= 4 * 1024 * 1024)
    streamed.push(...page.map(({ name }) => name))
    await world.appendSteps(id, { name: 'later' })
  }
  assert.deepEqual(streamed, names)
  const other = (await world.commit({ name: 'other' })).id
  const page = await world.service.useCases.listSteps({ projectId: PROJECT, traceId: id, limit: 3, cursor: null })
  const foreign = world.service.useCases.listSteps({
    projectId: PROJECT,
    traceId: other,
    limit: 3,
    cursor: page.nextCursor,
  })
  await assert.rejects(foreign, { code: 'invalid_cursor' })
})

test('a long trace starts with a small page; a trace that fits one query comes at once', async () => {
  const world = new TraceWorld()
  for (const { steps, first } of [
    { steps: 450, first: 450 },
    { steps: 2500, first: 130 },
  ]) {
    const { id } = await world.commit({ name: 't' })
    const step = { name: 's', metadata: { text: 'x'.repeat(1000) } }
    await world.appendSteps(id, ...Array.from({ length: steps }, () => step))
    const pages: number[] = []
    for await (const page of (await world.service.useCases.read(PROJECT, id)).steps) pages.push(page.length)
    assert.ok(pages[0]! > first * 0.9 && pages[0]! <= first, `${pages[0]} of ${steps}`)
    assert.equal(
      pages.reduce((sum, length) => sum + length),
      steps,
    )
  }
})

test('closing commits what waits; later writes are refused, reads continue', async () => {
  const world = new TraceWorld()
  const waiting = world.commit({ name: 't' })
  // Until the body is parsed.
  await new Promise((resolve) => setImmediate(resolve))
  await world.service.close()
  const { id } = await waiting
  await assert.rejects(world.commit({ name: 't' }), { code: 'shutting_down' })
  assert.equal((await world.service.useCases.read(PROJECT, id)).trace.id, id)
})

test('only texts returned as a cursor are cursors', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  const query = { ...world.everything, limit: 1 }
  const fields = fc.array(
    fc.oneof(fc.constant(id), fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.constant(1e300)),
    { maxLength: 6 },
  )
  const text = fc.oneof(
    fc.string(),
    fields.map((given) => Buffer.from(JSON.stringify(given)).toString('base64url')),
  )
  fc.assert(
    fc.property(text, (given) => {
      assert.throws(() => decodeFeedCursor(given, query), { code: 'invalid_cursor' })
    }),
  )
})

test('a change is not visible before its commit ends, even if it is already durable', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't', steps: [{ name: 'a' }] })
  const staged = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const stage = world.memory.stage.bind(world.memory)
  world.memory.stage = async (commit) => {
    await stage(commit)
    staged.resolve()
    await goOn.promise
  }
  const appended = world.appendSteps(id, { name: 'b' })
  await staged.promise
  assert.equal((await world.service.useCases.read(PROJECT, id)).trace.stepCount, 1)
  assert.deepEqual(
    (await world.list()).traces.map(({ stepCount }) => stepCount),
    [1],
  )
  goOn.resolve()
  await appended
  assert.equal((await world.service.useCases.read(PROJECT, id)).trace.stepCount, 2)
})

test('a reason with a lone surrogate is refused alone: stored, it would fail every commit that shares the insert', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  const change = { status: null, flagged: true, reason: 'odd \ud800' }
  await assert.rejects(world.service.useCases.patch(PROJECT, id, change), {
    code: 'validation_failed',
    errors: [
      {
        pointer: '/reason',
        code: 'invalid_value',
        detail: 'The reason must be valid Unicode, without lone surrogates.',
      },
    ],
  })
  const { flagReason } = await world.service.useCases.patch(PROJECT, id, { ...change, reason: 'odd \u{1f600}' })
  assert.equal(flagReason, 'odd \u{1f600}')
})
