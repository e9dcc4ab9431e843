import { useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Whether another page is being loaded. What writes the page's state to the URL with a delay must ask, because a
 * navigation ends the one before it: the reader would stay.
 */
export function useIsLeaving(): () => boolean {
  const router = useRouter()
  return useCallback(() => {
    const { resolvedLocation } = router.state
    return resolvedLocation !== undefined && resolvedLocation.pathname !== router.latestLocation.pathname
  }, [router])
}
