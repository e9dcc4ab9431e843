import { onBehalfOfService } from '../flow/requester.ts'

/** The only source of delays and durations. Injected, so that tests can control it. */
export interface Timers {
  /** Milliseconds since an arbitrary time; never steps back. */
  now(): number
  /** Runs once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void
  /** Runs every `intervalMs` until the returned function is called. */
  every(intervalMs: number, run: () => void): () => void
}

/** Their callbacks run on behalf of the service, whoever set the timer. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(() => onBehalfOfService(run), delayMs)
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(() => onBehalfOfService(run), intervalMs)
    return () => clearInterval(timer)
  },
}
