import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'

const route = getRouteApi('/app/traces/$traceId')

/** Walking along the steps by a held key changes the URL when it pauses: the router takes longer than a key press. */
const PAUSE_MS = 150

/**
 * The id of the step that is looked at. It is in the URL a moment later; opening and leaving a step is in the history,
 * walking from one to the next is not.
 */
export function useSelectedStep(): readonly [string | undefined, (stepId: string | undefined) => void] {
  const { step: inUrl } = route.useSearch()
  const navigate = useNavigate({ from: '/app/traces/$traceId' })
  const [selected, setSelected] = useState(inUrl)
  const written = useRef(inUrl)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (inUrl === written.current) return
    // Somebody went back, or followed a link.
    clearTimeout(timer.current)
    written.current = inUrl
    setSelected(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const select = useCallback(
    (step: string | undefined) => {
      setSelected(step)
      clearTimeout(timer.current)
      const write = () => {
        const replace = (written.current === undefined) === (step === undefined)
        written.current = step
        void navigate({
          search: ({ q }) => ({ ...(q === undefined ? {} : { q }), ...(step === undefined ? {} : { step }) }),
          replace,
          resetScroll: false,
        })
      }
      if (written.current === undefined || step === undefined) write()
      else timer.current = setTimeout(write, PAUSE_MS)
    },
    [navigate],
  )
  return [selected, select]
}
