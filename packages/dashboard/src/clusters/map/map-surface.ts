import { rgb } from '../cluster-colors.ts'
import { drawLabels, type MapTheme } from './draw-labels.ts'
import type { MapCluster } from './map-content.ts'
import { centresOf, type MapPoints, type Place } from './map-points.ts'
import { drawPoints, makeSprite, pointRadius } from './draw-points.ts'
import { buildTree, middlePoint, nearestPoint, pointsIn, type PointTree } from './point-tree.ts'
import {
  fitView,
  keepInBounds,
  keepOnPoints,
  panBy,
  resizeView,
  type Size,
  toMap,
  toScreen,
  type View,
  zoomAt,
} from './view.ts'

/** Drawn over the points, and changes without them. */
interface Marks {
  /** The point under the pointer. */
  readonly hovered: number | null
  /** The cluster that is shown alone. */
  readonly focused: number | null
  readonly dimmed: Uint8Array | null
  /** The lasso that is being drawn, in map coordinates. */
  readonly loop: readonly Place[]
}

/**
 * Draws points on one canvas and marks on another. Coordinates are CSS pixels from the upper left corner. Draws at most
 * once a frame, and only after a change.
 */
export class MapSurface {
  readonly #base: HTMLCanvasElement
  readonly #over: HTMLCanvasElement
  #theme: MapTheme
  #size: Size = { width: 0, height: 0 }
  #pixelRatio = 1
  #tree: PointTree | null = null
  #clusters: readonly MapCluster[] = []
  #centres: readonly (Place | null)[] = []
  #fit: View = { x: 0, y: 0, scale: 1 }
  #view: View = this.#fit
  #marks: Marks = { hovered: null, focused: null, dimmed: null, loop: [] }
  #frame: number | null = null
  #pointsChanged = true

  constructor(base: HTMLCanvasElement, over: HTMLCanvasElement, theme: MapTheme) {
    this.#base = base
    this.#over = over
    this.#theme = theme
  }

  get tree(): PointTree | null {
    return this.#tree
  }

  get isZoomed(): boolean {
    return this.#view.scale > this.#fit.scale * 1.01
  }

  /** Another map is shown as a whole. */
  show(points: MapPoints, clusters: readonly MapCluster[]): void {
    this.#clusters = clusters
    if (this.#tree?.points !== points) {
      this.#tree = buildTree(points)
      this.#centres = centresOf(points)
      this.#marks = { hovered: null, focused: null, dimmed: null, loop: [] }
      this.#fit = fitView(points.bounds, this.#size)
      this.#view = this.#fit
    }
    this.#drawSoon(true)
  }

  resize(size: Size, pixelRatio: number): void {
    this.#size = size
    this.#pixelRatio = pixelRatio
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = Math.round(size.width * pixelRatio)
      canvas.height = Math.round(size.height * pixelRatio)
    }
    if (this.#tree !== null) {
      const fit = fitView(this.#tree.points.bounds, size)
      this.#view = resizeView(this.#view, this.#fit, fit)
      this.#fit = fit
    }
    // Draws at once, so that the cleared canvas is never visible.
    this.#pointsChanged = true
    this.#draw()
  }

  setTheme(theme: MapTheme): void {
    this.#theme = theme
    this.#drawSoon(true)
  }

  mark(marks: Partial<Marks>): void {
    const before = this.#marks
    this.#marks = { ...before, ...marks }
    this.#drawSoon(this.#marks.dimmed !== before.dimmed)
  }

  pan(dx: number, dy: number): void {
    this.#setView(panBy(this.#view, dx, dy))
  }

  /** Around `at`, or else around the cluster that is shown alone or that has the most points in view. */
  zoom(factor: number, at: Place = this.#middle()): void {
    this.#setView(zoomAt(this.#view, this.#size, this.#fit, factor, at))
  }

