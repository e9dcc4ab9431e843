import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { TEST_BOX } from '../../lib/secret-box.test-support.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { openClusterStore } from '../sql/clusters/open-cluster-store.ts'
import { openDeliveryStore } from '../sql/deliveries/open-delivery-store.ts'
import { openControlStore } from '../sql/open-control-store.ts'
import { CONTROL_TABLES, LEFT_BEHIND } from './control-tables.ts'

test('each table of a data folder is copied or left behind on purpose', (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-move-'))
  context.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const options = { dataDir, clock: systemClock, box: TEST_BOX, create: true, pause: () => Promise.resolve() }
  for (const open of [openControlStore, openDeliveryStore, openClusterStore]) open(options).close()
  for (const file of ['control.db', 'clusters.db', 'deliveries.db'] as const) {
    const database = new DatabaseSync(join(dataDir, file), { readOnly: true })
    const found = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    database.close()
    const tables = found.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
    const copied = CONTROL_TABLES.filter((table) => table.file === file).map(({ name }) => name)
    assert.deepEqual(tables.filter((name) => !LEFT_BEHIND.has(name)).sort(), copied.toSorted(), file)
  }
})
