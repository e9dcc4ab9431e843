import { useMutation } from '@tanstack/react-query'
import { asApiError } from '../../api/client/api-error.ts'
import { deleteTrace } from '../../api/trace.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'

interface DeleteDialogProps {
  readonly traceId: string
  readonly stepCount: string
  onClose(): void
  onDeleted(): void
}

export function DeleteDialog({ traceId, stepCount, onClose, onDeleted }: DeleteDialogProps) {
  const deleting = useMutation({ mutationFn: () => deleteTrace(traceId), onSuccess: onDeleted })
  return (
    <Modal
      title="Delete this trace"
      description={`This trace and its ${stepCount} will be deleted now. This cannot be undone.`}
      open
      onOpenChange={onClose}
    >
      <div className="space-y-4">
        {deleting.error !== null && (
          <p role="alert" className="text-fail text-sm break-words">
            {asApiError(deleting.error).message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete
          </Button>
        </div>
      </div>
    </Modal>
  )
}
