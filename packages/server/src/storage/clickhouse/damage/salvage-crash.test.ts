import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { DamagedStore, TRACES } from './damaged-store.test-support.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import { copyName } from './salvage-copy.ts'
import { salvagePart } from './salvage-part.ts'
import type { SalvageSession } from './salvage-session.ts'

const store = await DamagedStore.create()
after(() => store.close())

/** Simulates a crash: from one statement on, nothing is executed any more. Read-only statements do not count. */
class CrashingSession implements SalvageSession {
  readonly done: string[] = []
  readonly #engine: TelemetryEngine
  readonly #through: number

  constructor(engine: TelemetryEngine, through: number) {
    this.#engine = engine
    this.#through = through
  }

  async select(sql: string) {
    this.#refuse()
    return this.#engine.select(sql)
  }

  async command(sql: string) {
    this.#refuse()
    if (!sql.startsWith('SELECT')) this.done.push(sql)
    await this.#engine.command(sql)
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  keep(): void {
    return
  }

  async drop(): Promise<void> {
    return undefined
  }

  #refuse(): void {
    if (this.done.length === this.#through) throw new Error('crash')
  }
}

test('after a crash at any statement of a salvage and a restart, each readable row exists once', async () => {
  const whole = await store.snapshot()
  const met = new Set<string>()
  for (let statements = 1; ; statements++) {
    await store.restore(whole)
    const part = await store.part('traces')
    await store.damage(part, 'data.bin')
    const session = new CrashingSession(store.engine, statements)
    const outcome = await salvagePart(session, store.record, part, 'checksum').catch((error: unknown) => error)
    await store.reopen()
    await dropSalvageLeftovers(store.engine)
    await dropSalvageLeftovers(store.engine)
    const tables = (await store.engine.select('SHOW TABLES')).flat()
    assert.ok(!tables.includes(copyName(part)), tables.join())
    // If the part is still in place, this read salvages it.
    const [rows, traces] = await store.count('traces', 'id')
    const lost = store.record.lostRows().get('traces') as number
    const last = session.done.at(-1) as string
    assert.ok(lost > 0 && lost <= 256, `${lost} rows lost behind ${last}`)
    assert.deepEqual([rows, traces], [TRACES - lost, TRACES - lost], last)
    met.add(last.slice(0, 11))
    if (outcome === 'salvaged') break
    assert.match(String(outcome), /crash/)
  }
  assert.deepEqual([...met], ['DROP TABLE ', 'CREATE TABL', 'SYSTEM STOP', 'INSERT INTO', 'ALTER TABLE'])
})

test('a row deleted during a salvage does not come back', async () => {
  // The part is merged away, or mutated, between copy and swap, so the copy must not be used.
  const part = await store.part('steps')
  const [before] = await store.count('steps', 'trace_id')
  const session: SalvageSession = {
    select: (sql) => store.engine.select(sql),
    command: (sql) => store.engine.command(sql),
    keep: () => undefined,
    drop: async () => undefined,
    alone: async (work) => {
      await store.engine.command(
        `DELETE FROM steps WHERE trace_id IN (SELECT trace_id FROM steps LIMIT 10) SETTINGS lightweight_deletes_sync = 1`,
      )
      return work()
    },
  }
  await store.damage(part, 'skp_idx_ver_index.idx2')
  assert.equal(await salvagePart(session, store.record, part, 'checksum'), 'gone')
  assert.deepEqual(await store.count('steps', 'trace_id'), [before - 10, before - 10])
  assert.ok(!store.record.isSetAside('steps', part.name))
})
