import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followTail, type TailSource } from './follow-tail.ts'

class FakeSource implements TailSource {
  readyState = 0
  readonly #listeners = new Map<string, () => void>()

  addEventListener(type: string, listener: () => void): void {
    this.#listeners.set(type, listener)
  }

  close(): void {
    this.readyState = 2
  }

  emit(type: string, readyState = 1): void {
    this.readyState = readyState
    this.#listeners.get(type)?.()
  }
}

function world() {
  const told: string[] = []
  const sources: FakeSource[] = []
  const waits: { delayMs: number; run: () => void }[] = []
  const answer = { verdict: 'again' as 'again' | 'refused' }
  const stop = followTail(
    { onTrace: () => told.push('trace'), onGap: () => told.push('gap'), onState: (state) => told.push(state) },
    {
      connect: () => {
        const source = new FakeSource()
        sources.push(source)
        return source
      },
      probe: async () => answer.verdict,
      after: (delayMs, run) => {
        waits.push({ delayMs, run })
        return () => waits.pop()
      },
    },
  )
  const giveUp = async () => {
    sources.at(-1)?.emit('error', 2)
    await new Promise(setImmediate)
  }
  return { told, sources, waits, answer, stop, giveUp }
}

test('a connection that breaks is left to the browser, which knows its place', () => {
  const { told, sources } = world()
  sources[0]?.emit('open')
  sources[0]?.emit('trace.committed')
  sources[0]?.emit('error', 0)
  sources[0]?.emit('open')
  sources[0]?.emit('gap')
  assert.deepEqual(told, ['connecting', 'open', 'trace', 'connecting', 'open', 'gap'])
  assert.equal(sources.length, 1)
})

test('one that the browser gave up is begun anew after longer waits, and what was missed is a gap', async () => {
  const { told, sources, waits, giveUp } = world()
  for (let i = 0; i < 7; i++) {
    await giveUp()
    waits.at(-1)?.run()
  }
  assert.deepEqual(
    waits.map(({ delayMs }) => delayMs),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  )
  told.length = 0
  sources.at(-1)?.emit('open')
  assert.deepEqual(told, ['open', 'gap'])
  await giveUp()
  assert.equal(waits.at(-1)?.delayMs, 1000)
})

test('who may not follow does not ask again, and who has left hears nothing', async () => {
  const refused = world()
  refused.answer.verdict = 'refused'
  await refused.giveUp()
  assert.deepEqual([refused.told.at(-1), refused.waits.length], ['refused', 0])
  const left = world()
  await left.giveUp()
  left.stop()
  assert.equal(left.waits.length, 0)
  assert.equal(left.sources[0]?.readyState, 2)
})
