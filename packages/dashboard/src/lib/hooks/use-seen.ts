import { type RefCallback, useCallback, useState } from 'react'

/** Whether an element has come near the screen yet, to load its data only then. */
export function useSeen(): readonly [RefCallback<HTMLElement>, boolean] {
  const [seen, setSeen] = useState(false)
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setSeen(true)
        observer.disconnect()
      },
      { rootMargin: '300px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, seen]
}
