import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import { type PaneShare, shareAt, shareByKey, storedShare } from '../lib/pane-share.ts'

interface SplitterProps {
  readonly panes: PaneShare
  readonly label: string
  /** The id of the first pane. */
  readonly controls: string
}

/**
 * The line between two panes, moved by dragging or arrow keys, reset by a double click, and stored in this browser. The
 * nearest element around it with `data-panes` has the first pane's share as the property `panes.property`, so that
 * moving it re-renders neither pane.
 */
export function Splitter({ panes, label, controls }: SplitterProps) {
  const [share, setShare] = useState(() => storedShare(panes, localStorage))
  const [dragged, setDragged] = useState(false)
  const line = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    rowOf(line.current)?.style.setProperty(panes.property, `${share}%`)
  }, [panes, share])
  const keep = (next: number) => {
    setShare(next)
    localStorage.setItem(panes.name, String(next))
  }
  const shareUnder = ({ clientX, currentTarget }: PointerEvent) => {
    const row = rowOf(currentTarget)?.getBoundingClientRect()
    return row === undefined ? share : shareAt(panes, clientX, row.left, row.width)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.ctrlKey || event.metaKey || event.altKey ? null : shareByKey(panes, share, event.key)
    if (next === null) return
    event.preventDefault()
    event.stopPropagation()
    keep(next)
  }
  return (
    <div
      ref={line}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation="vertical"
      aria-valuenow={Math.round(share)}
      aria-valuemin={panes.least}
      aria-valuemax={panes.most}
      aria-valuetext={`${Math.round(share)}%`}
      data-dragged={dragged || undefined}
      onKeyDown={onKeyDown}
      onDoubleClick={() => keep(panes.initial)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDragged(true)
      }}
      onPointerMove={(event) => dragged && setShare(shareUnder(event))}
      onLostPointerCapture={() => {
        setDragged(false)
        keep(share)
      }}
      className="bg-line hover:bg-accent focus-visible:bg-accent data-dragged:bg-accent relative z-10 w-px shrink-0 cursor-col-resize touch-none outline-offset-0! before:absolute before:inset-y-0 before:-right-1 before:-left-1"
    />
  )
}

function rowOf(line: Element | null): HTMLElement | null {
  return line?.closest<HTMLElement>('[data-panes]') ?? null
}
