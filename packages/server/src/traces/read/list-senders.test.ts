import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_ADVICE, MOST_SENDERS } from '@spoor/contract/senders'
import type { SenderCount, SenderCountStore, StepMark } from '../../ports/traces/sender-counts.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { createSenders } from './list-senders.ts'

const NOW = Date.UTC(2026, 2, 8)
const DAY = 86_400_000

function count(steps: number, kinds: readonly StepMark['kind'][], fields: Partial<SenderCount> = {}): SenderCount {
  const marks = kinds.map((kind) => ({ kind, attribute: null }))
  return { scope: 'ai', version: '1', model: '', marks, steps, ...fields }
}

function world(counts: readonly SenderCount[], complete = true) {
  const reads: Parameters<SenderCountStore['senderCounts']>[] = []
  const state = { now: NOW, priced: new Set(['gpt-5']), failure: null as Error | null }
  const senders = createSenders({
    store: {
      async senderCounts(...query) {
        reads.push(query)
        if (state.failure !== null) throw state.failure
        return { counts, complete }
      },
    },
    pricerOf: async () => (model) => (state.priced.has(model) ? 1 : null),
    clock: { now: () => state.now },
  })
  return { senders, reads, state }
}

test('the numbers of a sender are of steps, and each step counts once in each', async () => {
  const { senders, reads } = world([
    count(50, ['billed'], { model: 'gpt-5' }),
    count(8, ['billed'], { model: 'own-model' }),
    count(7, ['model']),
    count(6, ['tokens', 'text'], { model: 'gpt-5' }),
    count(5, ['arguments', 'result']),
    count(4, ['result']),
    count(3, ['other', 'type', 'content']),
    count(17, ['other']),
  ])
  const { senders: found, complete } = await senders.list(PROJECT)
  assert.equal(complete, true)
  const [sender] = found
  const { advice, ...numbers } = sender!
  assert.deepEqual(numbers, {
    scope: 'ai',
    version: '1',
    steps: 100,
    others: 20,
    notUnderstood: 3,
    withoutTokens: 6,
    withoutPrice: 15,
    withoutArguments: 9,
    withoutText: 6,
  })
  assert.deepEqual(
    advice.map(({ kind, attribute, count: n }) => [kind, attribute, n]),
    [
      ['result', null, 9],
      ['price', 'own-model', 8],
      ['model', null, 7],
      ['text', null, 6],
      ['tokens', null, 6],
      ['arguments', null, 5],
      ['content', null, 3],
      ['type', null, 3],
    ],
  )
  assert.deepEqual(reads, [[PROJECT, { startTime: NOW - 7 * DAY, endTime: NOW + 1 }]])
})

test('one sender for each scope and version, most spans first, with the attributes that were not read', async () => {
  const marks = (attribute: string): readonly StepMark[] => [{ kind: 'content', attribute }]
  const { senders } = world([
    count(3, [], { version: '2' }),
    count(2, [], { marks: marks('my.answer') }),
    count(2, [], { marks: marks('my.question') }),
    count(1, [], { scope: '', version: '' }),
  ])
  const { senders: found } = await senders.list(PROJECT)
  assert.deepEqual(
    found.map(({ scope, version, steps, advice }) => [scope, version, steps, advice.map(({ attribute }) => attribute)]),
    [
      ['ai', '1', 4, ['my.answer', 'my.question']],
      ['ai', '2', 3, []],
      ['', '', 1, []],
    ],
  )
})

test('senders and advice are bounded, and the answer says that senders are left out', async () => {
  const many = Array.from({ length: MOST_SENDERS + 1 }, (_, at) => count(1000 - at, [], { version: String(at) }))
  const all = await world(many).senders.list(PROJECT)
  assert.deepEqual([all.senders.length, all.complete], [MOST_SENDERS, false])
  assert.equal((await world(many.slice(1)).senders.list(PROJECT)).complete, true)
  assert.equal((await world([count(1, [])], false).senders.list(PROJECT)).complete, false)
  const models = Array.from({ length: MOST_ADVICE + 1 }, (_, at) => count(1, ['billed'], { model: `m${at}` }))
  const [sender] = (await world(models).senders.list(PROJECT)).senders
  assert.deepEqual([sender?.advice.length, sender?.withoutPrice], [MOST_ADVICE, MOST_ADVICE + 1])
})

test('a price that was set counts at once, also for counts that are kept', async () => {
  const { senders, reads, state } = world([count(2_000_000, ['billed'], { model: 'own-model' })])
  assert.equal((await senders.list(PROJECT)).senders[0]?.withoutPrice, 2_000_000)
  state.priced.add('own-model')
  assert.equal((await senders.list(PROJECT)).senders[0]?.withoutPrice, 0)
  assert.equal(reads.length, 1)
})

test('counts of a project are kept for ten seconds for each million steps', async () => {
  const { senders, reads, state } = world([count(1_500_000, []), count(1_500_000, [], { version: '2' })])
  await senders.list(PROJECT)
  state.now += 29_999
  await senders.list(PROJECT)
  assert.equal(reads.length, 1)
  await senders.list(OTHER_PROJECT)
  assert.equal(reads.length, 2)
  state.now += 1
  await senders.list(PROJECT)
  assert.equal(reads.length, 3)
})

test('counts of fewer steps are never kept, nor a read that failed', async () => {
  const { senders, reads, state } = world([count(999_999, [])])
  await senders.list(PROJECT)
  await senders.list(PROJECT)
  assert.equal(reads.length, 2)
  state.failure = new Error('no store')
  await assert.rejects(senders.list(PROJECT), /no store/)
  state.failure = null
  assert.equal((await senders.list(PROJECT)).senders.length, 1)
})

test('a read that ends because its client left does not end that of another', async () => {
  const running: PromiseWithResolvers<{ counts: readonly SenderCount[]; complete: boolean }>[] = []
  const senders = createSenders({
    store: {
      senderCounts: () => {
        const read = Promise.withResolvers<{ counts: readonly SenderCount[]; complete: boolean }>()
        running.push(read)
        return read.promise
      },
    },
    pricerOf: async () => () => null,
    clock: { now: () => NOW },
  })
  const [first, second] = [senders.list(PROJECT), senders.list(PROJECT)]
  running[0]!.reject(new Error('the client has left'))
  running.at(-1)!.resolve({ counts: [count(3, [])], complete: true })
  await assert.rejects(first, /has left/)
  assert.equal((await second).senders[0]?.steps, 3)
})
