import { filtersTakenBy } from '@spoor/contract/trace-filters'
import { useState } from 'react'
import { METADATA_GROUP } from '../../explore/groups.ts'
import { METRIC_SOURCES, SOURCE_LABELS } from '../../lib/metric-sources.ts'
import { changed } from '../../lib/search.ts'
import { FilterChips } from '../../traces/filters/filter-chips.tsx'
import { FILTER_FIELDS } from '../../traces/filters/search.ts'
import { Field, Fieldset, Input, Select } from '../../ui/field.tsx'
import { forEachFields } from './monitor-draft.ts'
import type { SourceFieldsProps } from './source-fields.tsx'

const TAKEN: readonly string[] = filtersTakenBy('monitors')
const FIELDS = FILTER_FIELDS.filter((field) => TAKEN.includes(field))

/** Filters of the evaluated rows, and the field whose values are evaluated by themselves. */
export function FilterFields({ draft, set, metrics = [] }: SourceFieldsProps) {
  const [adding, setAdding] = useState(false)
  const { kind, filters, eventSource, forEach } = draft
  const isByKey = forEach.startsWith(METADATA_GROUP)
  const groups: readonly (readonly [typeof forEach, string])[] = [
    ['', 'All rows together'],
    ...forEachFields(kind, metrics).map(({ value, label }) => [value as typeof forEach, label] as const),
    [METADATA_GROUP, 'Metadata key…'],
  ]
  return (
    <>
      <Fieldset legend="Filters" at="/filters">
        <div className="flex flex-wrap items-center gap-2">
          <FilterChips
            search={filters}
            onChange={(next) => set({ filters: next })}
            adding={adding}
            onAdding={setAdding}
            fields={FIELDS}
          />
        </div>
      </Fieldset>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Words" at="/filters/q" hint="All must occur in one step or in the name of the trace.">
          <Input
            value={filters.q ?? ''}
            onText={(text) => set({ filters: changed(filters, { q: text || undefined }) })}
          />
        </Field>
        {kind === 'metric' && (
          <Field label="Source of events" at="/filters/source">
            <Select
              value={eventSource}
              onChoice={(source) => set({ eventSource: source })}
              options={[['', 'Any'], ...METRIC_SOURCES.map((source) => [source, SOURCE_LABELS[source]] as const)]}
            />
          </Field>
        )}
        <Field label="For each" at="/for_each" hint="Each value fires and resolves by itself.">
          <Select
            value={isByKey ? METADATA_GROUP : forEach}
            onChoice={(field) => set({ forEach: field })}
            options={groups}
          />
        </Field>
        {isByKey && (
          <Field label="Key" at="/for_each">
            <Input
              value={forEach.slice(METADATA_GROUP.length)}
              onText={(key) => set({ forEach: `${METADATA_GROUP}${key}` as typeof forEach })}
            />
          </Field>
        )}
      </div>
    </>
  )
}
