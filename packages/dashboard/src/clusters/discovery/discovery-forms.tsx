import {
  CLUSTER_TRACES_MAX,
  CLUSTER_WINDOW_HOURS_MAX,
  CLUSTERS,
  CLUSTER_INTERVAL_HOURS_MAX,
} from '@spoor/contract/limits'
import type { ClusterKind, ClusterSelection, DiscoveryBody, ClusterSchedule } from '@spoor/contract/schemas/cluster'
import { type ReactNode, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { formatCount } from '../../lib/format-number.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FailureField } from './failure-field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'
import type { Discovery } from './use-discovery.ts'
import { clusterScheduleQuery, setClusterSchedule } from '../../api/clusters.ts'
import { Time } from '../../ui/time.tsx'
import { hoursInWords } from './discovery-words.ts'

interface NumberField<Name> {
  /** The name in the API. */
  readonly name: Name
  readonly label: string
  readonly hint: string
}

const DISCOVERY_NUMBERS: readonly NumberField<'window_hours' | 'k_min' | 'k_max'>[] = [
  {
    name: 'window_hours',
    label: 'Window (hours)',
    hint: `1 to ${CLUSTER_WINDOW_HOURS_MAX}; at most the newest ${formatCount(CLUSTER_TRACES_MAX)} traces`,
  },
  { name: 'k_min', label: 'Min clusters', hint: `At least ${CLUSTERS.least}` },
  { name: 'k_max', label: 'Max clusters', hint: `At most ${CLUSTERS.most}` },
]

type Body<Name extends string> = Record<Name, number> & Pick<Required<DiscoveryBody>, 'only_complete' | 'failure_by'>

/** The fields of a discovery, which start with `initial`, and the body that they amount to. */
function useDiscoveryFields<Name extends string>(
  numbers: readonly NumberField<Name>[],
  initial: Body<Name>,
): { readonly fields: ReactNode; readonly body: Body<Name> } {
  const [typed, setTyped] = useState(initial as Record<Name, number | string>)
  const [onlyComplete, setOnlyComplete] = useState(initial.only_complete)
  const [failureBy, setFailureBy] = useState(initial.failure_by)
  const values = Object.fromEntries(numbers.map(({ name }) => [name, Number(typed[name])])) as Record<Name, number>
  return {
    body: { ...values, only_complete: onlyComplete, failure_by: failureBy },
    fields: (
      <>
        {numbers.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint} at={`/${name}`}>
            <Input
              type="number"
              inputMode="numeric"
              step="1"
              value={typed[name]}
              onText={(text) => setTyped((before) => ({ ...before, [name]: text }))}
            />
          </Field>
        ))}
        <Checkbox
          label="Only complete traces"
          hint="Leaves out traces that are still growing."
          checked={onlyComplete}
          onChange={({ target }) => setOnlyComplete(target.checked)}
        />
        <FailureField value={failureBy} onChange={setFailureBy} hint="For error rates and the mark “high”." />
      </>
    ),
  }
}

interface DiscoveryFormProps {
  readonly kind: ClusterKind
  /** Null for all traces. */
  readonly selection: ClusterSelection | null
  readonly discovery: Discovery
  /** Initial values: those of the schedule. */
  readonly initial: ClusterSchedule
  onClose(): void
}

export function DiscoveryForm({ kind, selection, discovery, initial, onClose }: DiscoveryFormProps) {
  const selected = selection !== null && { window_hours: CLUSTER_WINDOW_HOURS_MAX }
  const { fields, body } = useDiscoveryFields(DISCOVERY_NUMBERS, { ...initial, ...selected })
  return (
    <FormModal
      title="Discover clusters"
      description={
        kind === 'failures'
          ? 'Groups the failed traces of a time window by their errors and names each group. A group that is found again keeps its id.'
          : 'Groups the traces of a time window by requests and actions, names each group and reports its error rate. A group that is found again keeps its id.'
      }
      send={() => discovery.start({ kind, ...body, ...(selection !== null && { filters: selection.filters }) })}
      onClose={onClose}
    >
      {fields}
      <FormEnd submit="Run discovery" onCancel={onClose} />
    </FormModal>
  )
}

const NUMBERS = [
  { name: 'every_hours', label: 'Interval (hours)', hint: `1 to ${CLUSTER_INTERVAL_HOURS_MAX}` } as const,
  ...DISCOVERY_NUMBERS,
]

interface ScheduleFormProps {
  readonly kind: ClusterKind
  readonly schedule: ClusterSchedule
  onClose(): void
}

export function ScheduleForm({ kind, schedule, onClose }: ScheduleFormProps) {
  const queryClient = useQueryClient()
  const [enabled, setEnabled] = useState(schedule.enabled)
  const { fields, body } = useDiscoveryFields(NUMBERS, schedule)
  return (
    <FormModal
      title="Schedule"
      description="Runs discoveries automatically. If runs were missed while Spoor was down, it makes up for one."
      send={() => setClusterSchedule({ kind, enabled, ...body })}
      onClose={onClose}
      onSuccess={(saved) => queryClient.setQueryData(clusterScheduleQuery(kind).queryKey, saved)}
      said={(saved) =>
        saved.enabled ? `Discoveries run every ${hoursInWords(saved.every_hours)}.` : 'Scheduled discoveries are off.'
      }
    >
      <label className="flex items-center gap-2 font-medium">
        <input
          type="checkbox"
          checked={enabled}
          onChange={(event) => setEnabled(event.target.checked)}
          className="accent-accent size-4"
        />
        Run discoveries automatically
      </label>
      {fields}
      {schedule.next_run_at !== null && (
        <p className="text-muted text-sm">
          Next run: <Time at={schedule.next_run_at} exact className="whitespace-normal" />. Saving restarts the
          interval.
        </p>
      )}
      <FormEnd submit="Save" onCancel={onClose} />
    </FormModal>
  )
}
