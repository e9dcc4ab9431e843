import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../../../../e2e/lib/eventually.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'

const PROGRAM = join(import.meta.dirname, 'dispatch-until-killed.test-support.ts')
/** Events, one each millisecond. */
const EVENTS = 6000

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('dispatching nodes', { skip: postgresql }, () => undefined)
else testNodes(postgresql)

function testNodes(server: TestPostgresql): void {
  test('each event becomes one delivery, however often the node that dispatches is stopped and woken, or dies', async (context) => {
    const url = await server.migratedUrl(context)
    const begunAt = Date.now()
    /** Names, in the order in which they began to dispatch. */
    const dispatched: string[] = []
    const start = (name: string) => {
      const child = spawn(process.execPath, [PROGRAM, url, name, String(begunAt), String(EVENTS)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      context.after(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      })
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.trim().split('\n')) dispatched.push(line.split(' ')[0] as string)
      })
      return child
    }
    const nodes = new Map([
      ['a', start('a')],
      ['b', start('b')],
    ])
    await eventually('one dispatches', () => dispatched.length >= 1)
    for (let round = 2; round <= 4; round++) {
      const holder = nodes.get(dispatched.at(-1) ?? '')
      holder?.kill('SIGSTOP')
      // On a busy machine a node may also lose the lease by itself, and take it again.
      await eventually(`one dispatches after ${dispatched.join(', ')}`, () => dispatched.length >= round)
      holder?.kill('SIGCONT')
    }
    nodes.get(dispatched.at(-1) ?? '')?.kill('SIGKILL')
    const position = async () =>
      Number((await server.query(url, 'SELECT position FROM delivery_state'))[0]?.['position'])
    await eventually('all events are dispatched', async () => (await position()) === EVENTS)
    const [counted] = await server.query(
      url,
      `SELECT count(*) AS deliveries, count(DISTINCT event) AS events,
        (SELECT count(*) FROM delivery_events) AS stored FROM deliveries`,
    )
    assert.deepEqual(counted, { deliveries: `${EVENTS}`, events: `${EVENTS}`, stored: `${EVENTS}` })
    context.diagnostic(dispatched.join(', '))
  })
}
