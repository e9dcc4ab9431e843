import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkTurns } from '../../lib/flow/work-turns.ts'
import { AppendWorld, settle, stepLine, toText } from './append-world.test-support.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { fromChunks, TraceWorld } from '../trace-world.test-support.ts'

test('verdicts come in line order, one for each non-blank line, for any chunking, latency and mix of lines', async () => {
  const kinds = fc.constantFrom('good', 'bad', 'blank', 'invalid', 'again' as const)
  const plan = fc.record({
    lines: fc.array(kinds, { maxLength: 30 }),
    cuts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    waits: fc.array(fc.nat(3)),
    ended: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ lines, cuts, waits, ended }) => {
      const world = new TraceWorld()
      const { id } = await world.commit({ name: 't' })
      const results = {
        good: '{"name":"s"}',
        bad: '{"name":',
        blank: ' \t',
        invalid: '{"name":"s","nam":1}',
        again: '{"name":"k","idempotency_key":"k"}',
      }
      const all = lines.map((kind) => results[kind]).join('\n') + (ended ? '\n' : '')
      async function* chunks() {
        let rest = Buffer.from(all)
        for (let index = 0; rest.length > 0; index++) {
          const size = cuts[index % cuts.length]!
          yield rest.subarray(0, size)
          rest = rest.subarray(size)
          for (let wait = waits[index % (waits.length || 1)] ?? 0; wait > 0; wait--)
            await new Promise((resolve) => setImmediate(resolve))
        }
      }
      let again = 0
      const expected = lines.flatMap((kind, index) => {
        if (kind === 'blank') return []
        if (kind === 'bad') return [`${index + 1} malformed_json`]
        if (kind === 'invalid') return [`${index + 1} unknown_field`]
        return [`${index + 1} ${kind === 'again' && again++ > 0 ? 'duplicate' : 'created'}`]
      })
      assert.deepEqual(
        (await world.append(id, chunks())).map(toText),
        expected.map((result) => result),
      )
      const { trace } = await world.service.useCases.read(PROJECT, id)
      assert.equal(trace.stepCount, expected.filter((result) => result.endsWith('created')).length)
      assert.equal(world.budget.usedBytes, 0)
    }),
    { numRuns: 100 },
  )
})

test('a last line without a line end is stored when the body ends during a commit', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  const whole = Buffer.concat([Buffer.from('{"name":'), Buffer.from('\n{"name":"last"}')])
  for (let size = 1; size <= whole.length; size++) {
    const verdicts = await world.append(
      id,
      [whole.subarray(0, size), whole.subarray(size)].filter(({ length }) => length > 0),
    )
    assert.deepEqual(verdicts.map(toText), ['1 malformed_json', '2 created'], `cut after ${size} bytes`)
  }
})

test('an unknown trace is refused before a byte is read', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  const untouched = { [Symbol.asyncIterator]: () => assert.fail('it was read') }
  for (const [projectId, traceId] of [
    [OTHER_PROJECT, id],
    [PROJECT, idAt('tr', 5)],
  ] as const)
    await assert.rejects(world.service.useCases.append({ projectId, traceId, chunks: untouched }), {
      code: 'not_found',
    })
})

test('when a trace is deleted during a stream, written lines have their verdict and later lines get not_found', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  async function* chunks() {
    yield stepLine(1)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    await world.service.useCases.delete(PROJECT, id)
    yield stepLine(2)
  }
  assert.deepEqual((await world.append(id, chunks())).map(toText), ['1 created', '2 not_found'])
})

test('when a body is cut off, complete lines are stored and the error follows their verdicts', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't' })
  async function* chunks() {
    yield Buffer.concat([stepLine(1), stepLine(2), Buffer.from('{"name":"half"}')])
    throw new Error('the client vanished')
  }
  const results: string[] = []
  const reading = async () => {
    for await (const batch of await world.service.useCases.append({
      projectId: PROJECT,
      traceId: id,
      chunks: chunks(),
    }))
      results.push(...batch.map(toText))
  }
  await assert.rejects(reading(), /the client vanished/)
  assert.deepEqual(results, ['1 created', '2 created'])
  assert.equal((await world.service.useCases.read(PROJECT, id)).trace.stepCount, 2)
  assert.equal(world.budget.usedBytes, 0)
})

test('a line that is too long gets a verdict and the next lines go on', async () => {
  const world = new TraceWorld({ limits: { lineBytes: 40 } })
  const { id } = await world.commit({ name: 't' })
  const verdicts = await world.append(id, [stepLine(1), stepLine(2, { type: 'x'.repeat(30) }), stepLine(3)])
  assert.deepEqual(verdicts.map(toText), ['1 created', '2 line_too_large', '3 created'])
})

test('a request that is too long ends with a verdict on its first unread line', async () => {
  const world = new TraceWorld({ limits: { ndjsonRequestBytes: stepLine(1).length * 2 + 3 } })
  const { id } = await world.commit({ name: 't' })
  const verdicts = await world.append(
    id,
    [1, 2, 3, 4].map((index) => stepLine(index)),
  )
  assert.deepEqual(verdicts.map(toText), ['1 created', '2 created', '3 request_too_large'])
})

