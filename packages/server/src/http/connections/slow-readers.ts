import type { ServerResponse } from 'node:http'
import type { Timers } from '../../lib/time/timers.ts'
import { type Pace, Patience } from './pace.ts'

/** About 1 KB a second. The system takes some megabytes ahead of a reader, and then a megabyte at a time: so the time is long. */
const READER_PACE: Pace = { bytes: 64 * 1024, waitMs: 60_000 }
const CHECK_EVERY_MS = 5000

/**
 * From now on, breaks the connection when the client takes less than READER_PACE of what is ready for it. Time in which nothing is ready does not
 * count. What is written at once counts as taken all at once, so long answers MUST be written in pieces.
 */
export function endWhenSlow(raw: ServerResponse, timers: Timers, ended: () => void): void {
  if (raw.destroyed) return
  const patience = new Patience(READER_PACE)
  let taken = takenBytes(raw)
  const cancel = timers.every(CHECK_EVERY_MS, () => {
    const before = taken
    taken = takenBytes(raw)
    // With everything taken, or nothing to take yet, it is not the client that is waited for.
    if (raw.writableLength === 0) return patience.moved(READER_PACE.bytes)
    patience.waited(CHECK_EVERY_MS)
    patience.moved(taken - before)
    if (patience.leftMs > 0) return
    ended()
    raw.destroy()
  })
  raw.once('close', cancel)
}

/** Bytes of the connection that the system has taken over. */
function takenBytes({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength
}
