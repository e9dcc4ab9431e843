import { memo, type PointerEvent, useEffect, useRef } from 'react'
import { onThemeChange, themeColor } from '../../app/theme.ts'
import { ROW_HEIGHT } from './step-row.tsx'

interface OverviewRulerProps {
  readonly rows: number
  readonly failedRows: readonly number[]
  readonly matchedRows: readonly number[]
  readonly selectedRow: number
  /** A share of all rows, from 0 to 1. */
  onGo(share: number): void
}

const WIDTH = 10
export const HEAD_HEIGHT = 28

/** Cached theme colours: reading them from the style sheet costs more than drawing. */
let colors: { readonly matched: string; readonly failed: string; readonly selected: string } | null = null

/** Marks failures, matches and the selection over all rows. The text beside the search shows the same. */
export const OverviewRuler = memo(function OverviewRuler({
  rows,
  failedRows,
  matchedRows,
  selectedRow,
  onGo,
}: OverviewRulerProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const draw = () => {
      const height = element.clientHeight
      // A short list has its marks beside its rows.
      const fits = HEAD_HEIGHT + rows * ROW_HEIGHT <= height
      const scale = devicePixelRatio
      element.width = WIDTH * scale
      element.height = height * scale
      const context = element.getContext('2d')
      if (context === null || rows === 0) return
      context.scale(scale, scale)
      const mark = (at: readonly number[], color: string, thick: number) => {
        context.fillStyle = color
        for (const row of at) {
          const top = fits ? HEAD_HEIGHT + (row + 0.5) * ROW_HEIGHT : (row / rows) * (height - thick)
          context.fillRect(0, Math.round(top), WIDTH, thick)
        }
      }
      colors ??= {
        matched: themeColor('--color-warn'),
        failed: themeColor('--color-fail'),
        selected: themeColor('--color-accent'),
      }
      mark(matchedRows, colors.matched, 2)
      mark(failedRows, colors.failed, 3)
      if (selectedRow >= 0) mark([selectedRow], colors.selected, 3)
    }
    // Draws first after the layout: reading its size before would force another layout.
    const observer = new ResizeObserver(draw)
    observer.observe(element)
    const endTheme = onThemeChange(() => {
      colors = null
      draw()
    })
    return () => {
      observer.disconnect()
      endTheme()
    }
  }, [rows, failedRows, matchedRows, selectedRow])
  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons !== 1) return
    const { top, height } = event.currentTarget.getBoundingClientRect()
    onGo((event.clientY - top) / height)
  }
  return (
    <canvas
      ref={canvas}
      aria-hidden
      onPointerDown={go}
      onPointerMove={go}
      className="bg-sunken w-2.5 shrink-0 border-l"
    />
  )
})
