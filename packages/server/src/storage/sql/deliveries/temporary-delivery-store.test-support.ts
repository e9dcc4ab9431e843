import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { type DeliveryStore, openDeliveryStore } from './open-delivery-store.ts'
import type { SyncFile } from './write-ahead-flush.ts'

/** For tests: a folder that is removed after the tests of the file. */
export function temporaryDeliveryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-deliveries-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * For tests: a real store on a new file or on that of `dataDir`. It does not flush unless `syncFile` is given, and is
 * closed after the tests of the file if it was not before.
 */
export function temporaryDeliveryStore(
  dataDir = temporaryDeliveryFolder(),
  syncFile: SyncFile = async () => undefined,
): DeliveryStore {
  const onReadError = (error: unknown) => {
    throw error
  }
  const store = openDeliveryStore({ box: TEST_BOX, dataDir, clock: systemClock, onReadError, syncFile })
  let isOpen = true
  const close = () => {
    if (isOpen) store.close()
    isOpen = false
  }
  after(close)
  return { ...store, close }
}
