import type { Place } from './map-points.ts'
import type { Size } from './view.ts'

export interface LabelBox {
  readonly width: number
  readonly height: number
  /** Where its cluster is on the screen; null for one that has no points. */
  readonly anchor: Place | null
}

/** Left upper corner. */
export type PlacedLabel = Place | null

const GAP = 3
/** Steps from the anchor, in widths and heights of the label: over it, then around it, ever farther. */
const STEPS: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, -1],
  [0, 1],
  [0, -2],
  [0, 2],
  [-0.6, 0],
  [0.6, 0],
  [-0.6, -1],
  [0.6, -1],
  [-0.6, 1],
  [0.6, 1],
  [-1.2, 0],
  [1.2, 0],
]

/**
 * Where labels are written, in the order of their weight: each near its anchor, inside the drawing, over no other and
 * over nothing that is taken. Null for what has no room and for what lies outside.
 */
export function placeLabels(
  labels: readonly LabelBox[],
  size: Size,
  taken: readonly (Place & Size)[] = [],
): readonly PlacedLabel[] {
  const placed = [...taken]
  return labels.map(({ width, height, anchor }) => {
    if (anchor === null || anchor.x < 0 || anchor.y < 0 || anchor.x > size.width || anchor.y > size.height) return null
    for (const [across, down] of STEPS) {
      const box = {
        x: clamp(anchor.x - width / 2 + across * (width + GAP), GAP, size.width - width - GAP),
        y: clamp(anchor.y - height / 2 + down * (height + GAP), GAP, size.height - height - GAP),
        width,
        height,
      }
      if (placed.some((other) => overlap(box, other))) continue
      placed.push(box)
      return { x: box.x, y: box.y }
    }
    return null
  })
}

function overlap(one: Place & Size, other: Place & Size): boolean {
  return (
    one.x < other.x + other.width + GAP &&
    other.x < one.x + one.width + GAP &&
    one.y < other.y + other.height + GAP &&
    other.y < one.y + one.height + GAP
  )
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
