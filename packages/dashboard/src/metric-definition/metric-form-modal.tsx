import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useState } from 'react'
import { changeMetric, defineMetric } from '../api/metrics.ts'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { FormEnd, FormModal } from '../ui/form.tsx'
import { draftOf, emptyDraft, type MetricDraft, toCreate, toPatch } from './metric-form-state.ts'
import { OptionRows } from './option-rows.tsx'

interface MetricFormModalProps {
  /** The metric to edit; absent to define a new one. */
  readonly metric?: Metric
  onClose(): void
  onDone(metric: Metric): void
}

const KINDS = {
  boolean: 'Boolean: passed or failed',
  numeric: 'Numeric: a number',
  enum: 'Enum: one of several options',
}
const DIRECTIONS = { '': 'No preference', higher: 'Higher is better', lower: 'Lower is better' }

export function MetricFormModal({ metric, onClose, onDone }: MetricFormModalProps) {
  const [begin] = useState(() => (metric === undefined ? emptyDraft() : draftOf(metric)))
  const [draft, setDraft] = useState(begin)
  const set = (change: Partial<MetricDraft>) => setDraft((before) => ({ ...before, ...change }))
  const send = async () => {
    if (metric === undefined) return defineMetric(toCreate(draft))
    const patch = toPatch(draft, metric)
    return patch === null ? metric : changeMetric(metric.name, patch)
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
      isDirty={draft !== begin}
      onClose={onClose}
      send={send}
      codes={{ metric_conflict: '/name' }}
      refresh={[['metrics']]}
      said={isNew ? 'Metric created' : 'Metric updated'}
      onDone={onDone}
    >
      <Field label="Name" at="/name" hint={isNew ? 'Events refer to it. It cannot be changed later.' : undefined}>
        <Input autoFocus={isNew} disabled={!isNew} value={draft.name} onText={(name) => set({ name })} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Kind" at="/kind">
          <Select disabled={!isNew} value={draft.kind} onChoice={(kind) => set({ kind })} options={KINDS} />
        </Field>
        <Field label="Direction" at="/direction">
          <Select value={draft.direction} onChoice={(direction) => set({ direction })} options={DIRECTIONS} />
        </Field>
      </div>
      <Field label="Description" at="/description">
        <Textarea value={draft.description} onText={(description) => set({ description })} />
      </Field>
      {draft.kind === 'numeric' && (
        <div className="grid gap-4 sm:grid-cols-3">
          {(['min', 'max', 'unit'] as const).map((field) => (
            <Field key={field} label={{ min: 'Minimum', max: 'Maximum', unit: 'Unit' }[field]} at={`/${field}`}>
              <Input
                {...(field === 'unit' ? { placeholder: 'ms' } : { inputMode: 'decimal', placeholder: 'none' })}
                value={draft[field]}
                onText={(text) => set({ [field]: text })}
              />
            </Field>
          ))}
        </div>
      )}
      {draft.kind === 'enum' && <OptionRows options={draft.options} onChange={(options) => set({ options })} />}
      <FormEnd submit={isNew ? 'Create metric' : 'Save'} />
    </FormModal>
  )
}
