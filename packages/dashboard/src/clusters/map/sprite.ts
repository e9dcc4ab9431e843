/**
 * The shape of a point. Clusters with a high error rate are diamonds, so that colour is not needed to recognise them.
 */
export type PointShape = 'disc' | 'diamond'

/** A square image of a point: the coverage of each pixel, from 0 to 256. */
export interface Sprite {
  readonly size: number
  readonly cover: Uint16Array
}

const SAMPLES = 4

/** A point with a radius in device pixels, centred on a pixel. */
export function makeSprite(shape: PointShape, radius: number): Sprite {
  // A diamond needs a larger radius to look as large as a disc.
  const reach = shape === 'disc' ? radius : radius * 1.4
  const half = Math.ceil(reach)
  const size = 2 * half + 1
  const cover = new Uint16Array(size * size)
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      let inside = 0
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
        const dx = Math.abs(x - half - 0.5 + ((sample % SAMPLES) + 0.5) / SAMPLES)
        const dy = Math.abs(y - half - 0.5 + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES)
        if (shape === 'disc' ? dx * dx + dy * dy <= reach * reach : dx + dy <= reach) inside += 1
      }
      cover[y * size + x] = (inside * 256) / (SAMPLES * SAMPLES)
    }
  }
  return { size, cover }
}

const LARGEST = 4.5
const SMALLEST = 1.1

/** Radius in CSS pixels: small enough that many points leave gaps, and growing with zoom. */
export function pointRadius(count: number, area: number, zoom: number): number {
  const atFit = Math.min(LARGEST, Math.max(SMALLEST, 0.3 * Math.sqrt(area / Math.max(count, 1))))
  return Math.min(6, atFit * Math.max(1, zoom) ** 0.4)
}
