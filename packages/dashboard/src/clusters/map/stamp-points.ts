import type { Rgb } from '../cluster-colors.ts'
import type { MapPoints } from './map-points.ts'
import type { Sprite } from './sprite.ts'
import type { View } from './view.ts'

/**
 * Pixels as ImageData has them, a margin on all sides: what is partly outside the picture is drawn in it and needs no
 * clipping.
 */
export interface Frame {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
}

export const FRAME_MARGIN = 16

interface PointStyle {
  readonly color: Rgb
  readonly sprite: Sprite
  /** Of the ground's colour, about the point: it parts points that touch. */
  readonly rim: Sprite | null
}

interface Scene {
  readonly points: MapPoints
  /** In pixels of the screen, about the middle of the frame. */
  readonly view: View
  /** By cluster. */
  readonly styles: readonly PointStyle[]
  /** By point: 1 for what stands back. Null when nothing does. */
  readonly dimmed: Uint8Array | null
  readonly ground: Rgb
}

const FULL = 256
const DIMMED = 40

/**
 * Draws all points, pixel by pixel: 100,000 take 10 to 30 ms by the density of the screen, which as many shapes of a
 * canvas do not. In two goes when some stand back, so that none of them covers what does not.
 */
export function stampPoints(frame: Frame, scene: Scene): void {
  frame.pixels.fill(pack(scene.ground))
  if (scene.dimmed !== null) stampSome(frame, scene, 1, DIMMED)
  stampSome(frame, scene, 0, FULL)
}

function stampSome(frame: Frame, { points, view, styles, dimmed, ground }: Scene, which: 0 | 1, opacity: number): void {
  const { width, height, pixels } = frame
  const { count, xs, ys, clusters } = points
  const stamps = styles.map(({ color, sprite }) => prepareStamp(color, sprite, width, opacity))
  const rims = styles.map(({ rim }) => (rim === null ? null : prepareStamp(ground, rim, width, opacity)))
  const { x: middleX, y: middleY, scale } = view
  const across = width / 2 - middleX * scale
  const down = height / 2 + middleY * scale
  for (let index = 0; index < count; index += 1) {
    if (dimmed !== null && dimmed[index] !== which) continue
    const rim = rims[clusters[index]!]
    const stamp = stamps[clusters[index]!]!
    const { half } = rim ?? stamp
    const x = Math.floor(xs[index]! * scale + across)
    const y = Math.floor(down - ys[index]! * scale)
    if (x < half || y < half || x >= width - half || y >= height - half) continue
    const at = y * width + x
    if (rim) stampOne(pixels, at, rim)
    stampOne(pixels, at, stamp)
  }
}

function stampOne(pixels: Uint32Array, at: number, { solid, soft, rest, redBlue, green, packed }: Stamp): void {
  for (let pixel = 0; pixel < solid.length; pixel += 1) pixels[at + solid[pixel]!] = packed
  for (let pixel = 0; pixel < soft.length; pixel += 1) {
    const place = at + soft[pixel]!
    const under = pixels[place]!
    const left = rest[pixel]!
    pixels[place] =
      OPAQUE |
      (((Math.imul(under & RED_BLUE, left) + redBlue[pixel]!) >>> 8) & RED_BLUE) |
      ((Math.imul((under >>> 8) & 255, left) + green[pixel]!) & GREEN)
  }
}

type Stamp = ReturnType<typeof prepareStamp>

const OPAQUE = 0xff000000
/** Two channels of a pixel are mixed at once: neither reaches the bits of the other. */
const RED_BLUE = 0x00ff00ff
const GREEN = 0x0000ff00

/** Red is in the lowest byte on every machine that browsers run on. */
function pack([red, green, blue]: Rgb): number {
  return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0
}

/**
 * The pixels of a point by their distance from its middle: those that it covers, and those that it mixes with, by how
 * much.
 */
function prepareStamp(color: Rgb, { size, cover }: Sprite, width: number, opacity: number) {
  const half = size >> 1
  const solid: number[] = []
  const soft: number[] = []
  const shares: number[] = []
  for (const [pixel, covered] of cover.entries()) {
    const share = (covered * opacity) >> 8
    if (share === 0) continue
    const offset = (Math.floor(pixel / size) - half) * width + (pixel % size) - half
    if (share >= FULL) solid.push(offset)
    else {
      soft.push(offset)
      shares.push(share)
    }
  }
  const [red, green, blue] = color
  return {
    half,
    packed: pack(color),
    solid: Int32Array.from(solid),
    soft: Int32Array.from(soft),
    /** How much of what is there stays, and what is added to it. */
    rest: Int32Array.from(shares, (share) => FULL - share),
    redBlue: Int32Array.from(shares, (share) => Math.imul((blue << 16) | red, share)),
    green: Int32Array.from(shares, (share) => green * share),
  }
}
