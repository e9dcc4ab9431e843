import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { rowsInSlots } from './rows-in-slots.ts'

/** Rows drawn above and below what is seen: a scroll that the browser does by itself stays inside for some frames. */
const MARGIN = 8
/** The window moves by so many rows at once, so that most frames of a slow scroll draw nothing. */
const BLOCK = 8
/** After this long without a scroll the list rests. */
const REST_MS = 150

interface RowWindow {
  readonly first: number
  /** Rows that fit into the scroller. */
  readonly seen: number
  /** The first row when the list last rested; -1 before, when only what is seen is drawn. */
  readonly rest: number
}

/**
 * Which rows of one height are to be drawn, in the order of their elements (see `rowsInSlots`). Rows of one height need
 * no measuring, which is what a general virtualiser spends its time on.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  rowHeight: number,
  count: number,
): { readonly from: number; readonly to: number; readonly slots: number; readonly rows: readonly number[] } {
  const [window, setWindow] = useState<RowWindow>(() => ({
    first: 0,
    // At most, until it is measured: to ask now would lay out the page once more.
    seen: Math.ceil(innerHeight / rowHeight),
    rest: -1,
  }))
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    let resting: ReturnType<typeof setTimeout> | undefined
    const measure = (rests: boolean) => {
      const first = Math.floor(element.scrollTop / rowHeight / BLOCK) * BLOCK
      const seen = Math.ceil(element.clientHeight / rowHeight)
      setWindow((before) => {
        if (before.rest === -1 && first === 0 && !rests) return before
        const rest = rests ? first : Math.max(0, before.rest)
        return before.first === first && before.seen === seen && before.rest === rest ? before : { first, seen, rest }
      })
    }
    const restSoon = () => {
      clearTimeout(resting)
      resting = setTimeout(() => measure(true), REST_MS)
    }
    const onScroll = () => {
      // In this very frame: else it is painted without the rows that it comes to.
      flushSync(() => measure(false))
      restSoon()
    }
    const observer = new ResizeObserver(() => {
      measure(false)
      restSoon()
    })
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(resting)
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, rowHeight])
  const { first, seen, rest } = window
  const slots = seen + 2 * MARGIN + BLOCK
  const start = (row: number) => Math.max(0, Math.min(row, count - 1) - MARGIN)
  const from = start(first)
  const to = Math.min(count, from + (rest === -1 ? seen + 1 : slots))
  return { from, to, slots, rows: rowsInSlots(from, to, slots, start(rest)) }
}
