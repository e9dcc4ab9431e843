import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Recorder } from './recorder.ts'
import type { RecorderOptions } from './recorder-options.ts'
import { ServiceStandIn } from './service-stand-in.test-support.ts'

const service = await ServiceStandIn.start()
const spoolDir = mkdtempSync(join(tmpdir(), 'spoor-spool-'))
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(spoolDir, { recursive: true })
})

let warnings: string[] = []
beforeEach(() => {
  warnings = []
  service.taken.length = 0
  service.attempts = 0
  service.answer = () => null
  for (const name of readdirSync(spoolDir)) rmSync(join(spoolDir, name))
})

const recorder = (options: RecorderOptions = {}): Recorder => service.recorder(warnings, options)

/** A trace of one span of about so many bytes. */
function record(spoor: Recorder, name: string, bytes = 10): void {
  spoor.startTrace(name, { metadata: { text: 'x'.repeat(bytes) } }).end()
}

const names = () => service.spans.map(({ name }) => name)

test('what fails is sent again until it is taken', async () => {
  const answers = [{ status: 503 }, 'cut', { status: 429 }, { status: 302 }] as const
  service.answer = (_path, _body, attempt) => answers[attempt - 1] ?? null
  const spoor = recorder()
  record(spoor, 'a')
  const { ok, stored } = await spoor.flush()
  assert.deepEqual([ok, stored, service.attempts, names()], [true, 1, 5, ['a']])
  assert.equal(warnings.length, 1)
})

test('an answer of something that is not the service is no verdict', async () => {
  service.answer = (path, _body, attempt) => (attempt === 1 ? { status: 200, body: [path] } : null)
  const spoor = recorder()
  record(spoor, 'a')
  assert.equal((await spoor.flush()).ok, true)
  assert.equal(service.attempts, 2)
})

test('what is refused for good is reported by the flush and not sent again', async () => {
  service.answer = (_path, _body, attempt) =>
    attempt === 1
      ? { status: 200, body: { partialSuccess: { rejectedSpans: '1', errorMessage: 'bad usage' } } }
      : { status: 422, body: { code: 3 } }
  const spoor = recorder()
  record(spoor, 'a')
  record(spoor, 'b')
  const first = await spoor.flush()
  assert.deepEqual([first.ok, first.stored, first.refused, first.reasons], [false, 1, 1, ['bad usage']])
  record(spoor, 'c')
  const second = await spoor.flush()
  assert.deepEqual([second.ok, second.stored, second.refused, service.attempts], [false, 0, 1, 2])
  assert.equal((await spoor.flush()).ok, true)
})

for (const status of [401, 404]) {
  test(`with a wrong key or address (${status}) everything waits, and the flush says why`, async () => {
    let isRight = false
    service.answer = () => (isRight ? null : { status, body: { code: 16 } })
    const spoor = recorder()
    record(spoor, 'a')
    let verdicts = await spoor.flush({ timeoutMs: 50 })
    while (verdicts.reasons.length === 0) verdicts = await spoor.flush({ timeoutMs: 50 })
    assert.deepEqual([verdicts.pending, verdicts.refused], [1, 0])
    assert.equal(verdicts.reasons[0], `${status} {"code":16}`)
    isRight = true
    assert.equal((await spoor.flush()).ok, true)
    assert.deepEqual(names(), ['a'])
  })
}

test('requests are split by bytes, and one that is too large in halves, down to the one step', async () => {
  service.answer = (_path, body) => (body.length > 6000 ? { status: 413 } : null)
  const spoor = recorder({ batchBytes: 10_000 })
  for (let at = 0; at < 20; at++) record(spoor, `a${at}`, 1000)
  record(spoor, 'large', 20_000)
  const { stored, refused, reasons } = await spoor.flush()
  assert.deepEqual([stored, refused], [20, 1])
  assert.deepEqual(reasons, ['413 {}'])
  assert.deepEqual(
    names(),
    Array.from({ length: 20 }, (_, at) => `a${at}`),
  )
})

test('a flush ends when its time is over and says what waits; several report each item once', async () => {
  service.answer = () => 'hang'
  const spoor = recorder()
  record(spoor, 'a')
  const { ok, pending } = await spoor.flush({ timeoutMs: 50 })
  assert.deepEqual([ok, pending], [false, 1])
  service.answer = () => null
  const again = recorder()
  record(again, 'b')
  const first = again.flush()
  record(again, 'c')
  const both = await Promise.all([first, again.flush()])
  assert.deepEqual(
    both.map((one) => one.ok),
    [true, true],
  )
  assert.equal(both[0].stored + both[1].stored >= 2, true)
  await spoor.shutdown({ timeoutMs: 10 })
})

