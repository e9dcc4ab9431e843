import type { Bounds, Place } from './map-points.ts'
import { nearestOfAll, type PointTree, pointsIn } from './point-tree.ts'

/** The visible part of the map: the place in the centre of the screen, and the pixels per map unit. */
export interface View {
  readonly x: number
  readonly y: number
  readonly scale: number
}

/** Of the drawing, in CSS pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

const PADDING = 28
const CLOSEST = 80
const FARTHEST = 0.7

/** The whole map. */
export function fitView({ left, right, bottom, top }: Bounds, { width, height }: Size): View {
  const across = Math.max(right - left, 0.02)
  const up = Math.max(top - bottom, 0.02)
  const scale = Math.min(Math.max(width - 2 * PADDING, 20) / across, Math.max(height - 2 * PADDING, 20) / up)
  return { x: (left + right) / 2, y: (bottom + top) / 2, scale }
}

/** In pixels from the upper left corner. */
export function toScreen(view: View, size: Size, { x, y }: Place): Place {
  return { x: (x - view.x) * view.scale + size.width / 2, y: (view.y - y) * view.scale + size.height / 2 }
}

export function toMap(view: View, size: Size, { x, y }: Place): Place {
  return { x: (x - size.width / 2) / view.scale + view.x, y: view.y - (y - size.height / 2) / view.scale }
}

/** By pixels: the map follows the pointer. */
export function panBy(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y + dy / view.scale }
}

/** Zooms by a factor; the place under `at` stays there. */
export function zoomAt(view: View, size: Size, fit: View, factor: number, at: Place): View {
  const scale = Math.min(fit.scale * CLOSEST, Math.max(fit.scale * FARTHEST, view.scale * factor))
  const under = toMap(view, size, at)
  const there = toMap({ ...view, scale }, size, at)
  return { x: view.x + under.x - there.x, y: view.y + under.y - there.y, scale }
}

/** Keeps the map visible: the centre of the view never leaves the bounds. */
export function keepInBounds(view: View, { left, right, bottom, top }: Bounds): View {
  return { ...view, x: Math.min(right, Math.max(left, view.x)), y: Math.min(top, Math.max(bottom, view.y)) }
}

/**
 * Keeps a point visible: a view without any moves until the nearest point is inside it, a little away from the edge.
 */
export function keepOnPoints(view: View, size: Size, tree: PointTree): View {
  if (tree.points.count === 0) return view
  const across = Math.max(size.width / 2 - PADDING, 0) / view.scale
  const up = Math.max(size.height / 2 - PADDING, 0) / view.scale
  const index = nearestOfAll(tree, view)
  const [x, y] = [tree.points.xs[index]!, tree.points.ys[index]!]
  const inside = { left: view.x - across, right: view.x + across, bottom: view.y - up, top: view.y + up }
  // The nearest is rarely outside, and counting all points inside takes longer.
  if (Math.abs(x - view.x) <= across && Math.abs(y - view.y) <= up) return view
  if (pointsIn(tree, inside).length > 0) return view
  return {
    ...view,
    x: Math.min(x + across, Math.max(x - across, view.x)),
    y: Math.min(y + up, Math.max(y - up, view.y)),
  }
}

/** The same place and zoom in a drawing of another size. */
export function resizeView(view: View, before: View, after: View): View {
  return view.x === before.x && view.y === before.y && view.scale === before.scale
    ? after
    : { ...view, scale: (view.scale / before.scale) * after.scale }
}
