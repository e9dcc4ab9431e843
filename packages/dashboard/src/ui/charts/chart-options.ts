import uPlot from 'uplot'
import { themeColor } from '../../app/theme.ts'
import { type ChartModel, formatTick } from './chart-model.ts'
import type { PointedBucket } from './chart-tooltip.tsx'

/** What may lie between two labels of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

/** What may lie between two labels of an axis of milliseconds, from a second on. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800]
  .concat([1, 2, 3, 6, 12, 24, 48, 120, 240].map((hours) => hours * 3600))
  .map((seconds) => seconds * 1000)
const DURATION_STEPS = [...WHOLE_STEPS.filter((ms) => ms < 1000), ...TIME_STEPS]
const FONT_PX = 11

function font(ratio = 1): string {
  return `${FONT_PX * ratio}px ${getComputedStyle(document.body).fontFamily}`
}

interface ChartHandlers {
  onCursor(bucket: PointedBucket | null): void
  onZoom(from: number, to: number): void
  onClick(index: number, lineKey: string | null): void
}

/** Lines as uPlot takes them. Stacked lines become overlapping bars, the tallest first. */
export function toAlignedData({ times, lines, kind, scale }: ChartModel): uPlot.AlignedData {
  const columns = lines.map(({ values }) => values.map((value) => (scale === 'log' && value === 0 ? null : value)))
  if (kind === 'stack') {
    for (const [index, column] of columns.entries()) {
      const below = columns[index - 1]
      if (below === undefined) continue
      column.forEach((value, at) => (column[at] = value === null ? null : value + (below[at] ?? 0)))
    }
    columns.reverse()
  }
  return [[...times], ...columns]
}

export function toOptions(
  model: ChartModel,
  size: { readonly width: number; readonly height: number },
  handlers: ChartHandlers,
): uPlot.Options {
  const { times, bucketMs, kind, lines, formatOnAxis = model.format } = model
  const muted = themeColor('--color-muted')
  const grid = { stroke: themeColor('--color-line'), width: 1 }
  const inOrder = kind === 'stack' ? lines.toReversed() : lines
  const first = times[0] ?? 0
  const last = (times.at(-1) ?? first) + bucketMs
  return {
    ...size,
    ms: 1,
    legend: { show: false },
    padding: [10, 22, 0, 0],
    scales: {
      x: { time: true, range: [first, Math.max(last, first + 1)] },
      y: {
        distr: model.scale === 'log' ? 3 : 1,
        range: (_chart, low, high) => rangeOf(model, low, high),
      },
    },
    axes: [
      {
        stroke: muted,
        font: font(),
        grid: { show: false },
        ticks: grid,
        size: 28,
        space: 72,
        values: (_chart, splits, _axis, _space, apart) => splits.map((time) => formatTick(time, apart)),
      },
      {
        stroke: muted,
        font: font(),
        grid,
        ticks: { show: false },
        ...(model.isDuration === true ? { incrs: DURATION_STEPS } : model.whole === true ? { incrs: WHOLE_STEPS } : {}),
        space: size.height < 150 ? 18 : 34,
        size: (_chart, labels) => 16 + 6.5 * Math.max(6, ...(labels ?? []).map((label) => label.length)),
        values: (_chart, splits) => splits.map((value) => (value === null ? '' : formatOnAxis(value))),
      },
    ],
    series: [{}, ...inOrder.map((line) => seriesOf(model, line))],
    cursor: {
      x: true,
      y: false,
      points: { show: kind === 'lines', size: 7 },
      drag: { x: true, y: false, setScale: false, dist: 5 },
    },
    hooks: {
      ready: [(chart) => listenForClicks(chart, model, handlers)],
      setCursor: [
        (chart) => {
          const index = indexAt(chart, model)
          handlers.onCursor(index === null ? null : pointedBucket(chart, model, index))
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select
          if (width < 5) return
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          handlers.onZoom(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
        },
      ],
      drawClear: [(chart) => drawVolume(chart, model), (chart) => drawBands(chart, model)],
      draw: [(chart) => drawLevels(chart, model), (chart) => drawChosen(chart, model)],
    },
  }
}

function rangeOf(
  { kind, scale, levels = [] }: ChartModel,
  dataLow: number | null,
  dataHigh: number | null,
): [number, number] {
  const values = [dataLow, dataHigh, ...levels.map(({ value }) => value)].filter((value) => value !== null)
  // A logarithmic axis that reaches 0 would have labels without end.
  if (values.length === 0) return scale === 'log' ? [1, 10] : [0, 1]
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (scale === 'log')
    return low > 0 ? [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.01))] : [1, 10]
  if (scale === 'share') return kind === 'stack' || high <= 0 ? [0, 1] : [0, Math.min(1, high * 1.08)]
  const room = (high - low || Math.abs(high) || 1) * 0.08
  if (scale === 'zero' && low >= 0) return [0, high === 0 ? 1 : high + room]
  return [low - room, high + room]
}

function seriesOf(
  { kind, lines, levels = [] }: ChartModel,
  { color, dashed, values }: ChartModel['lines'][number],
): uPlot.Series {
  const stroke = themeColor(color)
  const bars = uPlot.paths.bars?.({ align: 1, size: [0.86], gap: 1 })
  if (kind !== 'lines' && bars !== undefined) {
    return {
      stroke,
      fill: paler(stroke),
      width: 0,
      paths: bars,
      points: { show: false },
    }
  }
  return {
    stroke,
    width: 1.75,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    ...(lines.length === 1 && levels.length === 0 ? { fill: withAlpha(stroke, 0.1) } : {}),
    points: { show: true, size: 5, fill: stroke, filter: () => alone(values) },
  }
}