test('the queue is bounded in bytes: what has no room is counted', async () => {
  service.answer = () => ({ status: 503 })
  const spoor = recorder({ queueBytes: 20_000, delayMs: 60_000 })
  for (let at = 0; at < 30; at++) record(spoor, `a${at}`, 1000)
  service.answer = () => null
  const { stored, dropped } = await spoor.flush()
  assert.equal(stored + dropped, 30)
  assert.ok(stored > 10 && dropped > 0, `${stored} stored`)
  assert.equal(warnings.length, 1)
})

test('while the service is away the spool takes what memory does not hold, and it is sent once, in order', async () => {
  service.answer = () => ({ status: 503 })
  const spoor = recorder({ queueBytes: 20_000, spoolDir })
  record(spoor, 'first')
  assert.equal((await spoor.flush({ timeoutMs: 100 })).pending, 1)
  for (let at = 0; at < 30; at++) record(spoor, `a${at}`, 1000)
  assert.ok(readdirSync(spoolDir).length > 1)
  service.answer = () => null
  const { ok, dropped } = await spoor.flush()
  assert.deepEqual([ok, dropped], [true, 0])
  assert.deepEqual(names(), ['first', ...Array.from({ length: 30 }, (_, at) => `a${at}`)])
  assert.deepEqual(readdirSync(spoolDir), [])
})

test('shutdown puts the rest on disk, and the next recorder sends it', async () => {
  service.answer = () => 'hang'
  const spoor = recorder({ spoolDir })
  spoor.startTrace('a').metric('m', 1).flag('f').end()
  const { ok } = await spoor.shutdown({ timeoutMs: 20 })
  assert.equal(ok, false)
  const [name = ''] = readdirSync(spoolDir)
  const lines = readFileSync(join(spoolDir, name), 'utf8').trim().split('\n')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { kind: string }).kind),
    ['spans', 'metric', 'flag'],
  )
  writeFileSync(join(spoolDir, '0.jsonl'), 'broken\n{"kind":"flag","path":"https://elsewhere","body":{}}\n')
  service.answer = () => null
  const next = recorder({ spoolDir })
  const verdicts = await next.flush()
  // The request that was given up may still have arrived.
  assert.deepEqual([verdicts.ok, verdicts.stored, [...new Set(names())]], [true, 3, ['a']])
  assert.deepEqual(service.taken.map(({ method }) => method).slice(-3), ['POST', 'POST', 'PATCH'])
  assert.deepEqual(readdirSync(spoolDir), [])
  assert.equal(warnings.filter((text) => text.includes('left out a line')).length, 2)
})

test('from a spool only requests are sent that a recorder makes', async () => {
  const trace = '0123456789abcdef'.repeat(2)
  const paths = [
    ['flag', '/v1/projects/proj_1'],
    ['flag', '/v1/traces/../keys'],
    ['flag', `/v1/traces/${trace}/steps`],
    ['flag', `/v1/traces/${trace}\n`],
    ['flag', '/v1/metrics/events'],
    ['metric', '/v1/keys'],
    ['metric', '/v1/metrics/events?x=1'],
    ['metric', '//elsewhere/v1/metrics/events'],
    ['metric', `/v1/traces/${trace}`],
    ['other', '/v1/metrics/events'],
    ['metric', ['/v1/metrics/events']],
    ['metric', undefined],
    ['flag', `/v1/traces/${trace}`],
    ['metric', '/v1/metrics/events'],
  ] as const
  const lines = paths.map(([kind, path]) => `${JSON.stringify({ kind, path, body: {} })}\n`)
  writeFileSync(join(spoolDir, '0.jsonl'), lines.join(''))
  await recorder({ spoolDir }).flush()
  assert.deepEqual(
    service.taken.map(({ path }) => path),
    ['/v1/metrics/events', `/v1/traces/${trace}`],
  )
})

test('a spool that is made is private, and one that others may write to is used with a warning', async () => {
  const made = join(spoolDir, 'made/spool')
  const before = process.umask(0)
  try {
    await recorder({ spoolDir: made }).shutdown()
    assert.equal(statSync(made).mode & 0o777, 0o700)
    assert.deepEqual(warnings, [])
    for (const mode of [0o755, 0o770, 0o702, 0o1777]) {
      chmodSync(made, mode)
      await recorder({ spoolDir: made }).shutdown()
      assert.equal(warnings.length, mode === 0o755 ? 0 : 1, mode.toString(8))
      assert.match(warnings.splice(0).join(), mode === 0o755 ? /^$/ : /others may write to the spool .*made\/spool/)
    }
  } finally {
    process.umask(before)
    rmSync(join(spoolDir, 'made'), { recursive: true })
  }
})

test('without a spool the rest is lost with a warning, and a folder that cannot be used is one', async () => {
  service.answer = () => ({ status: 503 })
  const spoor = recorder({ spoolDir: '/dev/null/spool' })
  record(spoor, 'a')
  await spoor.shutdown({ timeoutMs: 10 })
  assert.match(warnings.join('\n'), /there is no spool: [^]*1 items were lost/)
})
