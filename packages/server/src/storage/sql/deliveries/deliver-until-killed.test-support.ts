import { writeSync } from 'node:fs'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { fail, hookOf, leaseAll, NOW, succeed } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import { EVENTS_PER_BATCH, numberedEvents } from './numbered-events.test-support.ts'
import { openDeliveryStore } from './open-delivery-store.ts'

/**
 * Program of the crash tests: adds numbered batches to the store of a folder, starting at its position, attempts some
 * due deliveries, and prints each number after its writes. Runs until it is killed. If the disk refuses a write, it
 * ends with `refused <number> <code> <position in the store>`.
 */
const [dataDir = ''] = process.argv.slice(2)
const { queue, intake } = openDeliveryStore({ box: TEST_BOX, dataDir, clock: systemClock })
const EVER = NOW + 3600_000
for (let batch = ((await intake.position()) ?? 0) / EVENTS_PER_BATCH + 1; ; batch++) {
  try {
    await intake.add(numberedEvents(batch), batch * EVENTS_PER_BATCH)
    await queue.finish((await leaseAll(queue, 1, EVER)).map((delivery) => succeed(delivery)))
    const [first] = (await queue.lease(hookOf(3), EVER, EVER + 1000, { limit: 1, maxBytes: 1 })).deliveries
    if (first !== undefined) await queue.finish([fail(first)])
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    writeSync(1, `refused ${batch} ${error.code} ${await intake.position()}\n`)
    break
  }
  writeSync(1, `${batch}\n`)
}
