import type { ClusterDetail, ListedCluster } from '@spoor/contract/schemas/cluster'
import { useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { CLUSTERS_KEY, clusterQuery, renameCluster } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { useAction } from '../ui/use-action.ts'

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
  const renamed = {
    onSuccess: (detail: ClusterDetail) => queryClient.setQueryData(clusterQuery(cluster.id).queryKey, detail),
    refresh: [[...CLUSTERS_KEY, 'list']],
  }
  const reset = useAction(() => renameCluster(cluster.id, { label: null }), { ...renamed, onDone: onClose })
  return (
    <TextForm
      title="Rename the cluster"
      description="The name stays as long as discoveries find this cluster again."
      at="/label"
      initial={cluster.label}
      submit="Save"
      needsText
      send={(label) => renameCluster(cluster.id, { label })}
      onClose={onClose}
      {...renamed}
    >
      {cluster.automatic_label !== null && (
        <Button className="mr-auto" onClick={() => reset.mutate()} disabled={reset.isPending}>
          Use the automatic name
        </Button>
      )}
    </TextForm>
  )
}
