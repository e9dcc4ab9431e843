import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { ServiceStandIn } from '../../packages/sdk/src/recorder/service-stand-in.test-support.ts'

const BUILD = join(import.meta.dirname, '../../packages/sdk/build.mjs')

/** Ends without a flush, with a step in the queue and a timer that waits. */
const PROGRAM = `
import { createRecorder } from '@spoor/sdk'
const spoor = createRecorder({ delayMs: 60_000, shutdownTimeoutMs: 4_000 })
await spoor.trace('run', async () => {
  await Promise.resolve()
  await spoor.step('inner', () => undefined)
  const headers = { 'content-type': 'text/event-stream' }
  const events = ['{"choices":[{"index":0,"delta":{"content":"hi"}}]}', '{"choices":[],"usage":{"prompt_tokens":7}}']
  const fetch = spoor.wrapFetch(async () => new Response(events.map((one) => 'data: ' + one + '\\n\\n').join(''), { headers }))
  const url = 'http://127.0.0.1/v1/chat/completions'
  const response = await fetch(url, { method: 'POST', body: '{"model":"m","messages":[]}' })
  for await (const _ of response.body);
})
`

/** This Node, and what else the machine has: `runtimes.ts` adds Bun and Deno. */
const CRASH = `
import { createRecorder } from '@spoor/sdk'
const spoor = createRecorder()
spoor.trace('run', async (trace) => trace.step('bad', () => { throw new TypeError('deliberate') }))
`

const RUNTIMES = [
  process.execPath,
  ...(process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['node', 'bun', 'deno'].map((name) => join(folder, name))),
].filter((path, at, all) => existsSync(path) && all.indexOf(path) === at)

/** Runs a program of the folder to its end. */
async function runProgram(runtime: string, program: string, env: NodeJS.ProcessEnv, status = 0): Promise<void> {
  const flags = basename(runtime) === 'deno' ? ['run', '--allow-all'] : []
  const child = spawn(runtime, [...flags, program], { cwd: folder, env, stdio: ['ignore', 'inherit', 'pipe'] })
  const [said, ended] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.deepEqual(ended, [status, null], `${runtime}: ${said}`)
}

const folder = mkdtempSync(join(tmpdir(), 'spoor-packed-'))
const service = await ServiceStandIn.start()
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function run(command: string, sent: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, sent, { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

test('the packed files, installed into an empty project, record until the process ends', async (context) => {
  run(process.execPath, [BUILD, join(folder, 'dist')])
  run('npm', ['pack', '--silent', './dist'])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', './spoor-sdk-0.1.0.tgz'])
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  for (const runtime of RUNTIMES) {
    service.taken.length = 0
    const env = { ...process.env, XDG_CACHE_HOME: folder, SPOOR_URL: service.url, SPOOR_API_KEY: 'key' }
    await runProgram(runtime, 'program.mjs', env)
    const { spanId } = service.span('run')
    assert.equal(service.span('inner').parentSpanId, spanId, runtime)
    const { facts, parentSpanId } = service.span('chat m')
    assert.deepEqual([parentSpanId, facts['spoor.step.usage']], [spanId, '{"input":7,"output":0}'], runtime)
    context.diagnostic(`ran on ${runtime}`)
  }
})

test('a service that does not answer delays the end for no longer than it may, and the spool takes the rest', async () => {
  writeFileSync(join(folder, 'short.mjs'), PROGRAM.replace('4_000', '400').replace('({', '({ onWarning() {},'))
  writeFileSync(
    join(folder, 'next.mjs'),
    "import { createRecorder } from '@spoor/sdk'\nconst spoor = createRecorder()\nawait spoor.flush()\n",
  )
  for (const runtime of RUNTIMES) {
    const env = {
      ...process.env,
      SPOOR_URL: service.url,
      SPOOR_API_KEY: 'key',
      SPOOR_SPOOL_DIR: join(folder, `spool of ${basename(runtime)}`),
    }
    service.answer = () => 'hang'
    // It ends although the service never answers.
    await runProgram(runtime, 'short.mjs', env)
    service.answer = () => null
    service.taken.length = 0
    await runProgram(runtime, 'next.mjs', env)
    assert.equal(service.span('run').traceId, service.span('inner').traceId, runtime)
  }
})

test('a program that crashes has sent its trace', async () => {
  writeFileSync(join(folder, 'crash.mjs'), CRASH)
  for (const runtime of RUNTIMES) {
    service.taken.length = 0
    const env = { ...process.env, XDG_CACHE_HOME: folder, SPOOR_URL: service.url, SPOOR_API_KEY: 'key' }
    await runProgram(runtime, 'crash.mjs', env, 1)
    assert.deepEqual([service.span('bad').status?.code, service.span('run').status?.code], [2, 2], runtime)
  }
})
