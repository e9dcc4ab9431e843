import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { query as queryOn } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { startPgBouncer } from './pgbouncer-server.mjs'
import { startPostgresql } from './postgresql-server.mjs'

const PROGRAM = `
import { startPostgresql } from ${JSON.stringify(new URL('postgresql-server.mjs', import.meta.url).href)}
const server = await startPostgresql()
console.log(typeof server === 'string' ? server : server.url)
setInterval(() => {}, 1000)
`

/** @param {string} url */
async function listens(url) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answered
}

test('without PostgreSQL or PgBouncer, the reason says how to get it; in CI it is an error', async (context) => {
  const before = process.env['CI']
  context.after(() => {
    if (before === undefined) delete process.env['CI']
    else process.env['CI'] = before
  })
  delete process.env['CI']
  const starts = [() => startPostgresql([]), () => startPgBouncer('postgresql://a:b@c/d', { poolSize: 1 }, [])]
  for (const start of starts) assert.match(String(await start()), /scripts\/testing\/install-postgresql\.sh/)
  process.env['CI'] = 'true'
  for (const start of starts) await assert.rejects(start(), /scripts\/testing\/install-postgresql\.sh/)
})

test('the server ends and its data goes when the process that started it is killed', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-server-test-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o777)
  const program = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => program.kill('SIGKILL'))
  const [output] = await once(program.stdout, 'data')
  const url = String(output).trim()
  if (!url.startsWith('postgresql:')) return context.skip(url)
  assert.ok(await listens(url))
  assert.equal(readdirSync(folder).length, 1)
  program.kill('SIGKILL')
  while ((await listens(url)) || readdirSync(folder).length > 0) {
    await new Promise((next) => setTimeout(next, 50))
  }
})

test('killed or shut down, the server starts again on its data and port', async (context) => {
  const server = await startPostgresql()
  if (typeof server === 'string') return context.skip(server)
  context.after(() => server.stop())
  const query = (/** @type {string} */ text) => queryOn(server.url, text)
  await query('CREATE TABLE kept (number int)')
  for (const [number, end] of [server.kill, server.shutDown, server.kill].entries()) {
    await query(`INSERT INTO kept VALUES (${number})`)
    // A session that is busy survives the kill for a moment and keeps the shared memory.
    const busy = query('SELECT pg_sleep(60)').catch(() => undefined)
    await end()
    // A session that was being forked keeps the listening socket for a moment.
    while (await listens(server.url)) await new Promise((next) => setTimeout(next, 50))
    await server.start()
    await busy
  }
  assert.deepEqual(await query('SELECT number FROM kept ORDER BY number'), [
    { number: 0 },
    { number: 1 },
    { number: 2 },
  ])
})
