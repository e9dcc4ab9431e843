import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SplitLine } from '../../lib/lines/ndjson.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { importTraces, type ImportRequest, type RunningImport } from './import-traces.ts'
import type { SendTraceOutcome, SendTrace } from './send-trace.ts'

const COMMITTED: SendTraceOutcome = { kind: 'committed' }
const DOWN: SendTraceOutcome = { kind: 'unavailable', reason: 'down', retryAfterMs: 0 }

async function* linesOf(count: number): AsyncGenerator<SplitLine> {
  for (let number = 1; number <= count; number++) yield { kind: 'line', number, bytes: Buffer.from(String(number)) }
}

interface World {
  readonly running: RunningImport
  readonly timers: ManualTimers
  readonly sent: string[]
  readonly stop: AbortController
}

function start(
  answer: (line: number, attempt: number) => SendTraceOutcome | Promise<SendTraceOutcome>,
  options: Partial<ImportRequest> = {},
): World {
  const timers = new ManualTimers()
  const stop = new AbortController()
  const sent: string[] = []
  const send: SendTrace = async (body, key) => {
    sent.push(key)
    return answer(Number(body), sent.filter((each) => each === key).length)
  }
  const running = importTraces(
    {
      lines: linesOf(3),
      closeLines: () => undefined,
      maxLineBytes: 100,
      concurrency: 2,
      patienceMs: 10_000,
      stop: stop.signal,
      abandon: new AbortController().signal,
      ...options,
    },
    { send, keyOf: (line) => `key-${line}`, timers, random: () => 0 },
  )
  return { running, timers, sent, stop }
}

