import type { Monitor } from '@spoor/contract/schemas/monitor'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { metricsQuery } from '../../api/metrics.ts'
import { changeMonitor, createMonitor } from '../../api/monitors.ts'
import { Field, Input } from '../../ui/field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { FilterFields } from './filter-fields.tsx'
import { fitToSource, type MonitorDraft, toMonitor, toMonitorPatch } from './monitor-draft.ts'
import { Notified } from '../notified.tsx'
import { MonitorPreviewPane, useMonitorPreview } from './monitor-preview.tsx'
import { SourceFields } from './source-fields.tsx'

interface MonitorFormModalProps {
  /** Initial values of the form. */
  readonly begin: MonitorDraft
  /** The monitor to edit; absent to create a new one. */
  readonly monitor?: Monitor
  onClose(): void
  onDone(monitor: Monitor): void
}

export function MonitorFormModal({ begin, monitor, onClose, onDone }: MonitorFormModalProps) {
  const { data: metrics } = useQuery(metricsQuery)
  const [typed, setTyped] = useState(begin)
  const [first] = useState(begin)
  const draft = useMemo(
    () =>
      metrics === undefined
        ? typed
        : fitToSource(
            typed,
            metrics.find(({ name }) => name === typed.metric),
          ),
    [typed, metrics],
  )
  const preview = useMonitorPreview(draft)
  const send = async () => {
    if (monitor === undefined) return createMonitor(toMonitor(draft))
    const patch = toMonitorPatch(draft, monitor)
    return patch === null ? monitor : changeMonitor(monitor.id, patch)
  }
  const set = (change: Partial<MonitorDraft>) => setTyped((before) => ({ ...before, ...change }))
  const fields = { draft, set }
  return (
    <FormModal
      title={monitor === undefined ? 'New monitor' : 'Edit monitor'}
      description={
        monitor && 'Any change except the name resets the state to normal until the threshold is crossed again.'
      }
      wide
      isDirty={JSON.stringify(typed) !== JSON.stringify(first)}
      onClose={onClose}
      send={send}
      preview={preview.problem}
      refresh={[['monitors']]}
      said={monitor === undefined ? 'Monitor created' : 'Monitor updated'}
      onDone={onDone}
      className="grid gap-5 md:grid-cols-2"
    >
      <div className="min-w-0 space-y-4">
        <Field label="Name" at="/name">
          <Input
            autoFocus={monitor === undefined}
            placeholder="Too many errors"
            value={draft.name}
            onText={(name) => set({ name })}
          />
        </Field>
        <SourceFields {...fields} metrics={metrics} />
        <ConditionFields {...fields} />
        <FilterFields {...fields} metrics={metrics} />
      </div>
      <div className="min-w-0 space-y-4 md:sticky md:top-0 md:self-start">
        <MonitorPreviewPane preview={preview} />
        <div className="text-sm">
          <h3 className="text-muted text-xs">Notified when it fires</h3>
          <Notified />
        </div>
        <FormEnd submit={monitor === undefined ? 'Create monitor' : 'Save'} />
      </div>
    </FormModal>
  )
}
