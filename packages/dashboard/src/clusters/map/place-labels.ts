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
/** Candidate offsets from the anchor, in label widths and heights. */
const ACROSS = [0, -0.55, 0.55, -1.1, 1.1]
const DOWN = [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6]
/** A label moves away by two of its heights rather than cover one more point. */
const POINTS_PER_HEIGHT = 0.5

/**
 * Places labels in order of weight: near their anchors, inside the drawing, over as few points as possible, and over no
 * other label or reserved area. Null for a label without space or outside.
 *
 * @param pointsUnder the number of points that a box covers
 */
export function placeLabels(
  labels: readonly LabelBox[],
  size: Size,
  taken: readonly (Place & Size)[] = [],
  pointsUnder: (box: Place & Size) => number = () => 0,
): readonly PlacedLabel[] {
  const placed = [...taken]
  return labels.map(({ width, height, anchor }) => {
    if (anchor === null || anchor.x < 0 || anchor.y < 0 || anchor.x > size.width || anchor.y > size.height) return null
    let best: (Place & Size) | null = null
    let least = Infinity
    for (const down of DOWN) {
      for (const across of ACROSS) {
        const [dx, dy] = [across * (width + GAP), down * (height + GAP)]
        const far = (POINTS_PER_HEIGHT * Math.hypot(dx, dy)) / height
        if (far >= least) continue
        const box = {
          x: clamp(anchor.x - width / 2 + dx, GAP, size.width - width - GAP),
          y: clamp(anchor.y - height / 2 + dy, GAP, size.height - height - GAP),
          width,
          height,
        }
        if (placed.some((other) => overlap(box, other))) continue
        const cost = far + pointsUnder(box)
        if (cost >= least) continue
        best = box
        least = cost
      }
    }
    if (best === null) return null
    placed.push(best)
    return { x: best.x, y: best.y }
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
