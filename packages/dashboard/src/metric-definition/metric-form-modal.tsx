import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { changeMetric, defineMetric } from '../api/metrics.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { FormModal } from '../ui/form-modal.tsx'
import { useToast } from '../ui/toasts.tsx'
import { draftOf, emptyDraft, type MetricDraft, toCreate, toPatch } from './metric-form-state.ts'
import { OptionRows } from './option-rows.tsx'

interface MetricFormModalProps {
  /** The metric to edit; absent to define a new one. */
  readonly metric?: Metric
  onClose(): void
  onDone(metric: Metric): void
}

const FIELDS = ['/name', '/kind', '/description', '/direction', '/unit', '/min', '/max', '/options']

export function MetricFormModal({ metric, onClose, onDone }: MetricFormModalProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [begin] = useState(() => (metric === undefined ? emptyDraft() : draftOf(metric)))
  const [draft, setDraft] = useState(begin)
  const set = (change: Partial<MetricDraft>) => setDraft((before) => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: async () => {
      if (metric === undefined) return defineMetric(toCreate(draft))
      const patch = toPatch(draft, metric)
      return patch === null ? metric : changeMetric(metric.name, patch)
    },
    onSuccess: async (saved) => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['metrics'] })
      toast({ kind: 'ok', text: metric === undefined ? 'Metric created' : 'Metric updated' })
      onDone(saved)
    },
    onError: (error) => {
      const problem = asApiError(error)
      const isShown = problem.code === 'metric_conflict' || FIELDS.some((field) => problem.of(field) !== undefined)
      if (!isShown) toast({ kind: 'fail', text: problem.message })
    },
  })
  const problem = save.error === null ? undefined : asApiError(save.error)
  const conflict = problem?.code === 'metric_conflict' ? problem.message : undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isNew = metric === undefined
  return (
    <FormModal
      title={isNew ? 'New metric' : 'Edit metric'}
      description={
        isNew
          ? 'A metric records how well runs did.'
          : 'Existing events stay valid: ranges can only grow, and options can only be added. Name and kind cannot change.'
      }
      isDirty={draft !== begin && !save.isSuccess}
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate className="space-y-4">
        <Field
          label="Name"
          error={problem?.of('/name') ?? conflict}
          hint={isNew ? 'Events refer to it. It cannot be changed later.' : undefined}
        >
          {(props) => (
            <Input
              {...props}
              autoFocus={isNew}
              disabled={!isNew}
              value={draft.name}
              onChange={({ target }) => set({ name: target.value })}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Kind" error={problem?.of('/kind')}>
            {(props) => (
              <Select
                {...props}
                disabled={!isNew}
                value={draft.kind}
                onChange={({ target }) => set({ kind: target.value as MetricDraft['kind'] })}
              >
                <option value="boolean">Boolean: passed or failed</option>
                <option value="numeric">Numeric: a number</option>
                <option value="enum">Enum: one of several options</option>
              </Select>
            )}
          </Field>
          <Field label="Direction" error={problem?.of('/direction')}>
            {(props) => (
              <Select
                {...props}
                value={draft.direction}
                onChange={({ target }) => set({ direction: target.value as MetricDraft['direction'] })}
              >
                <option value="">No preference</option>
                <option value="higher">Higher is better</option>
                <option value="lower">Lower is better</option>
              </Select>
            )}
          </Field>
        </div>
        <Field label="Description" error={problem?.of('/description')}>
          {(props) => (
            <Textarea
              {...props}
              value={draft.description}
              onChange={({ target }) => set({ description: target.value })}
            />
          )}
        </Field>
        {draft.kind === 'numeric' && (
          <div className="grid gap-4 sm:grid-cols-3">
            {(['min', 'max', 'unit'] as const).map((field) => (
              <Field
                key={field}
                label={{ min: 'Minimum', max: 'Maximum', unit: 'Unit' }[field]}
                error={problem?.of(`/${field}`)}
              >
                {(props) => (
                  <Input
                    {...props}
                    {...(field === 'unit' ? { placeholder: 'ms' } : { inputMode: 'decimal', placeholder: 'none' })}
                    value={draft[field]}
                    onChange={({ target }) => set({ [field]: target.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        )}
        {draft.kind === 'enum' && (
          <OptionRows options={draft.options} problem={problem} onChange={(options) => set({ options })} />
        )}
        <div className="flex justify-end gap-2 border-t pt-4">
          <Button type="submit" variant="primary" disabled={save.isPending}>
            {save.isPending ? 'Saving…' : isNew ? 'Create metric' : 'Save'}
          </Button>
        </div>
      </form>
    </FormModal>
  )
}
