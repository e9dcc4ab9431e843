import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, X } from 'lucide-react'
import { useState } from 'react'
import { groupsQuery } from '../api/series.ts'
import { metadataKeysQuery, toolsQuery } from '../api/trace-facets.ts'
import { formatCompact } from '../lib/format-number.ts'
import { store, useStored } from '../lib/hooks/use-stored.ts'
import type { TimeRange } from '../lib/time-range.ts'
import { filterOfGroup, GROUP_FIELDS, METADATA_GROUP } from './groups.ts'
import {
  type FeedFilter,
  filterName,
  filtersOf,
  ofManyValues,
  withFilter,
  withoutFilter,
  withToggled,
} from '../traces/filters/feed-filters.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { seriesFilters } from '../traces/list/feed-request.ts'
import { IconButton } from '../ui/button.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Skeleton } from '../ui/states.tsx'

interface Facet {
  readonly rows: 'traces' | 'steps'
  readonly groupBy: string
  readonly label: string
}

const facetsOf = (rows: Facet['rows'], ...groups: readonly string[]): readonly Facet[] =>
  groups.flatMap((groupBy) =>
    GROUP_FIELDS[rows].filter(({ value }) => value === groupBy).map(({ label }) => ({ rows, groupBy, label })),
  )

const FACETS: readonly Facet[] = [
  ...facetsOf('traces', 'status', 'name', 'error_type', 'model', 'run_type', 'user_id', 'session_id', 'tag'),
  ...facetsOf('steps', 'tool', 'step_type', 'step_name'),
]

/** Local storage key: the opened facets, as JSON. */
const OPENED = 'spoor.facets'
const OPENED_FIRST = '["traces.status","traces.name","traces.error_type","steps.tool"]'
const KEYS_MAX = 20

interface FacetsProps {
  readonly search: FeedSearch
  readonly range: TimeRange
  onChange(next: FeedSearch): void
  onClose(): void
}

/** Values of fields with their counts under the filters, each a filter. */
export function Facets({ search, range, onChange, onClose }: FacetsProps) {
  const { data: keys = [] } = useQuery(metadataKeysQuery)
  const opened = JSON.parse(useStored(localStorage, OPENED) ?? OPENED_FIRST) as readonly string[]
  const facets = [
    ...FACETS,
    ...keys.slice(0, KEYS_MAX).map((key): Facet => ({ rows: 'traces', groupBy: METADATA_GROUP + key, label: key })),
  ]
  return (
    <aside
      aria-label="Values"
      className="bg-ground w-60 shrink-0 overflow-y-auto border-r pb-4 text-sm max-md:absolute max-md:inset-0 max-md:z-30 max-md:w-full"
    >
      <div className="flex items-center justify-between py-1 pr-1 pl-4">
        <h2 className="font-semibold">Values</h2>
        <IconButton icon={X} label="Close the values" onClick={onClose} />
      </div>
      {facets.map((facet) => {
        const id = `${facet.rows}.${facet.groupBy}`
        const isOpen = opened.includes(id)
        const next = isOpen ? opened.filter((each) => each !== id) : [...opened, id]
        const Chevron = isOpen ? ChevronDown : ChevronRight
        return (
          <section key={id} aria-label={facet.label}>
            <h3>
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => store(localStorage, OPENED, JSON.stringify(next))}
                className="hover:bg-hover flex w-full items-center gap-1 px-2 py-1 font-medium"
              >
                <Chevron className="text-muted size-4 shrink-0" aria-hidden />
                <bdi className="truncate">{facet.label}</bdi>
                {facet.rows === 'steps' && <span className="text-muted ml-auto text-xs font-normal">steps</span>}
              </button>
            </h3>
            {isOpen && <Values {...{ facet, search, range, onChange }} />}
          </section>
        )
      })}
    </aside>
  )
}

const SHOWN = 8

function Values({ facet, search, range, onChange }: Omit<FacetsProps, 'onClose'> & { readonly facet: Facet }) {
  const { rows, groupBy, label } = facet
  const [showsAll, setShowsAll] = useState(false)
  const set = filtersOf(search)
  const own = filterOfGroup(rows, groupBy, 'x')
  const known = own === null ? undefined : set.find((filter) => filterName(filter) === filterName(own))
  // Without its own filter, so that its other values can be chosen too.
  const of = seriesFilters(known === undefined ? search : withoutFilter(search, known))
  const subject = { rows, measure: 'count', stat: 'count', of } as const
  const isTool = groupBy === 'tool'
  const groups = useQuery({ ...groupsQuery({ subject, range, bucket: null, groupBy: [groupBy] }), enabled: !isTool })
  const tools = useQuery({ ...toolsQuery(of, range), enabled: isTool })
  const { data, error } = isTool ? tools : groups
  if (data === undefined) {
    return error === null ? <Skeleton className="mx-4 h-12" /> : <ErrorText error={error} className="px-4" />
  }
  const values = data.flatMap(({ group, count }) => {
    const filter = filterOfGroup(rows, groupBy, group)
    return filter === null ? [] : [{ filter, value: String(group), count }]
  })
  const sorted = values.toSorted((a, b) => b.count - a.count)
  const chosen = known === undefined || known.value === null ? [] : [known.value].flat()
  const choose = (filter: FeedFilter, value: string) => {
    const many = known === undefined ? null : ofManyValues(known)
    const next = many === null ? (chosen.includes(value) ? null : filter) : withToggled(many, value)
    onChange(next === null ? withoutFilter(search, filter) : withFilter(search, next))
  }
  return (
    <ul className="pb-2">
      {sorted.slice(0, showsAll ? undefined : SHOWN).map(({ filter, value, count }) => (
        <li key={value}>
          <button
            type="button"
            aria-pressed={chosen.includes(value)}
            onClick={() => choose(filter, value)}
            title={`${label}: ${value}`.slice(0, 1000)}
            className="hover:bg-hover aria-pressed:bg-selected flex min-h-6 w-full items-center gap-2 pr-3 pl-7 text-left"
          >
            <bdi className="min-w-0 flex-1 truncate">{value}</bdi>
            <span className="text-muted text-xs tabular-nums">{formatCompact(count)}</span>
          </button>
        </li>
      ))}
      {sorted.length === 0 && <li className="text-muted pl-7">none</li>}
      {sorted.length > SHOWN && (
        <li>
          <button
            type="button"
            onClick={() => setShowsAll(!showsAll)}
            className="text-accent min-h-6 pl-7 hover:underline"
          >
            {showsAll ? 'Fewer' : `${sorted.length - SHOWN} more`}
          </button>
        </li>
      )}
    </ul>
  )
}
