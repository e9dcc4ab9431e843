import type { Place } from './map-points.ts'
import type { Size } from './view.ts'

export interface LabelBox {
  readonly width: number
  readonly height: number
  /** The cluster's place on the screen; null without points. */
  readonly anchor: Place | null
}

/** The upper left corner. */
export type PlacedLabel = Place | null

const GAP = 3
/** Candidate offsets from the anchor, in label widths and heights: above it, then around it, ever farther. */
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
 * Places labels in order of weight: near their anchors, inside the drawing, and over no other label or reserved area.
 * Null for a label without space or outside.
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
