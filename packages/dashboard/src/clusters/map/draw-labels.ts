import { rgb } from '../cluster-colors.ts'
import { drawMark } from './draw-points.ts'
import { canvasLabel, type MapCluster } from './map-content.ts'
import type { Place } from './map-points.ts'
import { placeLabels } from './place-labels.ts'
import type { Size } from './view.ts'

export interface MapTheme {
  readonly dark: boolean
  readonly ground: string
  readonly ink: string
  readonly line: string
  readonly fail: string
  readonly accent: string
  readonly font: string
}

const HEIGHT = 18
const MARK = 16
const NARROW = 520
/** The buttons in the upper right corner. */
const TOOLS = { width: 44, height: 148 }
/** The line in the lower left corner. */
const CAPTION = { width: 290, height: 22 }

/**
 * Draws the clusters' names near their centres, over as few points as possible; a line leads from a name that is away
 * from its cluster to it. Of overlapping names, only the first is drawn.
 */
export function drawLabels(
  context: CanvasRenderingContext2D,
  labels: readonly { readonly cluster: MapCluster; readonly anchor: Place | null }[],
  size: Size,
  theme: MapTheme,
  pointsUnder: (box: Place & Size) => number,
): void {
  context.font = `600 12px ${theme.font}`
  context.textBaseline = 'middle'
  const narrow = size.width < NARROW
  const measured = labels.map(({ cluster, anchor }) => {
    const name = canvasLabel(cluster.label, narrow ? 20 : 34)
    const note = cluster.fails ? ` ${Math.round(100 * cluster.errorRate)}%${narrow ? '' : ' failed'}` : ''
    const nameWidth = context.measureText(name).width
    const width = Math.ceil(MARK + nameWidth + context.measureText(note).width + 6)
    return { cluster, anchor, name, note, nameWidth, width, height: HEIGHT }
  })
  const tools = { ...TOOLS, x: size.width - TOOLS.width, y: 0 }
  const caption = { ...CAPTION, x: 0, y: size.height - CAPTION.height }
  const places = placeLabels(measured, size, [tools, caption], pointsUnder)
  for (const [index, place] of places.entries()) {
    const { cluster, anchor, width } = measured[index]!
    if (place === null || anchor === null) continue
    context.strokeStyle = rgb(cluster.color[theme.dark ? 'dark' : 'light'])
    drawLeader(context, { ...place, width, height: HEIGHT }, anchor)
  }
  for (const [index, place] of places.entries()) {
    if (place === null) continue
    const { cluster, name, note, nameWidth, width } = measured[index]!
    context.globalAlpha = 0.88
    context.fillStyle = theme.ground
    context.beginPath()
    context.roundRect(place.x, place.y, width, HEIGHT, 5)
    context.fill()
    context.globalAlpha = 1
    context.strokeStyle = cluster.fails ? theme.fail : theme.line
    context.lineWidth = 1
    context.stroke()
    context.fillStyle = rgb(cluster.color[theme.dark ? 'dark' : 'light'])
    drawMark(context, place.x + 9, place.y + HEIGHT / 2, cluster.fails ? 5 : 4, cluster.fails)
    context.fillStyle = theme.ink
    context.fillText(name, place.x + MARK, place.y + HEIGHT / 2 + 0.5)
    context.fillStyle = theme.fail
    context.fillText(note, place.x + MARK + nameWidth, place.y + HEIGHT / 2 + 0.5)
  }
}

/** From the nearest place of the label's edge to the anchor, unless the label is over it. */
function drawLeader(context: CanvasRenderingContext2D, box: Place & Size, anchor: Place): void {
  const x = Math.max(box.x, Math.min(box.x + box.width, anchor.x))
  const y = Math.max(box.y, Math.min(box.y + box.height, anchor.y))
  if (x === anchor.x && y === anchor.y) return
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(anchor.x, anchor.y)
  context.stroke()
}
