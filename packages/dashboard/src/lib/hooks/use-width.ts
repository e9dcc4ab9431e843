import { type RefCallback, useCallback, useState } from 'react'

/** The width of an element in pixels, as it changes; 0 until it is known. */
export function useWidth(): readonly [number, RefCallback<HTMLElement>] {
  const [width, setWidth] = useState(0)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [width, measure]
}
