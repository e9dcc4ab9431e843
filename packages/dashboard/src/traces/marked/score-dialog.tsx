import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { metricsQuery } from '../../api/metrics.ts'
import { rangeHint, scoreChoices, type ScoreValue, toNumber } from '../../lib/score-value.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Modal } from '../../ui/modal.tsx'

interface ScoreDialogProps {
  /** "3 traces". */
  readonly count: string
  onScore(score: { readonly metric: string; readonly value: ScoreValue; readonly comment: string }): void
  onClose(): void
}

/** The same score for several traces: a metric, its value and a comment. */
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (metric !== undefined && value !== undefined) onScore({ metric: metric.name, value, comment })
  }
  return (
    <Modal title={`Score ${count}`} open onOpenChange={onClose}>
      {error !== null && <p className="text-fail">{asApiError(error).message}</p>}
      {metrics?.length === 0 && <p>No metrics yet. Create one under Metrics.</p>}
      {metric !== undefined && (
        <form onSubmit={submit} className="space-y-4">
          <Field label="Metric">
            {(props) => (
              <Select
                {...props}
                value={metric.name}
                onChange={({ target }) => {
                  setName(target.value)
                  setChosen(0)
                }}
              >
                {metrics?.map((each) => (
                  <option key={each.id}>{each.name}</option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Score" hint={rangeHint(metric)}>
            {(props) =>
              metric.kind === 'numeric' ? (
                <Input
                  {...props}
                  inputMode="decimal"
                  value={number}
                  onChange={({ target }) => setNumber(target.value)}
                />
              ) : (
                <Select {...props} value={chosen} onChange={({ target }) => setChosen(Number(target.value))}>
                  {choices.map(({ label }, at) => (
                    <option key={label} value={at}>
                      {label}
                    </option>
                  ))}
                </Select>
              )
            }
          </Field>
          <Field label="Comment (optional)">
            {(props) => <Input {...props} value={comment} onChange={({ target }) => setComment(target.value)} />}
          </Field>
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={value === undefined}>
              Score {count}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  )
}
