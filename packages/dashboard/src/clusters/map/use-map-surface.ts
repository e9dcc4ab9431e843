import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { onThemeChange, themeColor } from '../../app/theme.ts'
import { attachGestures } from './attach-gestures.ts'
import { extendLoop, pointsInside } from './lasso.ts'
import { MapSurface } from './map-surface.ts'
import type { Place } from './map-points.ts'
import type { Size } from './view.ts'
import type { MapTheme } from './draw-labels.ts'

export interface Hovered {
  readonly index: number
  readonly at: Place
}

interface MapSurfaceOptions {
  readonly lasso: boolean
  onLassoEnd(): void
  onOpen(index: number, inNewTab: boolean): void
  onSelect(indexes: readonly number[] | null): void
}

const REACH = { mouse: 8, touch: 16 }
const MIN_STEP = 3

/** A surface on the canvases of a box, updated with its size and the theme, with gestures on the box. */
export function useMapSurface(box: RefObject<HTMLElement | null>, options: MapSurfaceOptions) {
  const surface = useRef<MapSurface | null>(null)
  const [hovered, setHovered] = useState<Hovered | null>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const loop = useRef<readonly Place[]>([])

  const hover = useEffectEvent((at: Place | null) => {
    const index = at === null || options.lasso ? null : (surface.current?.pick(at, REACH.mouse) ?? null)
    if (index === (hovered?.index ?? null)) return
    surface.current?.mark({ hovered: index })
    setHovered(index === null ? null : { index, at: surface.current!.whereIs(index) })
  })
  const press = useEffectEvent((at: Place, event: PointerEvent) => {
    const reach = event.pointerType === 'touch' ? REACH.touch : REACH.mouse
    const index = surface.current?.pick(at, reach) ?? null
    if (index === null) options.onSelect(null)
    else options.onOpen(index, event.ctrlKey || event.metaKey)
  })
  const isDrawing = useEffectEvent((event: PointerEvent) => options.lasso || event.shiftKey)
  const drawn = useEffectEvent((kept: boolean) => {
    const tree = surface.current?.tree
    if (kept && loop.current.length >= 3 && tree) {
      const inside = pointsInside(tree, loop.current)
      options.onSelect(inside.length === 0 ? null : inside)
    }
    loop.current = []
    surface.current?.mark({ loop: [] })
    options.onLassoEnd()
  })
  // One finger scrolls the page while the map is shown as a whole.
  const settleTouch = useEffectEvent(() => {
    const isMaps = options.lasso || surface.current?.isZoomed === true
    if (box.current !== null) box.current.style.touchAction = isMaps ? 'none' : 'pan-y'
  })
  const escape = useEffectEvent(() => {
    options.onLassoEnd()
    options.onSelect(null)
  })

  useEffect(() => {
    const element = box.current
    const [base, over] = element?.querySelectorAll('canvas') ?? []
    if (!element || !base || !over) return
    const created = new MapSurface(base, over, readMapTheme())
    surface.current = created
    const changeView = (change: () => void) => {
      hover(null)
      change()
      settleTouch()
    }
    const offGestures = attachGestures(element, {
      drawing: (event) => isDrawing(event),
      // Where the page scrolls, the wheel belongs to the page until the map has the focus.
      takesWheel: (event) =>
        event.ctrlKey ||
        element.contains(document.activeElement) ||
        document.documentElement.scrollHeight <= innerHeight,
      onHover: (at) => hover(at),
      onPan: (dx, dy) => changeView(() => created.pan(dx, dy)),
      onZoom: (factor, at) => changeView(() => created.zoom(factor, at)),
      onReset: () => changeView(() => created.reset()),
      onPress: (at, event) => press(at, event),
      onDraw: (at) => {
        loop.current = extendLoop(loop.current, created.placeAt(at), created.unitsOf(MIN_STEP))
        created.mark({ loop: loop.current })
      },
      onDrawn: (kept) => drawn(kept),
      onEscape: () => escape(),
    })
    const fit = () => {
      const next = { width: element.clientWidth, height: element.clientHeight }
      created.resize(next, devicePixelRatio)
      setSize(next)
    }
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    // A window that moves to a screen of another pixel density keeps its size.
    addEventListener('resize', fit)
    const offTheme = onThemeChange(() => created.setTheme(readMapTheme()))
    return () => {
      offGestures()
      observer.disconnect()
      removeEventListener('resize', fit)
      offTheme()
      created.end()
      surface.current = null
    }
  }, [box])

  useEffect(() => settleTouch(), [options.lasso])

  return { surface, hovered, size }
}

function readMapTheme(): MapTheme {
  const ground = themeColor('--color-ground')
  // A computed colour is `rgb(…)`.
  const channels = ground.match(/\d+/g) ?? []
  return {
    dark: channels.slice(0, 3).reduce((sum, channel) => sum + Number(channel), 0) < 384,
    ground,
    ink: themeColor('--color-ink'),
    line: themeColor('--color-line-strong'),
    fail: themeColor('--color-fail'),
    accent: themeColor('--color-accent'),
    font: getComputedStyle(document.body).fontFamily,
  }
}
