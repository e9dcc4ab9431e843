import type { ClusterSelection } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { clusterNamesQuery, CLUSTERS_KEY, deleteSelection } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { changed } from '../lib/search.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Select } from '../ui/field.tsx'
import { useAction } from '../ui/use-action.ts'
import type { ClusterSearch } from './search.ts'
import { searchOfSelection, selectionInWords } from './selection-words.ts'

interface SelectionChoiceProps {
  readonly selections: readonly ClusterSelection[]
  readonly chosen: ClusterSelection | null
  readonly search: ClusterSearch
}

/** All traces, or a selection: then also its traces and its deletion. */
export function SelectionChoice({ selections, chosen, search }: SelectionChoiceProps) {
  const navigate = useNavigate({ from: '/app/clusters' })
  const mayManage = useMay('manage')
  const { data: clusters = [] } = useQuery(clusterNamesQuery)
  const show = (selection: string | undefined) =>
    void navigate({ search: changed(search, { selection, cluster: undefined }) })
  const removal = useAction(deleteSelection, { refresh: [CLUSTERS_KEY], onSuccess: () => show(undefined) })
  return (
    <>
      <Select
        aria-label="Traces"
        className="max-w-full min-w-0 sm:max-w-96"
        value={chosen?.id ?? ''}
        options={[
          ['', 'All traces'],
          ...selections.map(({ id, filters }) => [id, selectionInWords(filters, clusters)] as const),
        ]}
        onChoice={(id) => show(id === '' ? undefined : id)}
      />
      {chosen !== null && (
        <>
          <Link
            to="/app/traces"
            search={searchOfSelection(chosen.filters)}
            className="text-accent self-center text-sm underline"
          >
            View its traces
          </Link>
          {mayManage && (
            <ConfirmButton
              icon={Trash2}
              variant="ghost"
              title="Delete the selection"
              text="Its clusters are deleted. The traces stay."
              confirm="Delete"
              onConfirm={() => removal.mutate(chosen.id)}
            >
              Delete
            </ConfirmButton>
          )}
        </>
      )}
    </>
  )
}
