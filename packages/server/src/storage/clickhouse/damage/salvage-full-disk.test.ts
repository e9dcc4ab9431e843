import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { text } from '../engine/literal.ts'
import { TornInserts } from '../parts/torn-inserts.ts'
import { DamagedStore, TRACES } from './damaged-store.test-support.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import { copyName } from './salvage-copy.ts'
import { salvagePart } from './salvage-part.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts } from './table-part.ts'

type Attaches = 'fails' | 'tears' | 'tears for good'

const store = await DamagedStore.create()
after(() => store.close())

/**
 * Attaching fails, or tears its part, and so do inserts into the table, until the disk has space again. A torn part may
 * not even be dropped before.
 */
class FullDisk implements SalvageSession {
  isFull = true
  readonly torn = new TornInserts()
  readonly #attaches: Attaches

  constructor(attaches: Attaches) {
    this.#attaches = attaches
  }

  select(sql: string) {
    return store.engine.select(sql)
  }

  async command(sql: string) {
    const isAttach = / ATTACH PARTITION /.test(sql)
    const isDrop = / DROP PART /.test(sql)
    if (this.isFull && ((isAttach && this.#attaches === 'fails') || (isDrop && this.#attaches === 'tears for good')))
      throw new Error('No space left on device')
    const before = await this.#names()
    await store.engine.command(sql)
    if (!this.isFull || !(isAttach || sql.startsWith('INSERT INTO traces '))) return
    const parts = await activeParts(store.engine, `table = 'traces'`)
    for (const { name, path } of parts) {
      if (before.has(name)) continue
      // An attached part shares the bytes of the copy.
      rmSync(join(path, 'data.cmrk4'))
      writeFileSync(join(path, 'data.cmrk4'), '')
    }
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  keep(parts: Parameters<SalvageSession['keep']>[0]): void {
    this.torn.keep(parts)
  }

  drop(parts: Parameters<SalvageSession['drop']>[0]): Promise<void> {
    return this.torn.drop(this, parts)
  }

  async #names(): Promise<ReadonlySet<string>> {
    return new Set((await activeParts(store.engine, `table = 'traces'`)).map(({ name }) => name))
  }
}

for (const attaches of ['fails', 'tears', 'tears for good'] as const) {
  test(`while an insert is open and attaching ${attaches} on a full disk, a salvage loses no row that it has read`, async () => {
    const disk = new FullDisk(attaches)
    await disk.torn.begin(disk)
    const part = await store.part('traces')
    // The rows are whole; the part must be rewritten.
    truncateSync(join(part.path, 'columns.txt'))
    await assert.rejects(salvagePart(disk, store.record, part, 'damaged'))
    // A read that meets the torn part waits for it to be dropped, so nothing is reported as lost.
    if (attaches === 'tears for good') await assert.rejects(disk.torn.clear(disk), /No space/)
    else await disk.torn.clear(disk)
    disk.isFull = false
    await dropSalvageLeftovers(disk)
    await disk.torn.clear(disk)
    assert.deepEqual(new Set(store.record.lostRows().values()), new Set([0]))
    await store.forget()
    assert.deepEqual(await store.count('traces', 'id'), [TRACES, TRACES])
    const left = await store.engine.select(`SELECT name FROM system.tables WHERE name = ${text(copyName(part))}`)
    assert.deepEqual(left, [])
  })
}
