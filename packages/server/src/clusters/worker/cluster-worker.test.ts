import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { idAt, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { ClusterWorker, WorkerFailure, WorkerStopped } from './cluster-worker.ts'
import type { ToWorker } from './messages.ts'
import { serveWorker } from './serve-worker.ts'
import type { ThreadListener } from './worker-thread.ts'

/** Threads controlled by the test. */
class Threads {
  readonly timers = new ManualTimers()
  readonly errors: string[] = []
  readonly posted: ToWorker[] = []
  readonly listeners: ThreadListener[] = []
  terminated = 0
  readonly worker = new ClusterWorker({
    startThread: (listener) => {
      this.listeners.push(listener)
      return { post: (message) => void this.posted.push(message), terminate: async () => void this.terminated++ }
    },
    timers: this.timers,
    onError: (_error, message) => this.errors.push(message),
  })

  tidy() {
    return this.worker.ask('tidy', { setId: PROJECT })
  }

  get last(): ThreadListener {
    return this.listeners.at(-1)!
  }
}

test('one thread gets one request at a time, in order', async () => {
  const threads = new Threads()
  const [first, second] = [threads.tidy(), threads.tidy()]
  assert.equal(threads.posted.length, 1)
  threads.last.onMessage({ kind: 'answer', answer: true })
  assert.equal(await first, true)
  assert.equal(threads.posted.length, 2)
  threads.last.onMessage({ kind: 'answer', answer: false })
  assert.equal(await second, false)
  assert.equal(threads.listeners.length, 1)
})

test('progress is reported until the answer', async () => {
  const threads = new Threads()
  const seen: number[] = []
  const request = {
    setId: PROJECT,
    jobId: idAt('job', 1),
    epoch: 1,
    parameters: { windowHours: 1, kMin: 2, kMax: 3, onlyComplete: false, failureBy: 'status' },
    startedAt: 0,
    traceIds: '',
    failed: new Uint8Array(),
  }
  const asked = threads.worker.ask('discover', request, ({ share }) => seen.push(share))
  threads.last.onMessage({ kind: 'progress', progress: { phase: 'embedding', share: 0.5 } })
  threads.last.onMessage({ kind: 'answer', answer: null })
  await asked
  threads.last.onMessage({ kind: 'progress', progress: { phase: 'embedding', share: 0.9 } })
  assert.deepEqual(seen, [0.5])
})

test('an error or the death of a thread fails one request; after a death the next goes to a new thread', async () => {
  const threads = new Threads()
  const [first, second, third] = [threads.tidy(), threads.tidy(), threads.tidy()]
  threads.last.onMessage({ kind: 'error', detail: 'no room', stack: null })
  await assert.rejects(first, new WorkerFailure('no room'))
  const [dead] = threads.listeners
  dead!.onEnd(new Error('out of memory'))
  await assert.rejects(second, /died: out of memory/)
  assert.equal(threads.listeners.length, 2)
  dead!.onMessage({ kind: 'answer', answer: false })
  dead!.onEnd(null)
  threads.last.onMessage({ kind: 'answer', answer: true })
  assert.equal(await third, true)
  assert.deepEqual(threads.errors, ['the worker of discoveries met an error', 'the worker of discoveries died'])
})

test('an idle thread is stopped', async () => {
  const threads = new Threads()
  const first = threads.tidy()
  threads.last.onMessage({ kind: 'answer', answer: true })
  await first
  threads.timers.advance(60_000)
  const second = threads.tidy()
  threads.timers.advance(100_000)
  assert.equal(threads.terminated, 0)
  threads.last.onMessage({ kind: 'answer', answer: true })
  await second
  threads.timers.advance(90_000)
  assert.equal(threads.terminated, 1)
  void threads.tidy()
  assert.equal(threads.listeners.length, 2)
})

test('a stop rejects the current request and any later one', async () => {
  const threads = new Threads()
  const asked = [threads.tidy(), threads.tidy()]
  const rejected = Promise.all(asked.map((one) => assert.rejects(one, WorkerStopped)))
  await threads.worker.stop()
  await rejected
  await assert.rejects(threads.tidy(), WorkerStopped)
  assert.deepEqual([threads.terminated, threads.listeners.length, threads.timers.pending], [1, 1, 0])
})

test('a notice is logged and ends nothing; a refusal fails the request and is not logged', async () => {
  const threads = new Threads()
  const [first, second] = [threads.tidy(), threads.tidy()]
  threads.last.onMessage({ kind: 'notice', message: 'three have no name', detail: 'it answered 500' })
  threads.last.onMessage({ kind: 'refused', detail: 'The endpoint is away.' })
  await assert.rejects(first, new WorkerFailure('The endpoint is away.'))
  threads.last.onMessage({ kind: 'answer', answer: true })
  assert.equal(await second, true)
  assert.deepEqual(threads.errors, ['three have no name'])
})

test('a thread without its store rejects as the store does, so that the request can be tried again', async () => {
  const threads = new Threads()
  const asked = threads.tidy()
  const memory = { tidy: () => Promise.reject(new DomainError('storage_unavailable', 'PostgreSQL is away.')) }
  const request = { operation: 'tidy', request: { setId: PROJECT } } as const
  const dependencies = { memory, embedder: {} } as unknown as Parameters<typeof serveWorker>[0]
  threads.last.onMessage(await serveWorker(dependencies, request))
  await assert.rejects(asked, { name: 'DomainError', code: 'storage_unavailable', message: 'PostgreSQL is away.' })
})
