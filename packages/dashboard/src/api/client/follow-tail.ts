/** `refused`: the session may not follow, and it is not tried again. */
export type TailState = 'connecting' | 'open' | 'refused'

/** What is used of EventSource. */
export interface TailSource {
  /** 2 once it has given up. */
  readonly readyState: number
  addEventListener(type: string, listener: () => void): void
  close(): void
}

interface TailFollower {
  onTrace(): void
  onGap(): void
  onState(state: TailState): void
}

interface TailEnvironment {
  connect(): TailSource
  /** Asks the service why it refuses the stream. */
  probe(): Promise<'again' | 'refused'>
  after(delayMs: number, run: () => void): () => void
}

const GIVEN_UP = 2
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000

/**
 * Follows the tail until the returned function is called. A connection that breaks is the browser's to open again,
 * behind the last event it has seen. One that is answered by anything but a stream (503, a proxy's page) the browser
 * gives up, and with it its place: it is begun anew here, after longer and longer waits, and what was missed is told as
 * a gap.
 */
export function followTail(follower: TailFollower, { connect, probe, after }: TailEnvironment): () => void {
  let ended = false
  let source: TailSource | null = null
  let callOff = () => {}
  let waitMs = FIRST_WAIT_MS
  let missed = false

  const open = () => {
    const current = connect()
    source = current
    current.addEventListener('open', () => {
      waitMs = FIRST_WAIT_MS
      follower.onState('open')
      if (missed) follower.onGap()
      missed = false
    })
    current.addEventListener('trace.committed', () => follower.onTrace())
    current.addEventListener('gap', () => follower.onGap())
    current.addEventListener('error', () => {
      if (ended) return
      follower.onState('connecting')
      if (current.readyState === GIVEN_UP) void tryAgain()
    })
  }
  const tryAgain = async () => {
    missed = true
    const verdict = await probe()
    if (ended) return
    if (verdict === 'refused') {
      follower.onState('refused')
      return
    }
    callOff = after(waitMs, open)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
  follower.onState('connecting')
  open()
  return () => {
    ended = true
    callOff()
    source?.close()
  }
}
