import assert from 'node:assert/strict'
import { spawn, spawnSync, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from '../bin/source-hash.mjs'

const MAIN = findProgram()
/** Nothing of the calling shell but the folder of compiled modules. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'))

test('an invalid setting ends a command on the stores with a sentence, not with a stack trace', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'projects', 'list'], {
    encoding: 'utf8',
    env: { ...ENVIRONMENT, SPOOR_LOG_LEVEL: 'loud', SPOOR_DATA_DR: '/nowhere' },
  })
  assert.deepEqual(
    [status, stdout, stderr],
    [1, '', 'SPOOR_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"\n'],
  )
})

test('a variable that looks like a misspelt setting is a warning for commands on the stores', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'projects', 'list'], {
    encoding: 'utf8',
    env: { ...ENVIRONMENT, SPOOR_DATA_DR: '/nowhere', SPOOR_DATA_DIR: '/nowhere/at-all' },
  })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^SPOOR_DATA_DR is not a variable of Spoor and is ignored; did you mean SPOOR_DATA_DIR\?\n/)
})

test('a service whose output has no reader any more continues and stops on request; only its own account can read its files', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-main-'))
  context.after(() => rmSync(dataDir, { recursive: true, force: true }))
  chmodSync(dataDir, 0o755)
  const port = await freePort()
  const mask = process.umask(0o022)
  const args = [MAIN, 'serve', '--data-dir', dataDir, '--port', String(port), '--log-level', 'info']
  const service = spawn(process.execPath, args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
  process.umask(mask)
  const ended = once(service, 'exit')
  context.after(async () => {
    service.kill('SIGKILL')
    await ended
  })
  // The reader is gone before the service writes its first line.
  service.stdout.destroy()
  service.stderr.destroy()
  while (!(await answers(port))) {
    assert.equal(service.exitCode, null)
    await sleep(50)
  }
  const made = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  for (const file of [
    'control.db',
    'control.db-wal',
    'control.db-shm',
    'signing.key',
    'media',
    'telemetry',
    'commit-log',
  ])
    assert.ok(made.includes(file), file)
  const open = made.filter((file) => (statSync(join(dataDir, file)).mode & 0o077) !== 0)
  assert.deepEqual(open, [])
  assert.equal(statSync(dataDir).mode & 0o777, 0o755)
  service.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

const FULL = '/dev/full'

test('output that a full disk does not take ends a command with a sentence', { skip: !existsSync(FULL) }, () => {
  const stdio: StdioOptions = ['ignore', openSync(FULL, 'w'), 'pipe']
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'backup', '--help'], {
    encoding: 'utf8',
    env: ENVIRONMENT,
    stdio,
  })
  assert.match(stderr, /^The disk is full .*Make space and run the command again\.\n$/)
  assert.equal(status, 1)
})

test('a service whose log is on a full disk continues', { skip: !existsSync(FULL) }, async () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL('operation/logging.ts', import.meta.url))})
    const logger = createLogger('info')
    for (let n = 0; n < 3; n++) logger.info('lost')
    setTimeout(() => process.stdout.write('goes on'), 1)`
  const stdio: StdioOptions = ['ignore', 'pipe', openSync(FULL, 'w')]
  const args = ['--input-type=module', '--eval', script]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: ENVIRONMENT, stdio })
  assert.deepEqual([status, stdout], [0, 'goes on'])
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}
