import type { Monitor, MonitorPreviewResult } from '@spoor/contract/schemas/monitor'
import { useMemo } from 'react'
import type { ChartBand, ChartLevel, ChartModel } from '../ui/charts/chart-model.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { formatCount } from '../lib/format-number.ts'
import { formatMonitorValue, isShare, sourceWords } from './monitor-words.ts'

interface MonitorChartProps {
  readonly definition: Pick<Monitor, 'source' | 'aggregation' | 'threshold' | 'resolve_threshold' | 'min_samples'>
  readonly evaluations: MonitorPreviewResult['evaluations']
  /** Periods of firing, real or simulated. Must keep its identity. */
  readonly fired: readonly { readonly from: number; readonly to: number }[]
  readonly height: number
  readonly onZoom?: (from: number, to: number) => void
}

export function MonitorChart({ definition, evaluations, fired, height, onZoom }: MonitorChartProps) {
  const definitionKey = JSON.stringify(definition)
  const model = useMemo((): ChartModel => {
    const watched = JSON.parse(definitionKey) as MonitorChartProps['definition']
    const { aggregation, threshold, resolve_threshold, min_samples: least } = watched
    const levels: ChartLevel[] = [{ label: 'fires', value: threshold, color: '--color-fail' }]
    if (resolve_threshold !== null) levels.push({ label: 'resolves', value: resolve_threshold, color: '--color-ok' })
    const isFew = evaluations.map(({ samples }) => aggregation !== 'count' && samples < least)
    const values = (few: boolean) => evaluations.map(({ value }, index) => (isFew[index] === few ? value : null))
    return {
      times: evaluations.map(({ at }) => Date.parse(at)),
      bucketMs: 0,
      kind: 'lines',
      lines: [
        {
          key: 'value',
          label: sourceWords(watched),
          color: '--color-accent',
          values: values(false),
        },
        ...(isFew.includes(true)
          ? [
              {
                key: 'few',
                label: `fewer than ${formatCount(least)} samples: the state stays`,
                color: '--color-step-chain' as const,
                dashed: true,
                values: values(true),
              },
            ]
          : []),
      ],
      scale: isShare(watched) ? 'share' : 'zero',
      levels,
      bands: fired.map(({ from, to }): ChartBand => ({ from, to, color: '--color-fail' })),
      format: (value) => formatMonitorValue(watched, value),
    }
  }, [definitionKey, evaluations, fired])
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
