import type { Monitor, MonitorPreviewResult } from '@spoor/contract/schemas/monitor'
import { useMemo } from 'react'
import type { ChartBand, ChartLevel, ChartModel } from '../ui/charts/chart-model.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { formatCount } from '../lib/format-number.ts'
import { lineStyle } from '../lib/line-styles.ts'
import { useGroupName } from './group-name.tsx'
import { formatMonitorValue, isShare, sourceWords } from './monitor-words.ts'

type Evaluation = MonitorPreviewResult['evaluations'][number]

interface MonitorChartProps {
  readonly definition: Pick<
    Monitor,
    'source' | 'aggregation' | 'for_each' | 'threshold' | 'resolve_threshold' | 'min_samples'
  >
  readonly evaluations: MonitorPreviewResult['evaluations']
  /** Periods of firing, real or simulated. Must keep its identity. */
  readonly fired: readonly { readonly from: number; readonly to: number }[]
  readonly height: number
  readonly onZoom?: (from: number, to: number) => void
}

export function MonitorChart({ definition, evaluations, fired, height, onZoom }: MonitorChartProps) {
  const nameOf = useGroupName(definition.for_each)
  const definitionKey = JSON.stringify(definition)
  const model = useMemo((): ChartModel => {
    const watched = JSON.parse(definitionKey) as MonitorChartProps['definition']
    const { aggregation, threshold, resolve_threshold, min_samples: least } = watched
    const levels: ChartLevel[] = [{ label: 'fires', value: threshold, color: '--color-fail' }]
    if (resolve_threshold !== null) levels.push({ label: 'resolves', value: resolve_threshold, color: '--color-ok' })
    const isFew = ({ samples }: Evaluation) => aggregation !== 'count' && samples < least
    const byMoment = Map.groupBy(evaluations, ({ at }) => Date.parse(at))
    const times = [...byMoment.keys()]
    const samples = [...byMoment.values()].map(([evaluation]) => evaluation?.samples ?? 0)
    const few = `fewer than ${formatCount(least)} samples: the state stays`
    const lines = [...Map.groupBy(evaluations, ({ group }) => group)].flatMap(([group, ofGroup], index) => {
      const byTime = new Map(ofGroup.map((evaluation) => [Date.parse(evaluation.at), evaluation]))
      const values = (wanted: boolean) =>
        times.map((time) => {
          const evaluation = byTime.get(time)
          return evaluation !== undefined && isFew(evaluation) === wanted ? evaluation.value : null
        })
      const label = group === null ? sourceWords(watched) : nameOf(group)
      const line = { key: `value ${group}`, label, ...lineStyle(index), values: values(false) }
      if (!ofGroup.some(isFew)) return [line]
      const grey = { color: '--color-step-chain', dashed: true } as const
      const fewLabel = group === null ? few : `${label}, ${few}`
      return [line, { key: `few ${group}`, label: fewLabel, ...grey, values: values(true) }]
    })
    return {
      times,
      bucketMs: 0,
      kind: 'lines',
      lines,
      scale: isShare(watched) ? 'share' : 'zero',
      levels,
      // A count is its samples; a row may be in several groups.
      ...(aggregation === 'count' || evaluations.some(({ group }) => group !== null)
        ? {}
        : { volume: { values: samples, rows: 'samples' } }),
      bands: fired.map(({ from, to }): ChartBand => ({ from, to, color: '--color-fail' })),
      format: (value) => formatMonitorValue(watched, value),
    }
  }, [definitionKey, evaluations, fired, nameOf])
  return (
    <SeriesChart
      label={sourceWords(definition)}
      model={model}
      height={height}
      {...(onZoom === undefined ? {} : { onZoom })}
    >
      <span className="text-muted flex items-center gap-1.5 text-xs">
        <span aria-hidden className="bg-fail/20 border-fail/40 inline-block h-3 w-4 rounded-xs border" /> firing
      </span>
    </SeriesChart>
  )
}
