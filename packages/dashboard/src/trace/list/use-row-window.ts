import { type RefObject, useLayoutEffect, useState } from 'react'

/** Rows drawn above and below what is seen: a fast scroll stays inside for some frames. */
const MARGIN = 16
/** The window moves by so many rows at once, so that most frames of a scroll draw nothing. */
const BLOCK = 8

/**
 * Which rows of one height are to be drawn, `from` up to `to`. A row that is keyed by its number modulo `slots` takes over the elements of one that has gone,
 * which is less work than to make new ones. Rows of one height need no measuring, which is what a general virtualiser spends its time on.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  rowHeight: number,
  count: number,
): { readonly from: number; readonly to: number; readonly slots: number } {
  const [window, setWindow] = useState({ first: 0, seen: 40 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      const first = Math.floor(element.scrollTop / rowHeight / BLOCK) * BLOCK
      const seen = Math.ceil(element.clientHeight / rowHeight)
      setWindow((before) => (before.first === first && before.seen === seen ? before : { first, seen }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [scroller, rowHeight])
  const from = Math.max(0, Math.min(window.first, count - 1) - MARGIN)
  const slots = window.seen + 2 * MARGIN + BLOCK
  return { from, to: Math.min(count, from + slots), slots }
}
