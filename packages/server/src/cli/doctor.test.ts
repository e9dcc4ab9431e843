import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TEST_BOX } from '../lib/secret-box.test-support.ts'
import { examineDataFolder } from '../storage/check/examine-data-folder.ts'
import { lockDataDirectory } from '../storage/data-lock.ts'
import { openClusterStore } from '../storage/sql/clusters/open-cluster-store.ts'
import { CLUSTER_MIGRATIONS } from '../storage/sql/schema/schemas.ts'
import { openDatabase } from '../storage/sql/open-database.ts'
import { openDeliveryStore } from '../storage/sql/deliveries/open-delivery-store.ts'
import { openControlStore } from '../storage/sql/open-control-store.ts'
import { temporaryFolder } from '../storage/sql/temporary-store.test-support.ts'
import { systemClock as clock } from '../lib/time/clock.ts'
import { runDoctorCommand } from './doctor.ts'

async function doctor(dataDir: string, ...args: readonly string[]) {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const code = await runDoctorCommand(args, {
    examine: () => examineDataFolder(dataDir, 'owner', clock),
    print,
    printError: print,
  })
  return { code, lines }
}

function newFolder(context: Parameters<typeof temporaryFolder>[0]): string {
  const dataDir = temporaryFolder(context)
  openControlStore({ dataDir, clock, create: true }).close()
  openDeliveryStore({ box: TEST_BOX, dataDir, clock }).close()
  openClusterStore({ dataDir, clock, pause: async () => undefined }).close()
  return dataDir
}

test('a folder is examined while a service runs on it and while none does, and nothing changes', async (context) => {
  const dataDir = newFolder(context)
  const stopped = await doctor(dataDir)
  assert.equal(stopped.code, 0, stopped.lines.join('\n'))
  assert.match(stopped.lines.join('\n'), /^service +ok +no service runs on it$/m)
  assert.match(stopped.lines.join('\n'), /^control\.db +ok +schema \d+$/m)
  assert.match(stopped.lines.join('\n'), /^settling +ok +0 of 0 commits/m)
  const lock = lockDataDirectory(dataDir)
  const store = openControlStore({ dataDir, clock, create: false })
  await store.leases.take('monitors', 'the service', 30_000)
  const running = await doctor(dataDir, '--json')
  const results = running.lines.map((line) => JSON.parse(line) as { part: string; detail: string })
  store.close()
  lock.close()
  assert.equal(running.code, 0)
  assert.equal(results.find(({ part }) => part === 'service')?.detail, 'a service runs on it')
  assert.match(results.find(({ part }) => part === 'leases')?.detail ?? '', /^monitors: the service, \d+ s left$/)
})

test('a missing folder, open modes and a schema of a newer version are wrong', async (context) => {
  const none = await doctor(join(temporaryFolder(context), 'none'))
  assert.equal(none.code, 1)
  assert.match(none.lines.join('\n'), /There is no Spoor data/)
  const dataDir = newFolder(context)
  chmodSync(dataDir, 0o777)
  const later = { version: 99, name: 'later', statements: 'SELECT 1' }
  openDatabase(
    {
      path: join(dataDir, 'clusters.db'),
      applicationId: 0x53706f63,
      migrations: [...CLUSTER_MIGRATIONS, later],
      durability: 'full',
      shrinks: true,
    },
    clock,
    (database) => database.close(),
  )
  const found = await doctor(dataDir)
  assert.equal(found.code, 1)
  assert.match(found.lines.join('\n'), /^clusters\.db +WRONG {2}schema 99\n {2}- Its schema 99 is of a newer Spoor/m)
  assert.match(found.lines.join('\n'), /Other accounts can write to the data folder/)
  assert.equal(found.lines.at(-1), '2 problems.')
})

test('help is printed, wrong usage ends with 2', async (context) => {
  assert.deepEqual((await doctor(temporaryFolder(context), '--help')).code, 0)
  assert.deepEqual((await doctor(temporaryFolder(context), '--all')).code, 2)
})
