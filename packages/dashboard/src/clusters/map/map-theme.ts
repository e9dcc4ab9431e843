import { themeColor } from '../../app/theme.ts'
import type { Rgb } from '../cluster-colors.ts'
import type { MapTheme } from './draw-labels.ts'

export function readMapTheme(): MapTheme {
  const ground = numbersOf(themeColor('--color-ground'))
  return {
    dark: ground[0] + ground[1] + ground[2] < 384,
    ground,
    ink: themeColor('--color-ink'),
    line: themeColor('--color-line-strong'),
    fail: themeColor('--color-fail'),
    accent: themeColor('--color-accent'),
    font: getComputedStyle(document.body).fontFamily,
  }
}

/** The channels of a computed colour, which is `rgb(…)` for theme colours. */
function numbersOf(color: string): Rgb {
  const [red = 255, green = 255, blue = 255] = (color.match(/\d+/g) ?? []).map(Number)
  return [red, green, blue]
}
