import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteUser, matchingQuery } from '../api/deletions.ts'
import { formatTraces } from '../lib/format-number.ts'
import { Button } from '../ui/button.tsx'
import { type AskProps, DeletionDialog } from '../ui/deletion-dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Field, Input } from '../ui/field.tsx'
import { useSilentAction } from '../ui/use-action.ts'

/** Deletes all data of a user, whatever the time range. */
export function DeleteUser({ userId }: { readonly userId: string }) {
  return (
    <DeletionDialog title="Delete the user" offered>
      {(ask) => <Ask {...ask} userId={userId} />}
    </DeletionDialog>
  )
}

function Ask({ userId, onStarted, onCancel }: AskProps & { readonly userId: string }) {
  const [typed, setTyped] = useState('')
  const { data, error } = useQuery(matchingQuery({ user_id: [userId] }))
  const start = useSilentAction(() => deleteUser(userId), { onSuccess: ({ job_id }) => onStarted(job_id) })
  return (
    <div className="space-y-4">
      <p>
        {data === undefined ? 'Counting the traces…' : `This user has ${formatTraces(data.count)}, over all time.`}{' '}
        Their steps, metric events and media are deleted too. Clusters lose their names until the next discovery. This
        cannot be undone.
      </p>
      <Field label="Type the id of the user to confirm">
        <Input autoComplete="off" placeholder={userId} value={typed} onText={setTyped} />
      </Field>
      <ErrorText error={start.error ?? error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="danger" disabled={typed !== userId || start.isPending} onClick={() => start.mutate()}>
          Delete the user
        </Button>
      </div>
    </div>
  )
}
