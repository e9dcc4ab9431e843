import type { LeaseStore } from './lease-store.ts'
import type { Timers } from '../../lib/time/timers.ts'

export interface WhileLeasedOptions {
  readonly name: string
  readonly leases: LeaseStore
  /** Different for each process. */
  readonly holder: string
  readonly timers: Timers
}

const LASTS_MS = 15_000
const RENEW_EVERY_MS = 5000
const TRY_EVERY_MS = 200

/**
 * Waits until nobody else holds the lease, runs `work` under it, and releases it. Resolves and rejects as `work` does;
 * rejects if the lease cannot be requested. The signal aborts as soon as another may have taken the lease: `work` MUST
 * then begin nothing more.
 */
export async function whileLeased<T>(
  { leases, timers, name, holder }: WhileLeasedOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  let lease = await leases.take(name, holder, LASTS_MS)
  while (lease === null) {
    await new Promise<void>((wake) => timers.after(TRY_EVERY_MS, wake))
    lease = await leases.take(name, holder, LASTS_MS)
  }
  const held = lease
  const lost = new AbortController()
  const lose = () => lost.abort(new Error(`another process has the lease ${name}`))
  /** Ends before the lease does, as counted from before it was taken or renewed. */
  let cancelEnd = timers.after(LASTS_MS - RENEW_EVERY_MS, lose)
  const renew = async () => {
    const from = timers.now()
    const renewed = await leases.renew(held, LASTS_MS)
    if (renewed === null) return lose()
    cancelEnd()
    cancelEnd = timers.after(Math.max(0, LASTS_MS - RENEW_EVERY_MS - (timers.now() - from)), lose)
  }
  // A renewal that fails is tried again; the end of the lease decides.
  const cancelRenewals = timers.every(RENEW_EVERY_MS, () => void renew().catch(() => undefined))
  try {
    return await work(lost.signal)
  } finally {
    cancelRenewals()
    cancelEnd()
    await leases.release(held).catch(() => undefined)
  }
}