  #middle(): Place {
    const { width, height } = this.#size
    const { x: left, y: top } = this.placeAt({ x: 0, y: 0 })
    const { x: right, y: bottom } = this.placeAt({ x: width, y: height })
    const middle = this.#tree && middlePoint(this.#tree, { left, right, bottom, top }, this.#marks.focused)
    return middle === null ? { x: width / 2, y: height / 2 } : this.whereIs(middle)
  }

  reset(): void {
    this.#setView(this.#fit)
  }

  /** The nearest point within `reach` pixels; null if there is none. */
  pick(at: Place, reach: number): number | null {
    if (this.#tree === null) return null
    return nearestPoint(this.#tree, toMap(this.#view, this.#size, at), reach / this.#view.scale)
  }

  /** Converts a place of the drawing to map coordinates. */
  placeAt(at: Place): Place {
    return toMap(this.#view, this.#size, at)
  }

  /** Converts a length in pixels to map units. */
  unitsOf(pixels: number): number {
    return pixels / this.#view.scale
  }

  /** The place of a point in the drawing. */
  whereIs(index: number): Place {
    const points = this.#tree?.points
    return toScreen(this.#view, this.#size, { x: points?.xs[index] ?? 0, y: points?.ys[index] ?? 0 })
  }

  end(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame)
  }

  #setView(view: View): void {
    if (this.#tree === null) return
    this.#view = keepOnPoints(keepInBounds(view, this.#tree.points.bounds), this.#size, this.#tree)
    this.#drawSoon(true)
  }

  #drawSoon(points: boolean): void {
    this.#pointsChanged ||= points
    this.#frame ??= requestAnimationFrame(() => this.#draw())
  }

  #draw(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame)
    this.#frame = null
    if (this.#size.width === 0 || this.#tree === null) return
    if (this.#pointsChanged) this.#drawPoints(this.#tree.points)
    this.#pointsChanged = false
    this.#drawOver()
  }

  get #radius(): number {
    const { width, height } = this.#size
    return pointRadius(this.#tree?.points.count ?? 0, width * height, this.#view.scale / this.#fit.scale)
  }

  #drawPoints(points: MapPoints): void {
    const context = this.#base.getContext('2d')
    if (context === null) return
    const { dark, ground } = this.#theme
    context.setTransform(this.#pixelRatio, 0, 0, this.#pixelRatio, 0, 0)
    context.fillStyle = ground
    context.fillRect(0, 0, this.#size.width, this.#size.height)
    const sprites = this.#clusters.map(({ color, fails }) =>
      makeSprite(fails, this.#radius, rgb(color[dark ? 'dark' : 'light']), ground, this.#pixelRatio),
    )
    drawPoints(context, points, { view: this.#view, size: this.#size, sprites, dimmed: this.#marks.dimmed })
  }

  #drawOver(): void {
    const context = this.#over.getContext('2d')
    if (context === null) return
    context.setTransform(this.#pixelRatio, 0, 0, this.#pixelRatio, 0, 0)
    context.clearRect(0, 0, this.#size.width, this.#size.height)
    const { focused, hovered, loop } = this.#marks
    const labels = this.#clusters
      .map((cluster, index) => ({ cluster, centre: this.#centres[index] ?? null, index }))
      .filter(({ index }) => focused === null || index === focused)
      .map(({ cluster, centre }) => ({
        cluster,
        anchor: centre === null ? null : toScreen(this.#view, this.#size, centre),
      }))
    drawLabels(context, labels, this.#size, this.#theme, (box) => this.#pointsUnder(box))
    if (hovered !== null) this.#drawRing(context, this.whereIs(hovered))
    if (loop.length > 1) this.#drawLoop(context, loop)
  }

  /** Of a label, with a point's size around it. */
  #pointsUnder({ x, y, width, height }: Place & Size): number {
    if (this.#tree === null) return 0
    const radius = this.#radius
    const { x: left, y: top } = this.placeAt({ x: x - radius, y: y - radius })
    const { x: right, y: bottom } = this.placeAt({ x: x + width + radius, y: y + height + radius })
    return pointsIn(this.#tree, { left, right, bottom, top }).length
  }

  #drawRing(context: CanvasRenderingContext2D, { x, y }: Place): void {
    context.beginPath()
    context.arc(x, y, this.#radius + 4, 0, 2 * Math.PI)
    context.strokeStyle = this.#theme.ink
    context.lineWidth = 2
    context.stroke()
  }

  #drawLoop(context: CanvasRenderingContext2D, loop: readonly Place[]): void {
    context.beginPath()
    for (const place of loop) {
      const { x, y } = toScreen(this.#view, this.#size, place)
      context.lineTo(x, y)
    }
    context.closePath()
    context.fillStyle = this.#theme.accent
    context.globalAlpha = 0.12
    context.fill()
    context.globalAlpha = 1
    context.strokeStyle = this.#theme.accent
    context.lineWidth = 1.5
    context.setLineDash([5, 4])
    context.stroke()
    context.setLineDash([])
  }
}
