import type { Monitor } from '@spoor/contract/schemas/monitor'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { Badge } from '../ui/badge.tsx'
import { Fact } from '../ui/fact.tsx'
import { Time } from '../ui/time.tsx'
import { Notified } from './notified.tsx'
import {
  COMPARISON_WORDS,
  filterWords,
  forEachLabel,
  formatMonitorValue,
  lastValueWords,
  NO_DATA_WORDS,
  sourceWords,
} from './monitor-words.ts'

export function MonitorFacts({ monitor }: { monitor: Monitor }) {
  const { source, comparison, threshold, resolve_threshold, window_seconds, min_samples, consecutive, no_data } =
    monitor
  const { last_samples, last_evaluated_at, aggregation } = monitor
  const filters = filterWords(monitor)
  const series =
    source.kind === 'metric'
      ? ({ to: '/app/metrics/$name', params: { name: source.metric ?? '' } } as const)
      : ({
          to: '/app/traces',
          search: {
            as: 'chart',
            measure: source.kind === 'steps' ? `step_${source.measure}` : (source.measure ?? 'count'),
          },
        } as const)
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 border-b break-words tabular-nums px-4 py-3 text-sm md:grid-cols-4 xl:grid-cols-6">
      <Fact shown label="Source" className="col-span-2">
        <Link {...series} className="text-accent hover:underline">
          <bdi>{sourceWords(monitor)}</bdi>
        </Link>{' '}
        over {formatDuration(window_seconds * 1000)}
        {monitor.for_each !== null && (
          <>
            , for each <bdi>{forEachLabel(monitor.for_each)}</bdi>
          </>
        )}
        {filters.length > 0 && (
          <span className="mt-1 flex flex-wrap gap-1">
            {filters.map((words) => (
              <Badge key={words}>
                <bdi className="truncate" title={words}>
                  {words}
                </bdi>
              </Badge>
            ))}
          </span>
        )}
      </Fact>
      <Fact shown label="Last value">
        <span className="font-medium">{lastValueWords(monitor)}</span>
        {last_samples !== null && (
          <span className="text-muted">
            {' '}
            from {formatCount(last_samples)} {last_samples === 1 ? 'sample' : 'samples'}
          </span>
        )}
        <span className="text-muted block text-xs">
          {last_evaluated_at === null ? 'Not evaluated yet' : <Time at={last_evaluated_at} />}
        </span>
      </Fact>
      <Fact shown label="Fires">
        {COMPARISON_WORDS[comparison]} {formatMonitorValue(monitor, threshold)}
        {consecutive > 1 && <span className="text-muted block text-xs">{consecutive} consecutive breaches</span>}
      </Fact>
      <Fact shown label="Resolves">
        {resolve_threshold === null
          ? 'when the condition no longer holds'
          : `past ${formatMonitorValue(monitor, resolve_threshold)}`}
      </Fact>
      {aggregation !== 'count' && (
        <Fact shown label="When no data">
          {NO_DATA_WORDS[no_data]}
          {min_samples > 1 && (
            <span className="text-muted block text-xs">Minimum samples: {formatCount(min_samples)} </span>
          )}
        </Fact>
      )}
      <Fact shown label="Notified">
        <Notified />
      </Fact>
    </dl>
  )
}
