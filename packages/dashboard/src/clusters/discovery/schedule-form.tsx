import { CLUSTER_INTERVAL_HOURS_MAX } from '@spoor/contract/limits'
import type { ClusterSchedule } from '@spoor/contract/schemas/cluster'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { clusterScheduleQuery, setClusterSchedule } from '../../api/clusters.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { hoursInWords } from './discovery-words.ts'
import { FailureField } from './failure-field.tsx'
import { DISCOVERY_FIELDS, FormProblem, type NumberField, NumberFields, OnlyComplete } from './number-fields.tsx'

interface ScheduleFormProps {
  readonly schedule: ClusterSchedule
  readonly open: boolean
  onOpenChange(open: boolean): void
}

const FIELDS: readonly NumberField[] = [
  { name: 'every_hours', label: 'Interval (hours)', hint: `1 to ${CLUSTER_INTERVAL_HOURS_MAX}` },
  ...DISCOVERY_FIELDS,
]

export function ScheduleForm({ schedule, open, onOpenChange }: ScheduleFormProps) {
  return (
    <Modal
      title="Schedule"
      description="Runs discoveries automatically. If runs were missed while Spoor was down, it makes up for one."
      open={open}
      onOpenChange={onOpenChange}
    >
      <Form schedule={schedule} onDone={() => onOpenChange(false)} />
    </Modal>
  )
}

function Form({ schedule, onDone }: { schedule: ClusterSchedule; onDone: () => void }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [enabled, setEnabled] = useState(schedule.enabled)
  const [onlyComplete, setOnlyComplete] = useState(schedule.only_complete)
  const [failureBy, setFailureBy] = useState(schedule.failure_by)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => ({
    every_hours: String(schedule.every_hours),
    window_hours: String(schedule.window_hours),
    k_min: String(schedule.k_min),
    k_max: String(schedule.k_max),
  }))
  const save = useMutation({
    mutationFn: setClusterSchedule,
    onSuccess: (saved) => {
      queryClient.setQueryData(clusterScheduleQuery.queryKey, saved)
      const text = saved.enabled
        ? `Discoveries run every ${hoursInWords(saved.every_hours)}.`
        : 'Scheduled discoveries are off.'
      toast({ kind: 'ok', text })
      onDone()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { every_hours, window_hours, k_min, k_max } = values
    save.mutate({
      enabled,
      every_hours: Number(every_hours),
      window_hours: Number(window_hours),
      k_min: Number(k_min),
      k_max: Number(k_max),
      only_complete: onlyComplete,
      failure_by: failureBy,
    })
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <label className="flex items-center gap-2 font-medium">
        <input
          type="checkbox"
          checked={enabled}
          onChange={(event) => setEnabled(event.target.checked)}
          className="accent-accent size-4"
        />
        Run discoveries automatically
      </label>
      <NumberFields
        fields={FIELDS}
        values={values}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
        error={save.error}
      />
      <OnlyComplete checked={onlyComplete} onChange={setOnlyComplete} />
      <FailureField value={failureBy} onChange={setFailureBy} error={save.error} />
      <FormProblem error={save.error} fields={FIELDS} />
      {schedule.next_run_at !== null && (
        <p className="text-muted text-sm">
          Next run: <Time at={schedule.next_run_at} exact className="whitespace-normal" />. Saving restarts the
          interval.
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}
