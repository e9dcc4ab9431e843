import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { findPlace, type idIn } from '../../api/find-place.ts'

/** Opens the trace, step or session that an id names. `open` resolves with whether there is one. */
export function useOpenPlace() {
  const navigate = useNavigate()
  const [isOpening, setIsOpening] = useState(false)
  const open = async (id: NonNullable<ReturnType<typeof idIn>>): Promise<boolean> => {
    setIsOpening(true)
    try {
      // A service that cannot be reached has found nothing: the search that follows shows why.
      const place = await findPlace(id).catch(() => null)
      if (place === null) return false
      if (place.kind === 'session') {
        await navigate({ to: '/app/sessions/$sessionId', params: { sessionId: place.sessionId } })
      } else {
        const { traceId, stepId } = place
        await navigate({
          to: '/app/traces/$traceId',
          params: { traceId },
          search: stepId === undefined ? {} : { step: stepId },
        })
      }
      return true
    } finally {
      setIsOpening(false)
    }
  }
  return { isOpening, open }
}