test('a stream waits for a full queue; after a while, each line gets a verdict', async () => {
  const world = new AppendWorld()
  world.full = 3
  const results: string[] = []
  for await (const batch of await world.append(fromChunks([stepLine(1)]))) results.push(...batch.map(toText))
  assert.deepEqual([results, world.queueWaits], [['1 created'], 3])
  world.full = Infinity
  for await (const batch of await world.append(fromChunks([Buffer.concat([stepLine(1), stepLine(2)])])))
    results.push(...batch.map(toText))
  assert.deepEqual(results, ['1 created', '1 queue_full', '2 queue_full'])
  assert.equal(world.holders, 0)
})

test('the first line is committed at once, and lines that arrive meanwhile are committed together', async () => {
  const world = new AppendWorld()
  world.automatic = false
  const verdicts = (await world.append(fromChunks([1, 2, 3, 4].map((index) => stepLine(index)))))[
    Symbol.asyncIterator
  ]()
  const first = verdicts.next()
  await settle()
  assert.deepEqual(
    world.submitted[0]?.steps.map(({ name }) => name),
    ['step 1'],
  )
  world.submitted[0]?.answer()
  assert.deepEqual((await first).value?.map(toText), ['1 created'])
  const second = verdicts.next()
  await settle()
  world.submitted[1]?.answer()
  assert.deepEqual((await second).value?.map(toText), ['2 created', '3 created', '4 created'])
  assert.equal((await verdicts.next()).done, true)
})

test('the source is paused for a slow store and for a slow consumer', async () => {
  const chunk = stepLine(1, { metadata: { text: 'x'.repeat(100_000) } })
  for (const slow of ['store', 'consumer'] as const) {
    const world = new AppendWorld()
    world.automatic = slow === 'consumer'
    let read = 0
    async function* endless() {
      for (;;) {
        read += chunk.length
        yield chunk
      }
    }
    const verdicts = (await world.append(endless()))[Symbol.asyncIterator]()
    const first = verdicts.next()
    if (slow === 'consumer') await first
    await settle()
    const [before, heldBytes] = [read, world.budget.usedBytes]
    for (let turn = 0; turn < 50; turn++) await settle()
    assert.equal(read, before, 'the stream had stopped reading')
    assert.ok(before < 4 * 1024 * 1024, `${before} bytes were read for a slow ${slow}`)
    assert.ok(heldBytes < 2 * 1024 * 1024, `${heldBytes} bytes are held`)
    world.automatic = true
    for (const { answer } of world.submitted) answer()
    await first
    await verdicts.return?.()
    await settle()
    assert.deepEqual([world.holders, world.budget.usedBytes], [0, 0])
  }
})

test('a consumer that leaves early closes the source; the trace is held until the remaining groups are written', async () => {
  const world = new AppendWorld()
  let ended = false
  async function* source() {
    try {
      for (let index = 1; ; index++) yield stepLine(index)
    } finally {
      ended = true
    }
  }
  const verdicts = (await world.append(source()))[Symbol.asyncIterator]()
  world.automatic = false
  const first = verdicts.next()
  await settle()
  assert.equal(world.submitted.length, 2, 'one is written, one waits')
  world.submitted[0]?.answer()
  await first
  await verdicts.return?.()
  assert.deepEqual([ended, world.holders, world.budget.usedBytes], [true, 1, 0])
  world.submitted[1]?.answer()
  await settle()
  assert.deepEqual([world.holders, world.submitted.length], [0, 2])
})

test('lines yield to other work, also when all are refused and nothing is written or sent', async () => {
  for (const text of ['{}', '{', '{"name":"x"}']) {
    const world = new AppendWorld()
    let [ms, turns] = [0, 0]
    const nextTurn = (run: () => void) => {
      turns++
      setImmediate(run)
    }
    // Each reading of the clock is a millisecond later: one for each line.
    world.work = new WorkTurns({ now: () => ms++, nextTurn })
    const lines: number[] = []
    for await (const batch of await world.append(fromChunks([Buffer.from(`${text}\n`.repeat(5000))])))
      lines.push(...batch.map((verdict) => verdict.line))
    assert.deepEqual(
      lines,
      Array.from({ length: 5000 }, (_, index) => index + 1),
    )
    assert.ok(turns >= 1000, `${turns} turns for 5,000 lines of 1 ms`)
  }
})

test('when a group fills up in the middle of a chunk, the rest of the chunk waits', async () => {
  const world = new AppendWorld()
  const sizes: number[] = []
  for await (const batch of await world.append(fromChunks([Buffer.from('{}\n{"name":"x"}\n'.repeat(4000))])))
    sizes.push(batch.length)
  assert.deepEqual(sizes, [2000, 2000, 2000, 2000])
})

test('an iteration that is never started holds nothing', async () => {
  const world = new AppendWorld()
  await world.append(fromChunks([stepLine(1)]))
  assert.equal(world.holders, 0)
})
