import type { Monitor } from '@spoor/contract/schemas/monitor'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useMemo, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { metricsQuery } from '../../api/metrics.ts'
import { changeMonitor, createMonitor } from '../../api/monitors.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { useToast } from '../../ui/toasts.tsx'
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
  const queryClient = useQueryClient()
  const toast = useToast()
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
  const save = useMutation({
    mutationFn: async () => {
      if (monitor === undefined) return createMonitor(toMonitor(draft))
      const patch = toMonitorPatch(draft, monitor)
      return patch === null ? monitor : changeMonitor(monitor.id, patch)
    },
    onSuccess: async (saved) => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['monitors'] })
      toast({ kind: 'ok', text: monitor === undefined ? 'Monitor created' : 'Monitor updated' })
      onDone(saved)
    },
    onError: (error) => {
      const problem = asApiError(error)
      if (!problem.problems.some(({ pointer }) => pointer !== '')) toast({ kind: 'fail', text: problem.message })
    },
  })
  const set = (change: Partial<MonitorDraft>) => {
    save.reset()
    setTyped((before) => ({ ...before, ...change }))
  }
  const problem = save.error === null ? undefined : asApiError(save.error)
  const errorOf = (pointer: string) => problem?.of(pointer) ?? preview.problem?.of(pointer)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const fields = { draft, set, errorOf }
  return (
    <FormModal
      title={monitor === undefined ? 'New monitor' : 'Edit monitor'}
      {...(monitor === undefined
        ? {}
        : {
            description: 'Any change except the name resets the state to normal until the threshold is crossed again.',
          })}
      wide
      isDirty={JSON.stringify(typed) !== JSON.stringify(first) && !save.isSuccess}
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate className="grid gap-5 md:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <Field label="Name" error={errorOf('/name')}>
            {(props) => (
              <Input
                {...props}
                autoFocus={monitor === undefined}
                placeholder="Too many errors"
                value={draft.name}
                onChange={({ target }) => set({ name: target.value })}
              />
            )}
          </Field>
          <SourceFields {...fields} metrics={metrics} />
          <ConditionFields {...fields} />
          <FilterFields {...fields} />
        </div>
        <div className="min-w-0 space-y-4 md:sticky md:top-0 md:self-start">
          <MonitorPreviewPane preview={preview} />
          <div className="text-sm">
            <h3 className="text-muted text-xs">Notified when it fires</h3>
            <Notified />
          </div>
          <div className="flex justify-end gap-2">
            <Button type="submit" variant="primary" disabled={save.isPending}>
              {save.isPending ? 'Saving…' : monitor === undefined ? 'Create monitor' : 'Save'}
            </Button>
          </div>
        </div>
      </form>
    </FormModal>
  )
}
