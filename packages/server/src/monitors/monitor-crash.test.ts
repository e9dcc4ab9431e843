import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, temporaryStore } from '../storage/sql/temporary-store.test-support.ts'
import { DRAFT, INTERVAL_MS, MonitorWorld, NOON, PROJECT } from './monitor-world.test-support.ts'

const PROGRAM = join(import.meta.dirname, 'evaluate-until-killed.test-support.ts')

async function evaluate(dataDir: string, until: number, seam: string): Promise<NodeJS.Signals | number | null> {
  const child = spawn(process.execPath, [PROGRAM, dataDir, String(until), seam], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  for await (const _ of child.stdout) child.kill('SIGKILL')
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null]
  return signal ?? code
}

for (const seam of ['before', 'after', 'round']) {
  test(`killed again and again ${seam} a state change: each is reported once`, async (context) => {
    const dataDir = temporaryFolder(context)
    const store = temporaryStore(context, { dataDir })
    await store.projects.create({ id: PROJECT, name: 'a project', createdAt: 0 }, [])
    const world = new MonitorWorld({ stores: store })
    const { id } = await world.create({ ...DRAFT, windowMs: INTERVAL_MS })
    // Changes happen at the times 1, 4, 8, 12, 16.
    for (const times of [2, 5, 9, 13, 17]) {
      const until = NOON + times * INTERVAL_MS
      assert.equal(await evaluate(dataDir, until, seam), 'SIGKILL')
      assert.equal(await evaluate(dataDir, until, ''), 0)
    }
    const expected = [1, 4, 8, 12, 16].map((time, index) => [index % 2 === 0 ? 'fired' : 'normal', time])
    const history = (await world.history(id)).map(({ to, at }) => [to, (at - NOON) / INTERVAL_MS])
    assert.deepEqual(history, expected)
    const events = (await world.events()).flatMap((event) => ('transition' in event ? [event] : []))
    assert.deepEqual(
      events.map(({ type, transition: { at } }) => [type, (at - NOON) / INTERVAL_MS]),
      expected.map(([to, time]) => [to === 'fired' ? 'monitor.fired' : 'monitor.resolved', time]),
    )
    const { state } = (await world.find(id)).standing
    assert.equal(state, 'fired')
  })
}
