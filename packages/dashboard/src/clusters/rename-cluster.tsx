import type { ClusterDetail, ListedCluster } from '@spoor/contract/schemas/cluster'
import { useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { CLUSTERS_KEY, clusterQuery, renameCluster } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormEnd } from '../ui/form.tsx'
import { FormModal } from '../ui/form-modal.tsx'
import { useAction } from '../ui/use-action.ts'

/** A button that renames the cluster, for sessions that may. */
export function RenameCluster({ cluster }: { cluster: ListedCluster }) {
  const [open, setOpen] = useState(false)
  if (!useMay('manage')) return null
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen(true)}>
        Rename
      </Button>
      {open && <RenameForm cluster={cluster} onClose={() => setOpen(false)} />}
    </>
  )
}

function RenameForm({ cluster, onClose }: { cluster: ListedCluster; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [label, setLabel] = useState(cluster.label)
  const renamed = {
    onSuccess: (detail: ClusterDetail) => queryClient.setQueryData(clusterQuery(cluster.id).queryKey, detail),
    refresh: [[...CLUSTERS_KEY, 'list']],
  }
  const reset = useAction(() => renameCluster(cluster.id, { label: null }), { ...renamed, onDone: onClose })
  return (
    <FormModal
      title="Rename the cluster"
      description="The name stays as long as discoveries find this cluster again."
      send={() => renameCluster(cluster.id, { label: label.trim() })}
      onClose={onClose}
      {...renamed}
    >
      <Field label="Name" at="/label">
        <Input autoFocus autoComplete="off" value={label} onText={setLabel} />
      </Field>
      <FormEnd submit="Save" disabled={label.trim() === ''} onCancel={onClose}>
        {cluster.automatic_label !== null && (
          <Button className="mr-auto" onClick={() => reset.mutate()} disabled={reset.isPending}>
            Use the automatic name
          </Button>
        )}
      </FormEnd>
    </FormModal>
  )
}
