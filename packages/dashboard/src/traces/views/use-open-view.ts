import type { View } from '@spoor/contract/schemas/view'
import { useQuery } from '@tanstack/react-query'
import { viewsQuery } from '../../api/views.ts'
import type { FeedSearch } from '../filters/search.ts'

/** The saved view that the address names; undefined if it names none or one that does not exist. */
export function useOpenView({ view: id }: FeedSearch): View | undefined {
  const { data: views } = useQuery({ ...viewsQuery, enabled: id !== undefined })
  return id === undefined ? undefined : views?.find((view) => view.id === id)
}
