import type { View } from '@spoor/contract/schemas/view'
import { useState } from 'react'
import { viewsQuery } from '../../api/views.ts'
import { Field, Input } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form.tsx'
import { FormModal } from '../../ui/form-modal.tsx'

interface ViewNameDialogProps {
  readonly title: string
  readonly description?: string
  readonly name: string
  save(name: string): Promise<View>
  onClose(): void
  /** The message once it is saved. */
  readonly said: string
  onSaved?(view: View): void
}

/** Asks for the name of a view, then saves it. */
export function ViewNameDialog({ title, description, name: given, save, said, onClose, onSaved }: ViewNameDialogProps) {
  const [name, setName] = useState(given)
  return (
    <FormModal
      title={title}
      description={description}
      send={() => save(name.trim())}
      onClose={onClose}
      codes={{ view_conflict: '/name' }}
      refresh={[viewsQuery.queryKey]}
      said={said}
      {...(onSaved === undefined ? {} : { onDone: onSaved })}
    >
      <Field label="Name" at="/name">
        <Input autoFocus autoComplete="off" value={name} onText={setName} />
      </Field>
      <FormEnd submit="Save" disabled={name.trim() === ''} onCancel={onClose} />
    </FormModal>
  )
}
