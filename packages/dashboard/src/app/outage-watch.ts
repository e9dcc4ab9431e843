interface OutageDependencies {
  /** Whether the service answers requests again. MUST NOT reject. */
  readonly isBack: () => Promise<boolean>
  /** Calls once after so many milliseconds. */
  readonly after: (ms: number, call: () => void) => void
  /** Called when an outage that was noted has ended. */
  readonly onBack: () => void
}

/** The first look is soon: a restart takes a second or two. Later ones cost next to nothing. */
const FIRST_MS = 500
const MOST_MS = 8000

/** Waits, from the first request that failed, until the service is back; looks ever more rarely. */
export function createOutageWatch({ isBack, after, onBack }: OutageDependencies): { noteFailure(): void } {
  let isWaiting = false
  const look = async (nextMs: number): Promise<void> => {
    if (!(await isBack())) {
      after(nextMs, () => void look(Math.min(2 * nextMs, MOST_MS)))
      return
    }
    isWaiting = false
    onBack()
  }
  return {
    noteFailure: () => {
      if (isWaiting) return
      isWaiting = true
      after(FIRST_MS, () => void look(2 * FIRST_MS))
    },
  }
}
