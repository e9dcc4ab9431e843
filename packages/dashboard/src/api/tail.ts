import { useEffect, useEffectEvent, useState } from 'react'
import { BROWSER_TIMERS } from '../lib/pace.ts'
import { asApiError } from './client/api-error.ts'
import { ofProject } from './client/current-project.ts'
import { followTail, type TailState } from './client/follow-tail.ts'
import { request } from './client/request.ts'

/** A hidden tab closes its connection after this long, because a browser allows six per service over HTTP/1.1. */
const HIDDEN_MS = 30_000

interface TailListener {
  /** A trace was committed. Called for each one: it must be cheap. */
  onTrace(): void
  /** Commits may have been missed. */
  onGap(): void
}

/** Follows committed traces while `enabled` and visible. Survives restarts of the service. */
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
        { connect: () => new EventSource(ofProject('/v1/traces/tail')), probe, after: BROWSER_TIMERS.after },
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

/** Queries why the stream was refused, which EventSource does not report. `request` notices an ended session. */
async function probe(): Promise<'again' | 'refused'> {
  try {
    await request('/v1/traces', { query: { limit: 1 } })
    return 'again'
  } catch (error) {
    return [401, 403].includes(asApiError(error).status) ? 'refused' : 'again'
  }
}
