import { NO_CLUSTER, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { clusterQuery } from '../../api/clusters.ts'
import { POPOVER_CONTENT } from '../../ui/menu-classes.ts'
import {
  type FeedFilter,
  filterLabel,
  filterName,
  filterValueLabel,
  ofManyValues,
  withToggled,
} from './feed-filters.ts'
import { FilterEditor } from './filter-editor.tsx'

interface FilterChipProps {
  readonly filter: FeedFilter
  onChange(filter: FeedFilter): void
  onRemove(): void
}

/** An active filter: click it to choose another value, or remove it. */
export function FilterChip({ filter, onChange, onRemove }: FilterChipProps) {
  const [open, setOpen] = useState(false)
  const isCluster = filter.kind === 'field' && TRACE_FILTERS[filter.field].type === 'cluster'
  // Each chosen value is added or removed, and the editor stays open.
  const several = ofManyValues(filter)
  const { data: cluster } = useQuery({
    ...clusterQuery(String(filter.value)),
    enabled: isCluster && filter.value !== NO_CLUSTER,
  })
  const label = filterLabel(filter)
  const value = cluster?.cluster.label ?? filterValueLabel(filter)
  return (
    <span className="bg-raised inline-flex h-8 max-w-full items-stretch rounded-md border text-sm">
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger
          className="hover:bg-hover flex min-w-0 items-center gap-1.5 rounded-l-md px-2.5"
          title={`${label}: ${value}`.slice(0, 1000)}
        >
          <bdi className="text-muted max-w-40 shrink-0 truncate">{label}</bdi>
          <bdi className="max-w-56 truncate font-medium">{value}</bdi>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            className={`${POPOVER_CONTENT} w-72`}
            align="start"
            sideOffset={4}
            aria-label={`Filter by ${label}`}
          >
            <FilterEditor
              start={
                filter.kind === 'field'
                  ? { kind: 'field', field: filter.field }
                  : { kind: 'values', of: filter.kind === 'metadata' ? 'metadata' : filter.field, key: filter.key }
              }
              chosen={several === null ? [] : [several.value].flat()}
              onFilter={(next) => {
                if (several === null || filterName(next) !== filterName(several)) {
                  setOpen(false)
                  onChange(next)
                  return
                }
                const toggled = withToggled(several, String(next.value))
                if (toggled === null) onRemove()
                else onChange(toggled)
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      <button
        type="button"
        aria-label={`Remove filter: ${label}`}
        onClick={onRemove}
        className="text-muted hover:bg-hover hover:text-ink rounded-r-md border-l px-1.5"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  )
}
