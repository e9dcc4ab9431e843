import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { toRefusal } from '../../lib/lines/line-group.ts'
import { AppendWorld, settle, stepLine, toText } from './append-world.test-support.ts'
import { LARGE_BODY_BYTES } from '../parse-thread/large-bodies.ts'
import { parseStep } from './parse-step.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { fromChunks, TraceWorld } from '../trace-world.test-support.ts'
import type { LineVerdict } from '../use-cases.ts'

/** A step whose line has this many bytes, without its line end. */
function stepOf(bytes: number, index = 2): Buffer {
  const rest = stepLine(index, { metadata: { text: '' } }).length - 1
  return stepLine(index, { metadata: { text: 'x'.repeat(bytes - rest) } })
}

const LARGE = stepOf(LARGE_BODY_BYTES)

async function collect(verdicts: AsyncIterable<readonly LineVerdict[]>, results: string[] = []): Promise<string[]> {
  for await (const batch of verdicts) results.push(...batch.map(toText))
  return results
}

test('a large line is parsed in the thread; earlier lines are written meanwhile, later lines are not read', async () => {
  const world = new AppendWorld()
  world.automaticThread = false
  const lines = Buffer.concat([stepLine(1), LARGE, stepLine(3)])
  const verdicts = (await world.append(fromChunks([lines])))[Symbol.asyncIterator]()
  assert.deepEqual((await verdicts.next()).value?.map(toText), ['1 created'])
  const rest = collect({ [Symbol.asyncIterator]: () => verdicts })
  await settle()
  assert.equal(world.handed.length, 1)
  assert.deepEqual(world.handed[0]?.bytes.toString(), LARGE.subarray(0, -1).toString())
  assert.equal(world.submitted.length, 1, 'nothing after it is written')
  world.handed[0]?.answer()
  assert.deepEqual(await rest, ['2 created', '3 created'])
  const names = world.submitted.flatMap(({ steps }) => steps.map(({ name }) => name))
  assert.deepEqual(names, ['step 1', 'step 2', 'step 3'])
})

test('only lines of at least 64 KB go to the thread, however they are split into chunks and terminated', async () => {
  const small = stepOf(LARGE_BODY_BYTES - 1)
  for (const [text, handed] of [
    [small, 0],
    [LARGE, 1],
    [LARGE.subarray(0, -1), 1],
    [Buffer.concat([LARGE.subarray(0, -1), Buffer.from('\r\n')]), 1],
    [Buffer.concat([small.subarray(0, -1), Buffer.from('\r\n')]), 0],
    [Buffer.concat([LARGE, LARGE, small, LARGE]), 3],
  ] as const) {
    for (const size of [1000, 65_536, 1_000_000]) {
      const world = new AppendWorld()
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.subarray(index * size, (index + 1) * size),
      )
      const results = await collect(await world.append(fromChunks(chunks)))
      assert.ok(results.length > 0 && results.every((verdict) => verdict.endsWith(' created')))
      assert.equal(world.handed.length, handed, `${text.length} bytes in chunks of ${size}`)
      assert.equal(world.budget.usedBytes, 0)
    }
  }
})

test('a large line is charged to the budget until it is parsed, also after the consumer has left', async () => {
  const world = new AppendWorld()
  world.automaticThread = false
  const chunks = fromChunks([Buffer.concat([stepLine(1), LARGE, stepLine(3)])])
  const verdicts = (await world.append(chunks))[Symbol.asyncIterator]()
  await verdicts.next()
  await settle()
  assert.ok(world.budget.usedBytes >= 2 * LARGE_BODY_BYTES, `${world.budget.usedBytes} bytes for a chunk and a line`)
  await verdicts.return?.()
  assert.equal(world.budget.usedBytes, LARGE.length - 1)
  world.handed[0]?.answer()
  await settle()
  assert.deepEqual([world.budget.usedBytes, world.holders, world.submitted.length], [0, 0, 1])
})

test('without budget for a large line, the stream ends before it', async () => {
  const world = new AppendWorld({}, 100_000)
  const results: string[] = []
  const verdicts = await world.append(fromChunks([Buffer.concat([stepLine(1), LARGE, stepLine(3)])]))
  await assert.rejects(collect(verdicts, results), { code: 'queue_full' })
  assert.deepEqual([results, world.handed.length, world.budget.usedBytes], [['1 created'], 0, 0])
})

test('when the thread dies, earlier lines are written and the stream ends', async () => {
  const world = new AppendWorld()
  world.automaticThread = false
  const results: string[] = []
  const ended = collect(await world.append(fromChunks([Buffer.concat([stepLine(1), LARGE, stepLine(3)])])), results)
  await settle()
  world.handed[0]?.fail(new Error('the thread died'))
  await assert.rejects(ended, /the thread died/)
  assert.deepEqual([results, world.holders, world.budget.usedBytes], [['1 created'], 0, 0])
})

test('lines get the same verdicts as when parsed in the main thread, in order, for any mix, chunking and size', async () => {
  const text = 'ก'.repeat(LARGE_BODY_BYTES / 3)
  const kinds = {
    small: Buffer.from('{"name":"small"}'),
    unknown: Buffer.from('{"name":"x","a":1,"b":2}'),
    large: Buffer.from(`{"name":"large","metadata":{"text":"${text}"}}`),
    cut: Buffer.from(`{"name":"x","metadata":{"text":"${text}"`),
    wrong: Buffer.from(`{"name":1,"messages":[{"role":"${text}"},{}]}`),
    latin: Buffer.concat([Buffer.from(`{"name":"${text}`), Buffer.from([0xff])]),
    unlinked: Buffer.from(
      `{"name":"x","metadata":{"text":"${text}"},"attachments":[{"uri":"media://${PROJECT}/${'a'.repeat(64)}"}]}`,
    ),
  }
  const world = new TraceWorld()
  const plan = fc.record({
    lines: fc.array(fc.constantFrom(...Object.values(kinds)), { maxLength: 6 }),
    cuts: fc.array(fc.integer({ min: 1000, max: 200_000 }), { minLength: 1 }),
    ended: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ lines, cuts, ended }) => {
      const { id } = await world.commit({ name: 't' })
      const all = Buffer.concat(
        lines.flatMap((line, index) => (ended || index < lines.length - 1 ? [line, Buffer.from('\n')] : [line])),
      )
      const chunks: Buffer[] = []
      for (let at = 0; at < all.length; at += chunks.at(-1)!.length) {
        chunks.push(Buffer.from(all.subarray(at, at + cuts[chunks.length % cuts.length]!)))
      }
      const names: string[] = []
      const expected = lines.map((bytes, index) => {
        const outcome = parseStep(bytes, DEFAULT_LIMITS)
        if ('refusal' in outcome) return toRefusal(index + 1, outcome.refusal)
        names.push(outcome.value.name)
        return { line: index + 1, status: 'created' }
      })
      const results = await world.append(id, chunks)
      assert.deepEqual(
        results.map((verdict) =>
          verdict.status === 'error' ? verdict : { line: verdict.line, status: verdict.status },
        ),
        expected,
      )
      const { steps } = await world.service.useCases.read(PROJECT, id)
      const written: string[] = []
      for await (const page of steps) written.push(...page.map(({ name }) => name))
      assert.deepEqual(written, names)
      assert.equal(world.budget.usedBytes, 0)
    }),
    { numRuns: 30 },
  )
  await world.service.close()
})
