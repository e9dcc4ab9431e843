import type { LucideIconData } from 'lucide-react'

/**
 * An icon as the `d` of one path, because each element costs time in a list that re-renders while scrolling. Throws for
 * an unknown shape.
 */
export function iconPath({ node }: Pick<LucideIconData, 'node'>): string {
  // Starts at the origin, because a path may begin with a relative move.
  return node.map(([shape, attributes]) => `M0 0${shapePath(shape, attributes)}`).join('')
}

type Attributes = LucideIconData['node'][number][1]

function shapePath(shape: string, attributes: Attributes): string {
  const of = (name: keyof Attributes) => Number(attributes[name] ?? 0)
  switch (shape) {
    case 'path':
      return String(attributes.d)
    case 'line':
      return `M${of('x1')} ${of('y1')}L${of('x2')} ${of('y2')}`
    case 'circle':
      return ellipse(of('cx'), of('cy'), of('r'), of('r'))
    case 'ellipse':
      return ellipse(of('cx'), of('cy'), of('rx'), of('ry'))
    case 'rect':
      return roundedRect(of('x'), of('y'), of('width'), of('height'), of('rx'))
    default:
      throw new Error(`an icon has a ${shape}`)
  }
}

function ellipse(x: number, y: number, rx: number, ry: number): string {
  return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`
}

function roundedRect(x: number, y: number, width: number, height: number, r: number): string {
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`
  const [across, down] = [width - 2 * r, height - 2 * r]
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}`
}
