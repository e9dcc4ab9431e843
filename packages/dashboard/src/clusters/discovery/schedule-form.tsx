import { CLUSTER_INTERVAL_HOURS_MAX } from '@spoor/contract/limits'
import type { ClusterSchedule } from '@spoor/contract/schemas/cluster'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { clusterScheduleQuery, setClusterSchedule } from '../../api/clusters.ts'
import { FormEnd } from '../../ui/form.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { Time } from '../../ui/time.tsx'
import { hoursInWords } from './discovery-words.ts'
import { DISCOVERY_NUMBERS, useDiscoveryFields } from './use-discovery-fields.tsx'

const NUMBERS = [
  { name: 'every_hours', label: 'Interval (hours)', hint: `1 to ${CLUSTER_INTERVAL_HOURS_MAX}` } as const,
  ...DISCOVERY_NUMBERS,
]

export function ScheduleForm({ schedule, onClose }: { schedule: ClusterSchedule; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [enabled, setEnabled] = useState(schedule.enabled)
  const { fields, body } = useDiscoveryFields(NUMBERS, schedule)
  return (
    <FormModal
      title="Schedule"
      description="Runs discoveries automatically. If runs were missed while Spoor was down, it makes up for one."
      send={() => setClusterSchedule({ enabled, ...body })}
      onClose={onClose}
      onSuccess={(saved) => queryClient.setQueryData(clusterScheduleQuery.queryKey, saved)}
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
