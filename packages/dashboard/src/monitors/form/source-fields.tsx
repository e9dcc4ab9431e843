import { AGGREGATIONS, monitorMeasures } from '@spoor/contract/aggregations'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { SERIES_MEASURES, type SeriesRows } from '@spoor/contract/series-fields'
import { Field, Select } from '../../ui/field.tsx'
import { allowedAggregations, type MonitorDraft, type DraftFieldsProps } from './monitor-draft.ts'

export interface SourceFieldsProps extends DraftFieldsProps {
  readonly metrics: readonly Metric[] | undefined
}

const KINDS = { traces: 'Traces', steps: 'Steps', metric: 'Metric' }
const measuresOf = (rows: SeriesRows) =>
  monitorMeasures(rows).map((name) => [name, SERIES_MEASURES[name].label] as const)

export function SourceFields({ draft, set, metrics = [] }: SourceFieldsProps) {
  const metric = metrics.find(({ name }) => name === draft.metric)
  const allowed = allowedAggregations(draft, metric)
  const choose = (change: Partial<MonitorDraft>) => {
    const next = { ...draft, ...change }
    const [suggested = draft.aggregation] = allowedAggregations(
      next,
      metrics.find(({ name }) => name === next.metric),
    )
    set({ ...change, aggregation: suggested })
  }
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label="Source" at="/source/kind">
        <Select value={draft.kind} onChoice={(kind) => choose({ kind })} options={KINDS} />
      </Field>
      {draft.kind !== 'metric' ? (
        <Field label="Measure" at="/source/measure">
          <Select value={draft.measure} onChoice={(measure) => choose({ measure })} options={measuresOf(draft.kind)} />
        </Field>
      ) : (
        <Field label="Metric" at="/source/metric" hint={metrics.length === 0 ? 'No metrics defined yet.' : undefined}>
          <Select
            value={draft.metric}
            onChoice={(name) => choose({ metric: name })}
            options={[
              ['', 'Choose…'],
              ...(draft.metric !== '' && metric === undefined ? [draft.metric] : []),
              ...metrics.map(({ name }) => name),
            ]}
          />
        </Field>
      )}
      <Field label="Aggregation" at="/aggregation">
        <Select
          disabled={allowed.length < 2}
          value={draft.aggregation}
          onChoice={(aggregation) => set({ aggregation })}
          options={(allowed.length === 0 ? [draft.aggregation] : allowed).map((aggregation) => [
            aggregation,
            draft.kind !== 'metric' && draft.measure === 'error_rate'
              ? { avg: 'share', sum: 'count' }[aggregation as 'avg' | 'sum']
              : AGGREGATIONS[aggregation].label,
          ])}
        />
      </Field>
      {draft.kind === 'metric' && draft.aggregation === 'share' && (
        <Field label="Option" at="/source/option">
          <Select
            value={draft.option}
            onChoice={(option) => set({ option })}
            options={metric?.options?.map(({ value, label }) => [value, label ?? value] as const) ?? []}
          />
        </Field>
      )}
    </div>
  )
}
