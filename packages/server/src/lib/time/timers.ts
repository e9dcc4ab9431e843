import { onBehalfOfService } from '../work/requester.ts'

/** The only source of delays and of durations. Injected, so that tests can drive it. */
export interface Timers {
  /** Milliseconds since some moment of the past; never steps back. */
  now(): number
  /** Runs once, `delayMs` from now, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void
  /** Runs every `intervalMs` until the returned function is called. */
  every(intervalMs: number, run: () => void): () => void
}

/** What they run is for the service, whoever set them. */
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