/** Runs everything that does not wait for a timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

test('each line is sent once, and counted by its outcome', async () => {
  const outcomes: SendTraceOutcome[] = [
    COMMITTED,
    { kind: 'replayed' },
    { kind: 'refused', code: 'too_long', detail: 'x' },
  ]
  const { running, sent } = start((line) => outcomes[line - 1] ?? COMMITTED)
  assert.equal(await running.finished, null)
  const { committed, replayed, refusals, unsettled, bytes, lines } = running.counts
  assert.deepEqual([committed, replayed, unsettled, bytes, lines], [1, 1, 0, 6, 3])
  assert.deepEqual(refusals, [{ line: 3, code: 'too_long', detail: 'x' }])
  assert.deepEqual(sent, ['key-1', 'key-2', 'key-3'])
})

test('no more lines are in flight than allowed, and no more are read', async () => {
  const gates: (() => void)[] = []
  let read = 0
  async function* counted(): AsyncGenerator<SplitLine> {
    for await (const line of linesOf(50)) {
      read += 1
      yield line
    }
  }
  const { running, sent } = start(() => new Promise((resolve) => gates.push(() => resolve(COMMITTED))), {
    lines: counted(),
    concurrency: 4,
  })
  await settle()
  assert.deepEqual([sent.length, read], [4, 5])
  gates.shift()?.()
  await settle()
  assert.deepEqual([sent.length, read], [5, 6])
  while (running.counts.committed < 50) {
    gates.shift()?.()
    await settle()
  }
  assert.equal(await running.finished, null)
})

test('a line that the service cannot take now is sent again under the same key, not before the time it asked for', async () => {
  const busy: SendTraceOutcome = { kind: 'unavailable', reason: 'busy', retryAfterMs: 3000 }
  const { running, timers, sent } = start((_line, attempt) => (attempt === 1 ? busy : COMMITTED), { lines: linesOf(1) })
  await settle()
  assert.equal(running.trouble, 'busy')
  timers.advance(2999)
  await settle()
  assert.deepEqual(sent, ['key-1'])
  timers.advance(1)
  assert.equal(await running.finished, null)
  assert.deepEqual([sent, running.counts.committed, running.trouble], [['key-1', 'key-1'], 1, null])
})

test('an unreachable service ends the import when the patience is used up, not before', async () => {
  const { running, timers, sent } = start(() => DOWN, { lines: linesOf(100) })
  for (let elapsed = 0; elapsed < 9000; elapsed += 100) {
    timers.advance(100)
    await settle()
  }
  let ended = false
  void running.finished.then(() => (ended = true))
  await settle()
  assert.equal(ended, false)
  for (let elapsed = 0; elapsed < 10_000; elapsed += 100) {
    timers.advance(100)
    await settle()
  }
  assert.equal(await running.finished, 'nothing got through for 10 s. down')
  assert.equal(running.counts.unsettled, 2)
  assert.deepEqual(new Set(sent), new Set(['key-1', 'key-2']))
})

test('a line that makes the service fail again and again is refused, and the others continue', async () => {
  const { running, timers, sent } = start((line) =>
    line === 2 ? { kind: 'broken', code: 'internal_error', detail: 'a bug' } : COMMITTED,
  )
  for (let turn = 0; turn < 10; turn++) {
    await settle()
    timers.advance(500)
  }
  assert.equal(await running.finished, null)
  assert.equal(running.counts.committed, 2)
  assert.deepEqual(running.counts.refusals, [{ line: 2, code: 'internal_error', detail: 'a bug' }])
  assert.equal(sent.filter((key) => key === 'key-2').length, 4)
})

test('an error that every line would meet ends the import at the first line', async () => {
  const { running, sent } = start(() => ({ kind: 'fatal', reason: 'wrong key' }), { lines: linesOf(100) })
  assert.equal(await running.finished, 'wrong key')
  assert.ok(sent.length <= 3)
})

test('when it is stopped, answers in flight are counted, waits end and nothing new begins', async () => {
  let answerFirst = (_outcome: SendTraceOutcome) => {}
  const { running, sent, stop } = start((line) =>
    line === 1 ? new Promise((resolve) => (answerFirst = resolve)) : DOWN,
  )
  await settle()
  stop.abort()
  await settle()
  answerFirst(COMMITTED)
  assert.equal(await running.finished, null)
  assert.deepEqual([running.counts.committed, running.counts.unsettled], [1, 1])
  assert.deepEqual(sent, ['key-1', 'key-2'])
})

test('a waiting source is closed when the import is stopped; its error is then not a failure', async () => {
  const source = Promise.withResolvers<never>()
  async function* waiting(): AsyncGenerator<SplitLine> {
    yield* linesOf(1)
    await source.promise
  }
  const { running, stop } = start(() => COMMITTED, {
    lines: waiting(),
    closeLines: () => source.reject(new Error('closed')),
  })
  await settle()
  stop.abort()
  assert.equal(await running.finished, null)
  assert.equal(running.counts.committed, 1)
})

test('an input that fails is a failure that keeps what was imported; any other error is a bug and is rethrown', async () => {
  async function* breaking(error: Error): AsyncGenerator<SplitLine> {
    yield* linesOf(2)
    throw error
  }
  const unreadable = Object.assign(new Error('EIO: i/o error, read'), { syscall: 'read' })
  const { running } = start(() => COMMITTED, { lines: breaking(unreadable) })
  assert.equal(await running.finished, 'the input could not be read: EIO: i/o error, read')
  assert.equal(running.counts.committed, 2)
  await assert.rejects(start(() => COMMITTED, { lines: breaking(new TypeError('bug')) }).running.finished, /bug/)
})

test('a metric event or a flag is sent when the lines before it have their results', async () => {
  const lines = ['1', '2', '{"kind":"metric","path":"/v1/metrics/events","body":{}}', '3']
  async function* inOrder(): AsyncGenerator<SplitLine> {
    for (const [index, text] of lines.entries()) yield { kind: 'line', number: index + 1, bytes: Buffer.from(text) }
  }
  const answers: (() => void)[] = []
  const { running, sent } = start(() => new Promise((resolve) => answers.push(() => resolve(COMMITTED))), {
    lines: inOrder(),
    concurrency: 8,
  })
  await settle()
  assert.equal(sent.length, 2)
  answers[0]?.()
  await settle()
  assert.equal(sent.length, 2)
  answers[1]?.()
  await settle()
  assert.equal(sent.length, 4)
  for (const answer of answers) answer()
  assert.equal(await running.finished, null)
})

test('a line that is too long is refused without being sent', async () => {
  async function* long(): AsyncGenerator<SplitLine> {
    yield { kind: 'too_large', number: 1 }
    yield { kind: 'line', number: 2, bytes: Buffer.from('2') }
  }
  const { running, sent } = start(() => COMMITTED, { lines: long() })
  await running.finished
  assert.deepEqual(sent, ['key-2'])
  assert.deepEqual(running.counts.refusals, [
    { line: 1, code: 'line_too_large', detail: 'The line is longer than 100 bytes.' },
  ])
})

test('the first twenty refused lines are stored, in the order of the file', async () => {
  const { running } = start((line) => ({ kind: 'refused', code: 'required', detail: String(line) }), {
    lines: linesOf(100),
    concurrency: 8,
  })
  await running.finished
  assert.equal(running.counts.refused, 100)
  assert.deepEqual(
    running.counts.refusals.map(({ line }) => line),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
})
