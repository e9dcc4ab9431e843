import { type RefCallback, useCallback, useState } from 'react'

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

/** Whether an element has come near the screen yet, to load its data only then. */
export function useSeen(): readonly [RefCallback<HTMLElement>, boolean] {
  const [seen, setSeen] = useState(false)
  return [useReachEnd(useCallback(() => setSeen(true), [])), seen]
}
