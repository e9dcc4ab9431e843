import type { ServerResponse } from 'node:http'
import type { Timers } from '../../lib/time/timers.ts'
import { type Pace, Patience } from './pace.ts'

/**
 * About 1 KB per second. The time is long because the system buffers some megabytes, and then takes a megabyte at a
 * time.
 */
const READER_PACE: Pace = { bytes: 64 * 1024, waitMs: 60_000 }
const CHECK_EVERY_MS = 5000

/**
 * From now on, breaks the connection if the client takes the ready bytes more slowly than READER_PACE. Time in which
 * nothing is ready does not count. Bytes of one write count as taken at once, so long answers MUST be written in
 * pieces.
 */
export function endWhenSlow(raw: ServerResponse, timers: Timers, ended: () => void): void {
  if (raw.destroyed) return
  const patience = new Patience(READER_PACE)
  let taken = takenBytes(raw)
  const cancel = timers.every(CHECK_EVERY_MS, () => {
    const before = taken
    taken = takenBytes(raw)
    // If everything is taken or nothing is ready, the service does not wait for the client.
    if (raw.writableLength === 0) return patience.moved(READER_PACE.bytes)
    patience.waited(CHECK_EVERY_MS)
    patience.moved(taken - before)
    if (patience.leftMs > 0) return
    ended()
    raw.destroy()
  })
  raw.once('close', cancel)
}

/** Bytes of the connection that the system has accepted. */
function takenBytes({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength
}
