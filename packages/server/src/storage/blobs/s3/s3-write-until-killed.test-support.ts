import { writeSync } from 'node:fs'
import { systemClock } from '../../../lib/time/clock.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { S3BlobStore } from './s3-blob-store.ts'
import type { S3Settings } from './s3-settings.ts'

/** Input of the program, as JSON. */
interface Given {
  readonly settings: S3Settings
  readonly folder: string
  readonly key: BlobKey
}

/**
 * Program of the crash test: writes one object of some parts that never ends, and reports progress. Ends when it is
 * killed.
 */
const { settings, folder, key } = JSON.parse(process.argv[2] ?? '') as Given
const store = new S3BlobStore({
  settings,
  spoolFolder: folder,
  clock: systemClock,
  timers: systemTimers,
  onLeftover: (error) => {
    throw error
  },
  tuning: { partBytes: 5 * 1024 * 1024 },
})
await store.write(key, endless())

async function* endless(): AsyncGenerator<Buffer> {
  // Each chunk fills the places of a spool: when the second is requested, a part has been sent.
  for (let chunk = 0; chunk < 4; chunk++) yield Buffer.alloc(20 * 1024 * 1024, 1)
  writeSync(1, 'waiting\n')
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}
