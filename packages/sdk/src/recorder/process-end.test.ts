import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, beforeEach, test } from 'node:test'
import { ServiceStandIn } from './service-stand-in.test-support.ts'

const service = await ServiceStandIn.start()
const cache = mkdtempSync(join(tmpdir(), 'spoor-cache-'))
const spools = join(cache, 'spoor/spool')
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(cache, { recursive: true })
})

beforeEach(() => {
  service.taken.length = 0
  service.answer = () => null
  rmSync(join(cache, 'spoor'), { recursive: true, force: true })
})

/** Runs a program with a recorder `spoor` in a process of its own, and returns how it ended and what it said. */
async function run(program: string, variables: NodeJS.ProcessEnv = {}) {
  const index = JSON.stringify(new URL('../index.ts', import.meta.url).href)
  const code = `import { createRecorder } from ${index}; const spoor = createRecorder(); ${program}`
  const { SPOOR_SPOOL_DIR: _, ...others } = process.env
  const env = { ...others, XDG_CACHE_HOME: cache, SPOOR_URL: service.url, SPOOR_API_KEY: 'key', ...variables }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env })
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { status, said }
}

const names = () => service.spans.map(({ name }) => name)
const files = () => readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
const away = () => {
  service.answer = () => ({ status: 503 })
}

const CRASH = `spoor.trace('run', {}, async (trace) => {
  await trace.step('well', {}, () => {})
  await trace.step('bad', {}, () => { throw new TypeError('deliberate') })
})`

test('a program that crashes has sent its trace when it has ended, and leaves nothing', async () => {
  const { status, said } = await run(CRASH)
  assert.equal(status, 1)
  assert.match(said, /TypeError: deliberate/)
  assert.deepEqual(names(), ['well', 'bad', 'run'])
  assert.deepEqual(
    service.spans.map((span) => span.status?.code),
    [undefined, 2, 2],
  )
  assert.deepEqual(files(), [])
})

test('what has not ended when a program crashes ends with the error', async () => {
  const { status } = await run(`setTimeout(() => { throw new RangeError('elsewhere') }, 10)
    await spoor.trace('run', (trace) => trace.step('waits', () => new Promise((end) => setTimeout(end, 60_000))))`)
  assert.equal(status, 1)
  assert.deepEqual(names(), ['waits', 'run'])
  assert.equal(service.span('waits').facts['spoor.step.error'], '{"type":"RangeError","message":"elsewhere"}')
})

test('an error that a program survives ends nothing', async () => {
  const { status } = await run(`process.on('uncaughtException', () => {})
    setTimeout(() => { throw new Error('survived') }, 10)
    await spoor.trace('run', (trace) => trace.step('waits', () => new Promise((end) => setTimeout(end, 50))))
    process.exit()`)
  assert.equal(status, 0)
  assert.deepEqual(names(), ['waits', 'run'])
  assert.equal(service.span('run').status, undefined)
})

test('process.exit in the middle of a trace keeps it, as failed unless the code is 0', async () => {
  for (const code of [0, 3]) {
    service.taken.length = 0
    const { status } = await run(`spoor.trace('run', (trace) => trace.step('inner', () => process.exit(${code})))`)
    assert.equal(status, code)
    assert.deepEqual(names(), ['inner', 'run'])
    assert.equal(service.span('run').status?.code, code === 0 ? undefined : 2)
  }
})

test('while the service is away a crash is kept in the cache of the user, and the next process with the key sends it', async () => {
  away()
  await run(CRASH)
  assert.deepEqual([names(), files().length], [[], 1])
  const folder = join(spools, readdirSync(spools)[0]!)
  for (const made of [join(cache, 'spoor'), spools, folder]) assert.equal(statSync(made).mode & 0o777, 0o700)
  service.answer = () => null
  await run('await spoor.flush()', { SPOOR_API_KEY: 'of another project' })
  assert.deepEqual([names(), files().length], [[], 1])
  await run('await spoor.flush()')
  assert.deepEqual([names(), files().length], [['well', 'bad', 'run'], 0])
})

test('what an earlier process left does not silence the next ones, however they end', async () => {
  away()
  await run(CRASH)
  assert.equal(files().length, 1)
  service.answer = () => null
  // An end takes two seconds at most, in which a busy machine may not get as far as what is left.
  for (let tries = 0; files().length > 0 && tries < 5; tries++)
    await run("spoor.startTrace('second').end(); process.exit()")
  assert.equal(names()[0], 'second')
  assert.deepEqual([names().filter((name) => name !== 'second'), files().length], [['well', 'bad', 'run'], 0])
  service.taken.length = 0
  away()
  await run(CRASH)
  service.answer = () => null
  await run('')
  assert.deepEqual([names(), files().length], [['well', 'bad', 'run'], 0])
})

test('an error that the program has set is kept, and several recorders end together', async () => {
  await run(`const step = spoor.startTrace('run').startStep('inner')
    step.error(new TypeError('the real cause'))
    process.exit(1)`)
  assert.match(service.span('inner').facts['spoor.step.error'] ?? '', /the real cause/)
  service.answer = () => 'hang'
  await run(`for (const key of ['a', 'b', 'c']) createRecorder({ apiKey: key }).startTrace(key).end()
    process.exit()`)
  assert.equal(files().length, 3)
})

test('a service that does not answer delays the end by seconds, and the trace is kept', async () => {
  service.answer = () => 'hang'
  await run(CRASH)
  assert.equal(files().length, 1)
})

test('a program that has nothing to keep makes no folder and says nothing', async () => {
  const { said } = await run("await spoor.trace('run', () => undefined); await spoor.flush()", {
    XDG_CACHE_HOME: '/dev/null',
  })
  assert.equal(said, '')
  await run("await spoor.trace('run', () => undefined); await spoor.flush()")
  assert.deepEqual(readdirSync(cache), [])
})

test('a folder that others may write to is refused, and an empty name means none', async () => {
  away()
  for (const open of [cache, join(cache, 'spoor'), spools]) {
    mkdirSync(spools, { recursive: true, mode: 0o700 })
    chmodSync(open, 0o777)
    const { said } = await run(CRASH)
    // Ours begins below the cache, which is the user's own affair.
    const isRefused = open !== cache
    assert.equal(files().length, isRefused ? 0 : 1, open)
    if (isRefused) assert.match(said, /3 items were lost.*others may write to /s)
    chmodSync(open, 0o700)
    rmSync(join(cache, 'spoor'), { recursive: true })
  }
  const { said } = await run(CRASH, { SPOOR_SPOOL_DIR: '' })
  assert.deepEqual(files(), [])
  assert.match(said, /items were lost/)
})