/**
 * Indexes of values between two gaps, which no line connects, so that they are drawn as points; all indexes if there
 * are few.
 */
function alone(values: readonly (number | null)[]): number[] {
  const few = values.filter((value) => value !== null).length <= 40
  return values.flatMap((value, index) => {
    const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
    return value !== null && (few || isAlone) ? [index] : []
  })
}

/** For a computed colour, `rgb(r, g, b)`. */
function withAlpha(color: string, alpha: number): string {
  return color.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`)
}

/** Opaque, because bars overlap. */
function paler(color: string): string {
  const parts = (text: string) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
  const ground = parts(themeColor('--color-ground'))
  const mixed = parts(color).map((part, index) => Math.round(part * 0.72 + (ground[index] ?? part) * 0.28))
  return `rgb(${mixed.join(' ')})`
}

function drawChosen(chart: uPlot, { times, bucketMs, chosen }: ChartModel): void {
  const time = chosen === null || chosen === undefined ? undefined : times[chosen]
  if (time === undefined) return
  const { ctx, bbox } = chart
  const left = chart.valToPos(time, 'x', true)
  const width = chart.valToPos(time + bucketMs, 'x', true) - left
  ctx.save()
  ctx.fillStyle = ctx.strokeStyle = themeColor('--color-ink')
  ctx.lineWidth = devicePixelRatio
  ctx.strokeRect(left, bbox.top, width, bbox.height)
  ctx.globalAlpha = 0.08
  ctx.fillRect(left, bbox.top, width, bbox.height)
  ctx.restore()
}

/** In the lower third. */
function drawVolume(chart: uPlot, { times, bucketMs, volume }: ChartModel): void {
  const most = Math.max(0, ...(volume?.values ?? []))
  if (volume === undefined || most === 0) return
  const { ctx, bbox } = chart
  // The rows of a moment are those before it.
  const momentMs = bucketMs === 0 ? (times[1] ?? 0) - (times[0] ?? 0) : 0
  ctx.save()
  ctx.globalAlpha = 0.13
  ctx.fillStyle = themeColor('--color-muted')
  for (const [index, value] of volume.values.entries()) {
    const time = (times[index] ?? 0) - momentMs
    const left = chart.valToPos(time, 'x', true)
    const width = Math.max(1, chart.valToPos(time + bucketMs + momentMs, 'x', true) - left - 1)
    const height = (value / most) * bbox.height * 0.35
    ctx.fillRect(left, bbox.top + bbox.height - height, width, height)
  }
  ctx.restore()
}

function drawBands(chart: uPlot, { bands = [] }: ChartModel): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.globalAlpha = 0.16
  for (const { from, to, color } of bands) {
    const left = Math.max(bbox.left, chart.valToPos(from, 'x', true))
    const right = Math.min(bbox.left + bbox.width, chart.valToPos(to, 'x', true))
    if (right < bbox.left || left > bbox.left + bbox.width) continue
    ctx.fillStyle = themeColor(color)
    ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height)
  }
  ctx.restore()
}

function drawLevels(chart: uPlot, { levels = [], format }: ChartModel): void {
  const { ctx, bbox } = chart
  const ratio = devicePixelRatio
  ctx.save()
  ctx.font = font(ratio)
  ctx.lineWidth = 1.25 * ratio
  ctx.setLineDash([6 * ratio, 4 * ratio])
  for (const { label, value, color } of levels) {
    const y = Math.round(chart.valToPos(value, 'y', true))
    if (y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.strokeStyle = themeColor(color)
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    const text = `${label} ${format(value)}`
    const width = ctx.measureText(text).width + 8 * ratio
    const top = y < bbox.top + 20 * ratio ? y + 2 * ratio : y - 18 * ratio
    ctx.fillStyle = themeColor('--color-raised')
    ctx.fillRect(bbox.left, top, width, 16 * ratio)
    ctx.fillStyle = themeColor(color)
    ctx.textAlign = 'left'
    ctx.textBaseline = 'middle'
    ctx.fillText(text, bbox.left + 4 * ratio, top + 8 * ratio)
  }
  ctx.restore()
}

/** The place of a bucket: its point, or the middle of its bar. */
export function pointedBucket(chart: uPlot, { times, bucketMs, kind }: ChartModel, index: number): PointedBucket {
  const time = (times[index] ?? 0) + (kind === 'lines' ? 0 : bucketMs / 2)
  const left = chart.over.offsetLeft + chart.valToPos(time, 'x')
  return { index, left, isRight: left > chart.width / 2 }
}

/** The bucket under the cursor. A bar covers its bucket; for lines the nearest point counts. */
function indexAt(chart: uPlot, { kind }: ChartModel): number | null {
  const { left = -1, idx } = chart.cursor
  if (left < 0 || idx === null || idx === undefined) return null
  if (kind === 'lines') return idx
  const time = chart.posToVal(left, 'x')
  return Math.max(
    0,
    chart.data[0].findLastIndex((begin) => begin <= time),
  )
}

/** A click chooses the bucket under it, and the line if one is near. */
function listenForClicks(chart: uPlot, model: ChartModel, { onClick }: ChartHandlers): void {
  chart.over.addEventListener('click', () => {
    const index = indexAt(chart, model)
    const { top = -1 } = chart.cursor
    if (index === null) return
    const [nearest] = model.lines
      .flatMap(({ key, values }) => {
        const value = values[index] ?? null
        return value === null ? [] : [{ key, away: Math.abs(chart.valToPos(value, 'y') - top) }]
      })
      .toSorted((a, b) => a.away - b.away)
    onClick(index, model.kind === 'lines' && nearest !== undefined && nearest.away < 24 ? nearest.key : null)
  })
}
