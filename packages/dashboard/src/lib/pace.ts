export interface PaceTimers {
  now(): number
  /** Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void
}

export interface Pace {
  /** Runs it now, or as soon as the interval has passed since the last start. Calls in between are merged. */
  schedule(): void
  /** Cancels a pending run. */
  cancel(): void
}

export const BROWSER_TIMERS: PaceTimers = {
  now: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Runs something at most once per `intervalMs`, and never twice at the same time. */
export function pace(intervalMs: number, run: () => Promise<void> | void, timers: PaceTimers): Pace {
  let startedAt = -Infinity
  let running = false
  let pending = false
  let cancelTimer: (() => void) | null = null

  const start = async () => {
    cancelTimer = null
    pending = false
    running = true
    startedAt = timers.now()
    try {
      await run()
    } finally {
      running = false
      if (pending) startWhenDue()
    }
  }
  const startWhenDue = () => {
    if (running || cancelTimer !== null) return
    const waitMs = startedAt + intervalMs - timers.now()
    if (waitMs <= 0) void start()
    else cancelTimer = timers.after(waitMs, () => void start())
  }
  return {
    schedule: () => {
      pending = true
      startWhenDue()
    },
    cancel: () => {
      pending = false
      cancelTimer?.()
      cancelTimer = null
    },
  }
}
