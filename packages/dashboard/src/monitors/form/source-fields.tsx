import { AGGREGATIONS, type MonitorMeasure } from '@spoor/contract/aggregations'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { Field, Select } from '../../ui/field.tsx'
import { allowedAggregations, type MonitorDraft } from './monitor-draft.ts'
import type { DraftFieldsProps } from './draft-fields.ts'

interface SourceFieldsProps extends DraftFieldsProps {
  readonly metrics: readonly Metric[] | undefined
}

const MEASURES: Readonly<Record<MonitorMeasure, string>> = {
  error_rate: 'Error rate',
  recovered_errors: 'Recovered errors',
  count: 'Trace count',
  duration_ms: 'Duration',
  total_tokens: 'Tokens',
}

/** The source, and how its window is aggregated. */
export function SourceFields({ draft, set, errorOf, metrics = [] }: SourceFieldsProps) {
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
      <Field label="Source" error={errorOf('/source/kind')}>
        {(props) => (
          <Select
            {...props}
            value={draft.kind}
            onChange={({ target }) => choose({ kind: target.value as MonitorDraft['kind'] })}
          >
            <option value="traces">Traces</option>
            <option value="metric">Metric</option>
          </Select>
        )}
      </Field>
      {draft.kind === 'traces' ? (
        <Field label="Measure" error={errorOf('/source/measure')}>
          {(props) => (
            <Select
              {...props}
              value={draft.measure}
              onChange={({ target }) => choose({ measure: target.value as MonitorMeasure })}
            >
              {Object.entries(MEASURES).map(([measure, label]) => (
                <option key={measure} value={measure}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <Field
          label="Metric"
          error={errorOf('/source/metric')}
          hint={metrics.length === 0 ? 'No metrics defined yet.' : undefined}
        >
          {(props) => (
            <Select {...props} value={draft.metric} onChange={({ target }) => choose({ metric: target.value })}>
              <option value="">Choose…</option>
              {draft.metric !== '' && metric === undefined && <option value={draft.metric}>{draft.metric}</option>}
              {metrics.map(({ id, name }) => (
                <option key={id} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label="Aggregation" error={errorOf('/aggregation')}>
        {(props) => (
          <Select
            {...props}
            disabled={allowed.length < 2}
            value={draft.aggregation}
            onChange={({ target }) => set({ aggregation: target.value as MonitorDraft['aggregation'] })}
          >
            {(allowed.length === 0 ? [draft.aggregation] : allowed).map((aggregation) => (
              <option key={aggregation} value={aggregation}>
                {draft.kind === 'traces' && draft.measure === 'error_rate'
                  ? { avg: 'share', sum: 'count' }[aggregation as 'avg' | 'sum']
                  : AGGREGATIONS[aggregation].label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {draft.kind === 'metric' && draft.aggregation === 'share' && (
        <Field label="Option" error={errorOf('/source/option')}>
          {(props) => (
            <Select {...props} value={draft.option} onChange={({ target }) => set({ option: target.value })}>
              {metric?.options?.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label ?? value}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
    </div>
  )
}
