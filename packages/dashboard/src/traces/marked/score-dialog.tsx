import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { metricsQuery } from '../../api/metrics.ts'
import { rangeHint, scoreChoices, type ScoreValue, toNumber } from '../../lib/score-value.ts'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'

interface ScoreDialogProps {
  /** "3 traces". */
  readonly count: string
  onScore(score: { readonly metric: string; readonly value: ScoreValue; readonly comment: string }): void
  onClose(): void
}

export function ScoreDialog({ count, onScore, onClose }: ScoreDialogProps) {
  const { data: metrics, error } = useQuery(metricsQuery)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(0)
  const [number, setNumber] = useState('')
  const [comment, setComment] = useState('')
  const metric = metrics?.find((each) => each.name === name) ?? metrics?.[0]
  const choices = metric === undefined ? [] : scoreChoices(metric)
  const typed = toNumber(number)
  const value = metric?.kind === 'numeric' ? (typed === null ? undefined : { value: typed }) : choices[chosen]?.value
  return (
    <FormModal
      title={`Score ${count}`}
      onClose={onClose}
      send={async () => {
        if (metric !== undefined && value !== undefined) onScore({ metric: metric.name, value, comment })
      }}
    >
      <ErrorText error={error} />
      {metrics?.length === 0 && <p>No metrics yet. Create one under Metrics.</p>}
      {metric !== undefined && (
        <>
          <Field label="Metric">
            <Select
              value={metric.name}
              onChoice={(next) => {
                setName(next)
                setChosen(0)
              }}
              options={metrics?.map((each) => each.name) ?? []}
            />
          </Field>
          <Field label="Score" hint={rangeHint(metric)}>
            {metric.kind === 'numeric' ? (
              <Input inputMode="decimal" value={number} onText={setNumber} />
            ) : (
              <Select
                value={String(chosen)}
                onChoice={(at) => setChosen(Number(at))}
                options={choices.map(({ label }, at) => [String(at), label])}
              />
            )}
          </Field>
          <Field label="Comment (optional)">
            <Input value={comment} onText={setComment} />
          </Field>
          <FormEnd submit={`Score ${count}`} disabled={value === undefined} onCancel={onClose} />
        </>
      )}
    </FormModal>
  )
}
