interface OutageDependencies {
  /** Whether the service answers requests again. MUST NOT reject. */
  readonly isBack: () => Promise<boolean>
  /** Calls once after that many milliseconds. */
  readonly after: (ms: number, call: () => void) => void
  /** Called when an outage has ended. */
  readonly onBack: () => void
}

/** The first probe is soon: a restart takes a second or two. */
const FIRST_MS = 500
const MAX_MS = 8000

/** After the first failed request, probes the service with exponential back-off until it is back. */
export function createOutageWatch({ isBack, after, onBack }: OutageDependencies): { noteFailure(): void } {
  let isWaiting = false
  const probe = async (nextMs: number): Promise<void> => {
    if (!(await isBack())) {
      after(nextMs, () => void probe(Math.min(2 * nextMs, MAX_MS)))
      return
    }
    isWaiting = false
    onBack()
  }
  return {
    noteFailure: () => {
      if (isWaiting) return
      isWaiting = true
      after(FIRST_MS, () => void probe(2 * FIRST_MS))
    },
  }
}
