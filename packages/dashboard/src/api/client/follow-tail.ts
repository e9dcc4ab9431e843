/** `refused`: the session may not follow the tail. It is not retried. */
export type TailState = 'connecting' | 'open' | 'refused'

/** The part of EventSource that is used. */
export interface TailSource {
  /** 2: closed for good. */
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
  /** Queries why the service refuses the stream. */
  probe(): Promise<'again' | 'refused'>
  after(delayMs: number, run: () => void): () => void
}

const GIVEN_UP = 2
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000

/**
 * Follows the tail until the returned function is called. The browser reopens a broken connection after the last event
 * it has seen. If the response is no stream (503, a proxy's page), the browser closes the connection and forgets its
 * position. It is then reopened here with exponential back-off, and a gap is reported.
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
