import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterColors, type Rgb } from './cluster-colors.ts'

const GROUNDS = { light: [255, 255, 255], dark: [14, 17, 22] } as const

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `clu_${String(index).padStart(3, '0')}x`)

/** WCAG 2. */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const v = value / 255
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('fifty clusters have fifty colours with enough contrast in both themes', () => {
  const colors = [...clusterColors(idsOf(50)).values()]
  for (const theme of ['light', 'dark'] as const) {
    assert.equal(new Set(colors.map((color) => color[theme].join())).size, 50)
    for (const color of colors)
      assert.ok(contrast(color[theme], GROUNDS[theme]) >= 3, `${theme} ${color[theme].join()}`)
  }
})

test('ten clusters have clearly different colours', () => {
  const colors = [...clusterColors(idsOf(10)).values()]
  for (const theme of ['light', 'dark'] as const)
    for (const [index, one] of colors.entries())
      for (const other of colors.slice(index + 1)) {
        const distance = Math.hypot(...one[theme].map((value, channel) => value - other[theme][channel]!))
        assert.ok(distance > 35, `${theme}: ${one[theme].join()} and ${other[theme].join()}`)
      }
})

test('none of the first ten colours is the red of failures', () => {
  for (const { light } of clusterColors(idsOf(10)).values()) {
    const [red, green, blue] = light
    assert.ok(!(red > 150 && green < 60 && blue < 60), light.join())
  }
})

test('a cluster keeps its colour when clusters are added', () => {
  const before = clusterColors(idsOf(7))
  const after = clusterColors(idsOf(12).toReversed())
  for (const [id, color] of before) assert.deepEqual(after.get(id), color)
})
