import { type KeyboardEvent, type PointerEvent, useState } from 'react'

interface Brushed {
  /** The position of the brush, and where it started; both null without a brush. */
  readonly cursor: number | null
  readonly anchor: number | null
}

const NOTHING: Brushed = { cursor: null, anchor: null }

/** Selects a range of `count` adjacent places by dragging, or by arrow keys with Shift. Esc cancels. */
export function useBrush(count: number, onDone: (one: number, other: number) => void) {
  const [brushed, setBrushed] = useState<Brushed>(NOTHING)
  const [dragging, setDragging] = useState(false)
  const placeOf = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)))
  }
  const finish = ({ cursor, anchor }: Brushed) => {
    setBrushed(NOTHING)
    setDragging(false)
    if (cursor !== null) onDone(cursor, anchor ?? cursor)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = brushed.cursor ?? (event.key === 'ArrowLeft' ? count : -1)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[event.key]
    if (to !== undefined) {
      const cursor = Math.max(0, Math.min(count - 1, to))
      setBrushed({ cursor, anchor: event.shiftKey ? (brushed.anchor ?? brushed.cursor ?? cursor) : null })
    } else if (event.key === 'Enter' && brushed.cursor !== null) finish(brushed)
    else if (event.key === 'Escape' && brushed.cursor !== null) setBrushed(NOTHING)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const handlers = {
    onKeyDown,
    onBlur: () => setBrushed(NOTHING),
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const place = placeOf(event)
      setDragging(true)
      setBrushed({ cursor: place, anchor: place })
    },
    /** Returns the place below the pointer. */
    onPointerMove: (event: PointerEvent<HTMLElement>): number => {
      const place = placeOf(event)
      if (dragging && place !== brushed.cursor) setBrushed({ ...brushed, cursor: place })
      return place
    },
    onPointerUp: () => {
      if (dragging) finish(brushed)
    },
    onPointerCancel: () => {
      setDragging(false)
      setBrushed(NOTHING)
    },
  }
  return { ...brushed, handlers }
}
