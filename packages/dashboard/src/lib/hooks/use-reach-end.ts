import { type RefCallback, useCallback } from 'react'

/** For the element after a list: calls back whenever it comes near the screen. A new key makes it check again. */
export function useReachEnd(onReach: () => void): RefCallback<HTMLElement> {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some(({ isIntersecting }) => isIntersecting)) onReach()
        },
        { rootMargin: '400px' },
      )
      observer.observe(element)
      return () => observer.disconnect()
    },
    [onReach],
  )
}
