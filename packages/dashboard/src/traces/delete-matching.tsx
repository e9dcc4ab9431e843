import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteMatching, matchingQuery } from '../api/deletions.ts'
import { formatTraces } from '../lib/format-number.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { type AskProps, DeletionDialog } from '../ui/deletion-dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { useSilentAction } from '../ui/use-action.ts'
import { toDeletionBody } from './deletion-body.ts'
import type { FeedSearch } from './filters/search.ts'

interface DeleteMatchingProps {
  readonly search: FeedSearch
  /** Without it there is no button; a deletion under way is shown all the same. */
  readonly offered: boolean
}

/** Deletes all traces that the query finds. */
export function DeleteMatching({ search, offered }: DeleteMatchingProps) {
  return (
    <DeletionDialog title="Delete all traces that match" offered={offered}>
      {(ask) => <Ask {...ask} search={search} />}
    </DeletionDialog>
  )
}

function Ask({ search, onStarted, onCancel }: AskProps & Pick<DeleteMatchingProps, 'search'>) {
  /** As of when the dialog was opened: a range such as the last hour moves on. */
  const [body] = useState(() => toDeletionBody(search))
  const [all, setAll] = useState(false)
  const asked = all ? { ...body, all } : body
  const { data, error } = useQuery(matchingQuery(asked))
  const start = useSilentAction(() => deleteMatching(asked), { onSuccess: ({ job_id }) => onStarted(job_id) })
  const count = data?.count
  return (
    <div className="space-y-4">
      <p>
        {count === undefined
          ? 'Counting the traces…'
          : `${formatTraces(count)} ${count === 1 ? 'matches' : 'match'} the filters and the time.`}{' '}
        Their steps, metric events and media are deleted too. This cannot be undone.
      </p>
      <Checkbox
        label="These may be all traces of the project"
        hint="Needed if every trace matches."
        checked={all}
        onChange={({ target }) => setAll(target.checked)}
      />
      <ErrorText error={start.error ?? error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="danger"
          disabled={count === undefined || count === 0 || start.isPending}
          onClick={() => start.mutate()}
        >
          {count === undefined ? 'Delete' : `Delete ${formatTraces(count)}`}
        </Button>
      </div>
    </div>
  )
}
