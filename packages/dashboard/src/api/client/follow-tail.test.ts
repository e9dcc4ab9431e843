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
  const events: string[] = []
  const sources: FakeSource[] = []
  const waits: { delayMs: number; run: () => void }[] = []
  const answer = { verdict: 'again' as 'again' | 'refused' }
  const stop = followTail(
    { onTrace: () => events.push('trace'), onGap: () => events.push('gap'), onState: (state) => events.push(state) },
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
  return { events, sources, waits, answer, stop, giveUp }
}

test('a broken connection is left to the browser, which resumes at its last event', () => {
  const { events, sources } = world()
  sources[0]?.emit('open')
  sources[0]?.emit('trace.committed')
  sources[0]?.emit('error', 0)
  sources[0]?.emit('open')
  sources[0]?.emit('gap')
  assert.deepEqual(events, ['connecting', 'open', 'trace', 'connecting', 'open', 'gap'])
  assert.equal(sources.length, 1)
})

test('a connection that the browser closed is reopened with growing back-off, and reports a gap', async () => {
  const { events, sources, waits, giveUp } = world()
  for (let i = 0; i < 7; i++) {
    await giveUp()
    waits.at(-1)?.run()
  }
  assert.deepEqual(
    waits.map(({ delayMs }) => delayMs),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  )
  events.length = 0
  sources.at(-1)?.emit('open')
  assert.deepEqual(events, ['open', 'gap'])
  await giveUp()
  assert.equal(waits.at(-1)?.delayMs, 1000)
})

test('a refused tail is not retried, and an ended one reports nothing', async () => {
  const refused = world()
  refused.answer.verdict = 'refused'
  await refused.giveUp()
  assert.deepEqual([refused.events.at(-1), refused.waits.length], ['refused', 0])
  const left = world()
  await left.giveUp()
  left.stop()
  assert.equal(left.waits.length, 0)
  assert.equal(left.sources[0]?.readyState, 2)
})
