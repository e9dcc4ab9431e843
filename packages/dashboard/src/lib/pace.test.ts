import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pace } from './pace.ts'

/** A clock that only the test moves. */
class ManualTimers {
  #now = 0
  readonly #due = new Set<{ at: number; run: () => void }>()

  now(): number {
    return this.#now
  }

  after(delayMs: number, run: () => void): () => void {
    const entry = { at: this.#now + delayMs, run }
    this.#due.add(entry)
    return () => this.#due.delete(entry)
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms
    for (const entry of this.#due) {
      if (entry.at > this.#now) continue
      this.#due.delete(entry)
      entry.run()
    }
    await new Promise(setImmediate)
  }
}

test('a hundred calls in a second run it once now and once later', async () => {
  const timers = new ManualTimers()
  let runs = 0
  const paced = pace(2000, () => void runs++, timers)
  for (let i = 0; i < 100; i++) {
    paced.schedule()
    await timers.advance(10)
  }
  assert.equal(runs, 1)
  await timers.advance(1000)
  assert.equal(runs, 2)
  await timers.advance(10_000)
  assert.equal(runs, 2)
})

test('a slow run never overlaps the next one, and a cancelled run does not start', async () => {
  const timers = new ManualTimers()
  const done: (() => void)[] = []
  const paced = pace(100, () => new Promise<void>((resolve) => done.push(resolve)), timers)
  paced.schedule()
  await timers.advance(500)
  paced.schedule()
  await timers.advance(500)
  assert.equal(done.length, 1)
  done[0]?.()
  await timers.advance(0)
  assert.equal(done.length, 2)
  paced.schedule()
  paced.cancel()
  done[1]?.()
  await timers.advance(1000)
  assert.equal(done.length, 2)
})
