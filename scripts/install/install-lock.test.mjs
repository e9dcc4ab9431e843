import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { tryLock } from './install-lock.mjs'

const folder = mkdtempSync(join(tmpdir(), 'spoor-lock-'))
after(() => rmSync(folder, { recursive: true }))

/** The id of a process that has ended. */
function deadPid() {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  assert.ok(pid)
  return pid
}

/** @param {string} path @param {number} ageMs */
function age(path, ageMs) {
  const then = new Date(Date.now() - ageMs)
  utimesSync(path, then, then)
}

/** @param {string} path */
function lockOrFail(path) {
  const lock = tryLock(path)
  assert.ok('release' in lock)
  return lock
}

test('is held while its process is alive, and free after release', () => {
  const path = join(folder, 'sub/held.lock')
  const lock = lockOrFail(path)
  assert.deepEqual(tryLock(path), { heldBy: { host: hostname(), pids: [process.pid] } })
  lock.release()
  lockOrFail(path).release()
  assert.ok(!existsSync(path))
})

test('is taken over from dead processes, but not while the npm that they started is alive', () => {
  const path = join(folder, 'dead.lock')
  writeFileSync(path, JSON.stringify({ host: hostname(), pids: [deadPid(), process.pid] }))
  assert.ok('heldBy' in tryLock(path))
  writeFileSync(path, JSON.stringify({ host: hostname(), pids: [deadPid(), deadPid()] }))
  lockOrFail(path).release()
})

test('a lock of another host is stale when it is no longer touched', () => {
  const path = join(folder, 'foreign.lock')
  writeFileSync(path, JSON.stringify({ host: 'elsewhere', pids: [process.pid] }))
  assert.ok('heldBy' in tryLock(path))
  age(path, 61_000)
  const lock = lockOrFail(path)
  age(path, 61_000)
  lock.touch()
  lock.addProcess(1)
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')).pids, [process.pid, 1])
  lock.release()
})

test('a lock without content is respected for a while', () => {
  const path = join(folder, 'empty.lock')
  writeFileSync(path, '')
  assert.deepEqual(tryLock(path), { heldBy: null })
  age(path, 11_000)
  lockOrFail(path).release()
})

test('of many processes that find one stale lock, never two hold it at once', async () => {
  const path = join(folder, 'crowd.lock')
  const log = join(folder, 'crowd.log')
  writeFileSync(path, JSON.stringify({ host: hostname(), pids: [deadPid()] }))
  const program = `
    import { appendFileSync } from 'node:fs'
    import { tryLock } from ${JSON.stringify(new URL('install-lock.mjs', import.meta.url).href)}
    for (let rounds = 0; rounds < 20; ) {
      const lock = tryLock(${JSON.stringify(path)})
      if (!('release' in lock)) { await new Promise((resolve) => setTimeout(resolve, 1)); continue }
      appendFileSync(${JSON.stringify(log)}, 'in ')
      await new Promise((resolve) => setTimeout(resolve, 1))
      appendFileSync(${JSON.stringify(log)}, 'out ')
      lock.release()
      rounds++
    }`
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }),
  )
  const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
  assert.deepEqual(codes, [0, 0, 0, 0])
  assert.equal(readFileSync(log, 'utf8'), 'in out '.repeat(80))
})
