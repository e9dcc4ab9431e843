import assert from 'node:assert/strict'
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { numberedCommit, numberedId } from '../../../ports/journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import { temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'
import { hookOf } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import { acceptDeliveryLoss, beginDeliveries, findDeliveryLoss } from '../../../webhooks/deliver/delivery-loss.ts'

const PROJECT: ProjectId = numberedId('proj', 1)

interface World {
  readonly dataDir: string
  /** Opens both stores as a start does. */
  start(): ReturnType<typeof open>
}

async function open(context: TestContext, dataDir: string) {
  const control = temporaryStore(context, { dataDir })
  const deliveries = temporaryDeliveryStore(dataDir)
  const sources = { journal: control.journal, intake: deliveries.intake, mark: control.deliveryMark }
  return { control, deliveries, sources, detail: (await findDeliveryLoss(sources))?.detail ?? null }
}

function worldOf(context: TestContext): World {
  const dataDir = temporaryFolder(context)
  return { dataDir, start: () => open(context, dataDir) }
}

/** A webhook of the first project that matches two of the three events of each commit after the first. */
async function subscribe({ control }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await control.projects.create({ id: PROJECT, name: 'a project', createdAt: 0 }, [])
  const store = control.openWebhooks(TEST_BOX)
  const about = { url: 'https://receiver.example/', description: '', createdAt: 0, updatedAt: 0 }
  const state = {
    format: 'json' as const,
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    previousSecretUntil: null,
  }
  const events = ['trace.committed', 'trace.flagged'] as const
  const webhook = { id: hookOf(1), projectId: PROJECT, events, sincePosition: 3, ...about, ...state }
  assert.ok(await store.create(webhook, 'a secret of sixteen', 9))
}

test('a new service begins at 0, durably before anything is committed', async (context) => {
  const world = worldOf(context)
  const { control, deliveries, sources, detail } = await world.start()
  assert.equal(detail, null)
  assert.equal(await control.deliveryMark.isSet(), false)
  await beginDeliveries(sources)
  assert.deepEqual([await deliveries.intake.position(), await control.deliveryMark.isSet()], [0, true])
  control.journal.append(numberedCommit(1))
  deliveries.close()
  const again = await world.start()
  assert.deepEqual([again.detail, await again.deliveries.intake.position()], [null, 0])
  await beginDeliveries(again.sources)
  assert.equal(await again.deliveries.intake.position(), 0)
})

test('a start that ends before the mark is set can be repeated', async (context) => {
  const world = worldOf(context)
  const { deliveries } = await world.start()
  deliveries.close()
  rmSync(join(world.dataDir, 'deliveries.db'))
  assert.equal((await world.start()).detail, null)
})

test('a data directory older than webhooks begins at the head, once', async (context) => {
  const world = worldOf(context)
  const { control, deliveries, sources } = await world.start()
  control.journal.append(numberedCommit(1))
  assert.equal(await findDeliveryLoss(sources), null)
  await beginDeliveries(sources)
  assert.equal(await deliveries.intake.position(), 3)
  control.journal.append(numberedCommit(2))
  deliveries.close()
  assert.deepEqual([(await world.start()).detail, await (await world.start()).deliveries.intake.position()], [null, 3])
})

for (const [what, lose] of [
  ['removed', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file)],
] as const) {
  test(`deliveries that were ${what} are reported until the operator accepts the loss`, async (context) => {
    const world = worldOf(context)
    const first = await world.start()
    await beginDeliveries(first.sources)
    await subscribe(first)
    for (let version = 1; version <= 4; version++) first.control.journal.append(numberedCommit(version))
    first.deliveries.close()
    lose(join(world.dataDir, 'deliveries.db'))
    const second = await world.start()
    assert.match(second.detail ?? '', /deliveries\.db is missing or was emptied/)
    // Six of twelve events: two of each commit after the first.
    assert.match(second.detail ?? '', /up to 6 events at positions 1 to 12 of the journal/)
    second.deliveries.close()
    const third = await world.start()
    assert.equal(third.detail, second.detail)
    await acceptDeliveryLoss(third.sources)
    assert.deepEqual([await findDeliveryLoss(third.sources), await third.deliveries.intake.position()], [null, 12])
    third.deliveries.close()
    assert.equal((await world.start()).detail, null)
  })
}

test('a journal older than the deliveries is detected, and dispatching can continue at its end', async (context) => {
  const world = worldOf(context)
  const { control, deliveries, sources } = await world.start()
  await beginDeliveries(sources)
  control.journal.append(numberedCommit(1))
  await deliveries.intake.add([], 10)
  const { detail = null } = (await findDeliveryLoss(sources)) ?? {}
  assert.match(detail ?? '', /control\.db is older.* ends at position 3,.* through position 10, so 7 positions/)
  await acceptDeliveryLoss(sources)
  assert.deepEqual([await findDeliveryLoss(sources), await deliveries.intake.position()], [null, 3])
})
