export interface PaceTimers {
  now(): number
  /** Returns what calls it off. */
  after(delayMs: number, run: () => void): () => void
}

export interface Pace {
  /**
   * Has it done: at once, or as soon as enough time has passed since it was last begun. Asked twice before, it is done
   * once.
   */
  ask(): void
  /** Calls off what has been asked for. */
  cancel(): void
}

export const BROWSER_TIMERS: PaceTimers = {
  now: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Does something no more often than every `intervalMs`, and never twice at the same time. */
export function pace(intervalMs: number, run: () => Promise<void> | void, timers: PaceTimers): Pace {
  let begun = -Infinity
  let running = false
  let asked = false
  let callOff: (() => void) | null = null

  const begin = async () => {
    callOff = null
    asked = false
    running = true
    begun = timers.now()
    try {
      await run()
    } finally {
      running = false
      if (asked) plan()
    }
  }
  const plan = () => {
    if (running || callOff !== null) return
    const waitMs = begun + intervalMs - timers.now()
    if (waitMs <= 0) void begin()
    else callOff = timers.after(waitMs, () => void begin())
  }
  return {
    ask: () => {
      asked = true
      plan()
    },
    cancel: () => {
      asked = false
      callOff?.()
      callOff = null
    },
  }
}
