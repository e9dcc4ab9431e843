import type { Tick } from './time-scale.ts'

/** An upper bound of a character's width in the axis, and the space around a label, in pixels. */
const CHARACTER = 6.5
const SPACE = 10

/** Where a label has space: neither over the next label nor over what is `reserved` at the right. */
export function labelsThatFit(ticks: readonly Tick[], width: number, reserved: number): ReadonlySet<number> {
  const fitting = new Set<number>()
  let free = 0
  for (const { at, label } of ticks) {
    const left = at * width
    const right = left + label.length * CHARACTER + SPACE
    if (left < free || right > width - reserved) continue
    fitting.add(at)
    free = right
  }
  return fitting
}
