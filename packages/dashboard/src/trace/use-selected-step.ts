import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useIsLeaving } from '../lib/hooks/use-is-leaving.ts'
import { changed } from '../lib/search.ts'
import type { TraceSearch } from './search.ts'

const route = getRouteApi('/app/traces/$traceId')

/** Moving along steps with a held key updates the URL only at a pause: the router is slower than key repeat. */
const PAUSE_MS = 150

/** `replace`: adds no history entry. */
type SelectStep = (stepId: string | undefined, options?: { readonly replace: boolean }) => void

/**
 * The id of the selected step. The URL follows after a moment. Opening and closing a step adds a history entry; moving
 * between steps does not.
 */
export function useSelectedStep(): readonly [string | undefined, SelectStep] {
  const { step: inUrl } = route.useSearch()
  const navigate = useNavigate({ from: '/app/traces/$traceId' })
  const isLeaving = useIsLeaving()
  const [selected, setSelected] = useState(inUrl)
  const written = useRef(inUrl)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (inUrl === written.current) return
    // The reader went back or followed a link.
    clearTimeout(timer.current)
    written.current = inUrl
    setSelected(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const select = useCallback(
    (step: string | undefined, options?: { readonly replace: boolean }) => {
      setSelected(step)
      clearTimeout(timer.current)
      const write = () => {
        if (isLeaving()) return
        const replace = options?.replace === true || (written.current === undefined) === (step === undefined)
        written.current = step
        void navigate({
          search: ({ q }) => changed<TraceSearch>({}, { q, step }),
          replace,
          resetScroll: false,
        })
      }
      if (written.current === undefined || step === undefined) write()
      else timer.current = setTimeout(write, PAUSE_MS)
    },
    [navigate, isLeaving],
  )
  return [selected, select]
}
