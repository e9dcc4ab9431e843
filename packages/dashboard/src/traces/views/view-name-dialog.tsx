import type { View } from '@spoor/contract/schemas/view'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Modal } from '../../ui/modal.tsx'

interface ViewNameDialogProps {
  readonly title: string
  readonly description?: string
  readonly name: string
  save(name: string): Promise<View>
  onClose(): void
  onSaved(view: View): void
}

/** Asks for the name of a view, then saves it. */
export function ViewNameDialog({ title, description, name: given, save, onClose, onSaved }: ViewNameDialogProps) {
  const [name, setName] = useState(given)
  const saving = useMutation({ mutationFn: () => save(name.trim()), onSuccess: onSaved })
  const problem = saving.error === null ? null : asApiError(saving.error)
  const taken = problem?.code === 'view_conflict' ? problem.message : undefined
  const error = taken ?? problem?.of('/name')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <Modal title={title} description={description} open onOpenChange={onClose}>
      <form onSubmit={submit} noValidate className="space-y-4">
        <Field label="Name" error={error}>
          {(props) => (
            <Input
              {...props}
              autoFocus
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {error === undefined && <FormError problem={problem} fields={[]} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={saving.isPending || name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  )
}
