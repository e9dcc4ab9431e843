/** One colour for both themes. */
export interface ClusterColor {
  readonly light: Rgb
  readonly dark: Rgb
}

export type Rgb = readonly [red: number, green: number, blue: number]

/**
 * Ten hues 31 degrees apart, without the red of failures. The next ten are other shades of them, and so on up to the
 * maximum of 50 clusters a project. Neighbours also differ in lightness. All have a contrast of 3:1 to the background
 * of their theme.
 */
const HUES = [50, 80, 112, 145, 178, 212, 245, 278, 311, 344]
const SHADES = [
  { light: 0.56, dark: 0.76, chroma: 0.15, turn: 0 },
  { light: 0.44, dark: 0.88, chroma: 0.1, turn: 15 },
  { light: 0.595, dark: 0.64, chroma: 0.09, turn: 0 },
  { light: 0.36, dark: 0.7, chroma: 0.16, turn: 15 },
  { light: 0.5, dark: 0.82, chroma: 0.05, turn: 0 },
]

const COLORS: readonly ClusterColor[] = SHADES.flatMap(({ light, dark, chroma, turn }) =>
  HUES.map((hue, index) => {
    const step = index % 2 === 0 ? 0.045 : -0.045
    return { light: toRgb(light + step, chroma, hue + turn), dark: toRgb(dark + step, chroma, hue + turn) }
  }),
)

/**
 * A colour for each cluster, stable from run to run: its id picks one of ten, or the next free one. Ids sort by time
 * and older ids choose first, so a new cluster takes no colour of an older one.
 */
export function clusterColors(ids: readonly string[]): ReadonlyMap<string, ClusterColor> {
  const taken = new Set<number>()
  const colors = new Map<string, ClusterColor>()
  for (const id of ids.toSorted()) {
    const shade = Math.floor(colors.size / HUES.length) % SHADES.length
    const first = hashOf(id) % HUES.length
    const free = HUES.map((_, step) => shade * HUES.length + ((first + step) % HUES.length)).find(
      (slot) => !taken.has(slot),
    )
    const slot = free ?? shade * HUES.length + first
    taken.add(slot)
    colors.set(id, COLORS[slot]!)
  }
  return colors
}

/** For CSS: the browser chooses by the theme. */
export function cssColor({ light, dark }: ClusterColor): string {
  return `light-dark(${rgb(light)}, ${rgb(dark)})`
}

export function rgb(color: Rgb): string {
  return `rgb(${color.join(' ')})`
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** From OKLCH (https://bottosson.github.io/posts/oklab/). Reduces chroma that a screen cannot show. */
function toRgb(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180
  for (let c = chroma; c > 0; c -= 0.005) {
    const linear = linearFromOklab(lightness, c * Math.cos(angle), c * Math.sin(angle))
    if (linear.every((value) => value >= -1e-4 && value <= 1.0001)) return encode(linear)
  }
  return encode(linearFromOklab(lightness, 0, 0))
}

function linearFromOklab(lightness: number, a: number, b: number): readonly number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function encode(linear: readonly number[]): Rgb {
  const [red = 0, green = 0, blue = 0] = linear.map((value) => {
    const v = Math.min(1, Math.max(0, value))
    return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055))
  })
  return [red, green, blue]
}
