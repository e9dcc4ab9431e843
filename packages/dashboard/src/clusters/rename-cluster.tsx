import type { ListedCluster } from '@spoor/contract/schemas/cluster'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { CLUSTERS_KEY, clusterQuery, renameCluster } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Modal } from '../ui/modal.tsx'

/** A button that renames the cluster, for sessions that may. */
export function RenameCluster({ cluster }: { cluster: ListedCluster }) {
  const [open, setOpen] = useState(false)
  if (!useMay('manage')) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Pencil className="size-4" aria-hidden /> Rename
      </Button>
      <Modal
        title="Rename the cluster"
        description="The name stays as long as discoveries find this cluster again."
        open={open}
        onOpenChange={setOpen}
      >
        <Form cluster={cluster} onDone={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function Form({ cluster, onDone }: { cluster: ListedCluster; onDone: () => void }) {
  const queryClient = useQueryClient()
  const [label, setLabel] = useState(cluster.label)
  const saving = useMutation({
    mutationFn: (next: string | null) => renameCluster(cluster.id, { label: next }),
    onSuccess: async (detail) => {
      queryClient.setQueryData(clusterQuery(cluster.id).queryKey, detail)
      await queryClient.invalidateQueries({ queryKey: [...CLUSTERS_KEY, 'list'] })
      onDone()
    },
  })
  const problem = saving.error === null ? null : asApiError(saving.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    saving.mutate(label.trim())
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <Field label="Name" error={problem?.of('/label')}>
        {(props) => (
          <Input
            {...props}
            autoFocus
            autoComplete="off"
            value={label}
            onChange={({ target }) => setLabel(target.value)}
          />
        )}
      </Field>
      <FormError problem={problem} fields={['/label']} />
      <div className="flex flex-wrap justify-end gap-2">
        {cluster.automatic_label !== null && (
          <Button className="mr-auto" onClick={() => saving.mutate(null)} disabled={saving.isPending}>
            Use the automatic name
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={saving.isPending || label.trim() === ''}>
          Save
        </Button>
      </div>
    </form>
  )
}
