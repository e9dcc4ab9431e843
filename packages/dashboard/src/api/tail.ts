import { useEffect, useEffectEvent, useState } from 'react'
import { asApiError } from './client/api-error.ts'
import { followTail, type TailState } from './client/follow-tail.ts'
import { request } from './client/request.ts'

/**
 * A tab that is out of sight gives its connection back after this long: a browser has six for each service over
 * HTTP/1.1.
 */
const HIDDEN_MS = 30_000

interface TailListener {
  /** A trace was committed. Called for each: it must cost next to nothing. */
  onTrace(): void
  /** Traces may have been committed that nobody was told of. */
  onGap(): void
}

/** Follows the traces that are committed, while `enabled` and in sight. It outlives restarts of the service. */
export function useTail(enabled: boolean, listener: TailListener): TailState {
  const [state, setState] = useState<TailState>('connecting')
  const onTrace = useEffectEvent(() => listener.onTrace())
  const onGap = useEffectEvent(() => listener.onGap())
  useEffect(() => {
    if (!enabled) return
    let stop: (() => void) | null = null
    let hidden: ReturnType<typeof setTimeout> | undefined
    const start = () => {
      stop = followTail(
        { onTrace: () => onTrace(), onGap: () => onGap(), onState: setState },
        { connect: () => new EventSource('/v1/traces/tail'), probe, after },
      )
    }
    const leave = () => {
      stop?.()
      stop = null
    }
    const onVisibility = () => {
      clearTimeout(hidden)
      if (document.visibilityState === 'hidden') hidden = setTimeout(leave, HIDDEN_MS)
      else if (stop === null) {
        start()
        onGap()
      }
    }
    start()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      clearTimeout(hidden)
      document.removeEventListener('visibilitychange', onVisibility)
      leave()
    }
  }, [enabled])
  return state
}

/** Why the stream was refused, which EventSource does not tell. An ended session is noticed by `request`. */
async function probe(): Promise<'again' | 'refused'> {
  try {
    await request('/v1/traces', { query: { limit: 1 } })
    return 'again'
  } catch (error) {
    return [401, 403].includes(asApiError(error).status) ? 'refused' : 'again'
  }
}

function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}
