import type { MapPoints } from './map-points.ts'
import { type Size, toScreen, type View } from './view.ts'

/** The image of a point: a disc, or for clusters with a high error rate a diamond. */
export interface Sprite {
  readonly image: CanvasImageSource
  /** Width and height, CSS pixels. */
  readonly size: number
}

const DIMMED = 0.16
/** Smaller points have no rim: rims would hide other points. */
const MIN_RADIUS_WITH_RIM = 2.5

/** Points by cluster, dimmed ones first, so that they cover no others. */
export function drawPoints(
  context: Pick<CanvasRenderingContext2D, 'globalAlpha' | 'drawImage'>,
  points: MapPoints,
  {
    view,
    size,
    sprites,
    dimmed,
  }: {
    readonly view: View
    readonly size: Size
    /** By cluster. */
    readonly sprites: readonly Sprite[]
    /** By point: 1 if dimmed. Null if none is. */
    readonly dimmed: Uint8Array | null
  },
): void {
  for (const which of dimmed === null ? [0] : [1, 0]) {
    context.globalAlpha = which === 1 ? DIMMED : 1
    for (let index = 0; index < points.count; index += 1) {
      if (dimmed !== null && dimmed[index] !== which) continue
      const { image, size: side } = sprites[points.clusters[index]!]!
      const { x, y } = toScreen(view, size, { x: points.xs[index]!, y: points.ys[index]! })
      if (x > -side && y > -side && x < size.width + side && y < size.height + side)
        context.drawImage(image, x - side / 2, y - side / 2, side, side)
    }
  }
  context.globalAlpha = 1
}

/** `ground`: the colour of a rim, which separates touching points. `ratio`: device pixels in a CSS pixel. */
export function makeSprite(fails: boolean, radius: number, color: string, ground: string, ratio: number): Sprite {
  const image = document.createElement('canvas')
  // A diamond needs a larger radius to look as large as a disc.
  const reach = (of: number) => (fails ? of * 1.4 : of)
  const size = 2 * Math.ceil(reach(radius + 1))
  image.width = image.height = Math.ceil(size * ratio)
  const context = image.getContext('2d')!
  context.scale(ratio, ratio)
  const fill = (style: string, of: number) => {
    context.fillStyle = style
    drawMark(context, size / 2, size / 2, reach(of), fails)
  }
  if (radius >= MIN_RADIUS_WITH_RIM) fill(ground, radius + 1)
  fill(color, radius)
  return { image, size }
}

/** A disc, or a diamond for a high error rate, so that colour is not needed to recognise it. */
export function drawMark(context: CanvasRenderingContext2D, x: number, y: number, reach: number, fails: boolean): void {
  context.beginPath()
  if (fails)
    for (const [dx, dy] of [
      [0, -1],
      [1, 0],
      [0, 1],
      [-1, 0],
    ] as const)
      context.lineTo(x + dx * reach, y + dy * reach)
  else context.arc(x, y, reach, 0, 2 * Math.PI)
  context.fill()
}

const LARGEST = 4.5
const SMALLEST = 1.1

/** Radius in CSS pixels: small enough that many points leave gaps, and growing with zoom. */
export function pointRadius(count: number, area: number, zoom: number): number {
  const atFit = Math.min(LARGEST, Math.max(SMALLEST, 0.3 * Math.sqrt(area / Math.max(count, 1))))
  return Math.min(6, atFit * Math.max(1, zoom) ** 0.4)
}
