import type { Place } from './map-points.ts'

export interface GestureHandlers {
  /** Whether a new drag draws a lasso instead of panning. */
  drawing(event: PointerEvent): boolean
  /** Whether the map takes the wheel from the page. */
  takesWheel(event: WheelEvent): boolean
  onHover(at: Place | null): void
  onPan(dx: number, dy: number): void
  onZoom(factor: number, at?: Place): void
  onReset(): void
  onPress(at: Place, event: PointerEvent): void
  onDraw(at: Place): void
  /** The lasso has ended; `kept` is false if it was cancelled. */
  onDrawn(kept: boolean): void
  onEscape(): void
}

/** A press that moves less than this is a click. */
const CLICK_PIXELS = 4
const KEY_PAN = 60
const KEY_ZOOM = 1.4
const WHEEL_LINE_PIXELS = 16

type Mode = 'idle' | 'press' | 'pan' | 'draw' | 'pinch'

/** Mouse, pen, touch, wheel and keys on the map. Returns a function that detaches them. */
export function attachGestures(element: HTMLElement, handlers: GestureHandlers): () => void {
  const held = new Map<number, Place>()
  let mode: Mode = 'idle'

  const placeOf = (event: MouseEvent): Place => {
    const { left, top } = element.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || held.size === 2) return
    // A drag that leaves the map still moves it.
    element.setPointerCapture(event.pointerId)
    held.set(event.pointerId, placeOf(event))
    handlers.onHover(null)
    if (held.size === 2) {
      if (mode === 'draw') handlers.onDrawn(false)
      mode = 'pinch'
    } else if (handlers.drawing(event)) {
      mode = 'draw'
      handlers.onDraw(placeOf(event))
    } else mode = 'press'
  }
  const move = (event: PointerEvent) => {
    const at = placeOf(event)
    const before = held.get(event.pointerId)
    if (before === undefined) {
      if (event.pointerType !== 'touch') handlers.onHover(at)
      return
    }
    if (mode === 'press') {
      if (Math.hypot(at.x - before.x, at.y - before.y) < CLICK_PIXELS) return
      mode = 'pan'
    }
    if (mode === 'draw') handlers.onDraw(at)
    if (mode === 'pan') handlers.onPan(at.x - before.x, at.y - before.y)
    if (mode === 'pinch') {
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1]
      if (other !== undefined) pinch(before, at, other)
    }
    held.set(event.pointerId, at)
  }
  const pinch = (before: Place, at: Place, other: Place) => {
    const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }
    handlers.onPan((at.x - before.x) / 2, (at.y - before.y) / 2)
    const distance = Math.hypot(before.x - other.x, before.y - other.y)
    if (distance > 0) handlers.onZoom(Math.hypot(at.x - other.x, at.y - other.y) / distance, middle)
  }
  const up = (event: PointerEvent) => {
    if (!held.delete(event.pointerId)) return
    if (mode === 'draw') handlers.onDrawn(event.type === 'pointerup')
    if (mode === 'press' && event.type === 'pointerup') handlers.onPress(placeOf(event), event)
    // The finger that remains after a pinch pans the map.
    mode = held.size === 0 ? 'idle' : 'pan'
  }
  const leave = () => handlers.onHover(null)
  const wheel = (event: WheelEvent) => {
    if (!handlers.takesWheel(event)) return
    event.preventDefault()
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * WHEEL_LINE_PIXELS
    // A pinch on a touchpad arrives as small steps with Ctrl.
    handlers.onZoom(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0016)), placeOf(event))
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => handlers.onPan(KEY_PAN, 0),
    ArrowRight: () => handlers.onPan(-KEY_PAN, 0),
    ArrowUp: () => handlers.onPan(0, KEY_PAN),
    ArrowDown: () => handlers.onPan(0, -KEY_PAN),
    '+': () => handlers.onZoom(KEY_ZOOM),
    '=': () => handlers.onZoom(KEY_ZOOM),
    '-': () => handlers.onZoom(1 / KEY_ZOOM),
    '0': () => handlers.onReset(),
    Escape: () => {
      if (mode === 'draw') handlers.onDrawn(false)
      mode = 'idle'
      handlers.onEscape()
    },
  }
  const key = (event: KeyboardEvent) => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }

  const ended = new AbortController()
  const { signal } = ended
  element.addEventListener('pointerdown', down, { signal })
  element.addEventListener('pointermove', move, { signal })
  element.addEventListener('pointerup', up, { signal })
  element.addEventListener('pointercancel', up, { signal })
  element.addEventListener('pointerleave', leave, { signal })
  element.addEventListener('wheel', wheel, { signal, passive: false })
  element.addEventListener('keydown', key, { signal })
  return () => ended.abort()
}
